//! Sending, steering, stopping, leaving.

use super::{children, complete, edit, images, quietly, reading, slash, tree};
use crate::backend::{Command, Level, Phase};
use crate::tui::app::App;
use crate::tui::app::editor::Draft;
use crate::tui::app::transcript::Scroll;
use crate::tui::command;
use crate::tui::effect::{Effect, Effects, Purpose, change};
use std::time::Instant;

const PRESS_AGAIN: &str = "press Ctrl-C again to quit";
/// How a hint begins that is true during a turn only.
pub const DURING_A_TURN: &str = "a turn is running: ";
const ESC_AGAIN: &str = "press Esc again for earlier prompts";

/// Enter: a prompt, or steering during a turn; `\` before the caret makes it a line break. On an empty editor it opens or
/// folds the last block on the screen.
pub fn send(app: &mut App) -> Effects {
    if app.editor.before_caret().ends_with('\\') {
        app.editor.delete_back();
        return edit::newline(app);
    }
    let text = app.editor.draft().expanded();
    if app.editor.is_empty() {
        return quietly(|| app.seen().toggle_last());
    }
    if text.trim().is_empty() {
        return vec![];
    }
    if let Some((name, args)) = command::parse(&text) {
        return slash::line(app, name, args);
    }
    let prompts = app.children.focus.is_none() && !app.is_running() && !text.starts_with('!');
    let whole = app.editor.draft();
    if !prompts && images::are_in_the_way(app, &whole) {
        return vec![];
    }
    let draft = take(app);
    let mut effects = vec![Effect::Remember(text.clone())];
    effects.extend(match text.strip_prefix('!') {
        Some(line) => shell(line, draft),
        None if let Some(child_id) = app.children.focus.clone() => children::tell(app, child_id, draft),
        None if app.is_running() => meanwhile(app, draft),
        None => prompt(draft, false),
    });
    effects
}

/// Takes the draft out of the editor for good; it is on its way.
pub fn take(app: &mut App) -> Draft {
    let draft = app.editor.take();
    app.history.add(&draft.expanded());
    app.open.completion = None;
    app.open.closed = None;
    app.open.hint = None;
    app.screen.spoken = true;
    app.seen().scroll(Scroll::End);
    draft
}

pub fn prompt(draft: Draft, again: bool) -> Effects {
    let (text, images) = (draft.expanded(), draft.images());
    vec![Effect::Send(Command::Prompt { text, images }, Purpose::Prompt { draft, again })]
}

/// Steers the turn. While a branch is summed up there is none: what is said then begins one afterwards.
fn meanwhile(app: &App, draft: Draft) -> Effects {
    match app.session.as_ref().map(|s| s.phase) {
        Some(Phase::BranchSummary) => {
            vec![Effect::Send(Command::FollowUp { text: draft.expanded() }, Purpose::Line(draft))]
        }
        _ => steer(draft, false),
    }
}

pub fn steer(draft: Draft, again: bool) -> Effects {
    vec![Effect::Send(Command::Steer { text: draft.expanded() }, Purpose::Steer { draft, again })]
}

/// `line` is what follows the first `!`.
fn shell(line: &str, draft: Draft) -> Effects {
    let (line, to_model) = match line.strip_prefix('!') {
        Some(private) => (private, false),
        None => (line, true),
    };
    let line = line.trim().to_owned();
    if line.is_empty() {
        return vec![];
    }
    vec![Effect::Send(Command::Shell { line, to_model }, Purpose::Line(draft))]
}

/// Tab: during a turn the draft becomes a follow-up; commands and shell lines are none.
pub fn follow_up(app: &mut App) -> Effects {
    let text = app.editor.draft().expanded();
    if app.children.focus.is_some() {
        return send(app);
    }
    if !app.is_running() || text.trim().is_empty() || text.starts_with('!') || command::parse(&text).is_some() {
        return vec![];
    }
    let whole = app.editor.draft();
    if images::are_in_the_way(app, &whole) {
        return vec![];
    }
    let draft = take(app);
    let send = Effect::Send(Command::FollowUp { text: text.clone() }, Purpose::Line(draft));
    vec![Effect::Remember(text), send]
}

/// Esc: what is open has been asked before; so it is the turn, a shell line, the hint, or the first of two that lead back.
pub fn escape(app: &mut App, now: Instant) -> Effects {
    if app.open.reading.is_some() {
        return reading::leave(app);
    }
    if children::back(app) {
        return vec![];
    }
    if app.is_running() || app.open.going {
        app.open.hint = None;
        return vec![Effect::Send(Command::Abort, Purpose::Return)];
    }
    if !app.transcript.running_tools().is_empty() {
        return change(Command::CancelTools { call_id: None });
    }
    if app.keys.is_back_armed(now) {
        app.keys.back_armed = None;
        app.open.hint = None;
        return tree::rewind(app);
    }
    if app.open.hint.take().is_none() && app.editor.is_empty() && app.transcript.has_prompts() {
        app.keys.back_armed = Some(now);
        app.say(Level::Info, ESC_AGAIN);
    }
    vec![]
}

/// Ctrl-C: the running tools of what has the keys, or the compaction, else the draft, else the first of two that quit.
pub fn cancel(app: &mut App, now: Instant) -> Effects {
    let main = app.children.focus.is_none();
    let compacting = app.session.as_ref().is_some_and(|s| s.phase == Phase::Compaction);
    if main && (compacting || !app.transcript.running_tools().is_empty()) {
        app.keys.quit_armed = None;
        return change(Command::CancelTools { call_id: None });
    }
    let calls = app.children.calls_in_focus();
    if !calls.is_empty() {
        app.keys.quit_armed = None;
        let cancel = |id| change(Command::CancelTools { call_id: Some(id) });
        return calls.into_iter().flat_map(cancel).collect();
    }
    if !app.editor.is_empty() {
        app.keys.quit_armed = None;
        app.editor.clear();
        app.history.stop();
        return complete::refresh(app);
    }
    if app.is_quit_armed(now) {
        return vec![Effect::Quit(0)];
    }
    app.keys.quit_armed = Some(now);
    quietly(|| app.say(Level::Info, PRESS_AGAIN))
}

/// Whether calls of the model's run in the conversation that has the keys.
pub fn has_calls(app: &App) -> bool {
    app.children.focus.is_none() && app.is_running() && !app.transcript.running_tools().is_empty()
}

/// Ctrl-B while a call runs.
pub fn background() -> Effects {
    change(Command::BackgroundTools { call_id: None })
}

/// The second within which Ctrl-C quits, or Esc leads back, is over.
pub fn disarm(app: &mut App, now: Instant) {
    if app.keys.back_armed.is_some() && !app.keys.is_back_armed(now) {
        app.keys.back_armed = None;
        app.open.hint.take_if(|hint| hint.text == ESC_AGAIN);
    }
    if app.keys.quit_armed.is_some() && !app.is_quit_armed(now) {
        app.keys.quit_armed = None;
        app.open.hint.take_if(|hint| hint.text == PRESS_AGAIN);
    }
}

/// Ctrl-D.
pub fn delete_or_quit(app: &mut App) -> Effects {
    match (app.editor.is_empty(), app.is_running()) {
        (true, false) => vec![Effect::Quit(0)],
        (true, true) => quietly(|| app.say(Level::Info, format!("{DURING_A_TURN}Esc interrupts it, /quit leaves"))),
        (false, _) => edit::change(app, |editor| editor.delete_next()),
    }
}
