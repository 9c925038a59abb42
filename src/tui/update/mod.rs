//! State transitions: a message comes in, the state changes, effects go out. No I/O and no clock: both are the loop's.

mod act;
mod children;
mod complete;
mod dialog;
mod edit;
mod editor;
mod event;
mod extensions;
mod form;
mod images;
mod input;
mod job_list;
mod keys;
mod login;
mod mouse;
mod open;
mod palette;
mod peek;
mod pick;
mod queue;
mod reading;
mod reply;
mod sessions;
mod settings;
mod slash;
mod tree;
mod turn;
mod welcome;

use super::Start;
use super::app::App;
use super::app::dialog::Dialog;
use super::effect::{Effect, Effects, Errand, Purpose};
use super::input::Input;
use crate::backend::{BackendError, Event, Reply};
use crate::config::{Change, Changed, SettingRow};
use crate::conversation::Part;
use std::time::Instant;

/// What the loop has to tell.
#[derive(Debug)]
pub enum Message {
    Input(Input),
    Event(Event),
    /// The backend's answer to a command.
    Reply(Purpose, Result<Reply, BackendError>),
    /// The prompts of earlier runs.
    History(Vec<String>),
    /// The git branch of the session's folder.
    Branch(Option<String>),
    /// The editor has ended: the text as it left it, or why it is not taken.
    Edited(Errand, Result<String, String>),
    /// Pictures for the draft, or why there are none; `pasted`: the text that seemed to name them.
    Images {
        pasted: Option<String>,
        images: Result<Vec<Part>, String>,
    },
    /// The settings, or why they cannot be read.
    Settings(Result<Vec<SettingRow>, String>),
    /// What has come of a change of a setting, or why it was refused.
    SettingChanged {
        key: String,
        change: Change,
        result: Result<Box<Changed>, String>,
    },
    /// The clipboard's program failed.
    NotCopied(String),
    /// Something off the loop is through; the screen may look different.
    Wake,
    /// A deadline of the state has come.
    Tick,
}

pub fn update(app: &mut App, message: Message, now: Instant) -> Effects {
    match message {
        Message::Input(input) => input::take(app, input, now),
        Message::Event(event) => event::take(app, event, now),
        Message::Reply(purpose, result) => reply::take(app, purpose, result),
        Message::History(prompts) => quietly(|| app.history.load(prompts)),
        Message::Branch(branch) => quietly(|| app.screen.branch = branch),
        Message::Edited(errand, result) => quietly(|| editor::edited(app, &errand, result)),
        Message::Images { pasted, images } => images::came(app, pasted, images),
        Message::Settings(result) => quietly(|| settings::came(app, result)),
        Message::SettingChanged { key, change, result } => settings::changed(app, &key, &change, result),
        Message::NotCopied(text) => vec![Effect::CopyByTerminal(text)],
        Message::Wake => vec![],
        Message::Tick => quietly(|| turn::disarm(app, now)),
    }
}

/// What is to be done first.
pub fn begin(app: &mut App, start: Start) -> Effects {
    match start {
        Start::Session => vec![],
        Start::Picker => open::sessions(app),
        Start::Welcome => welcome::begin(app),
        Start::Locked { target, message } => {
            quietly(|| app.open.dialogs.push_back(Dialog::locked(target, &message, true)))
        }
    }
}

/// A change without effects.
fn quietly<T>(change: impl FnOnce() -> T) -> Effects {
    change();
    vec![]
}

#[cfg(test)]
pub(super) mod tests;
