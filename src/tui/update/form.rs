//! Keys in a question that is answered by typing or by choosing from a list.

use super::{dialog, login, quietly, tree};
use crate::backend::{BranchSummary, Command, Response};
use crate::tui::action::{Action, Group};
use crate::tui::app::App;
use crate::tui::app::dialog::{Dialog, Subject};
use crate::tui::app::form::Form;
use crate::tui::effect::{Effects, change};
use std::time::Instant;

/// Rows of a page.
const PAGE: isize = 10;

fn form(app: &mut App) -> Option<&mut Form> {
    app.open.dialogs.front_mut()?.form.as_mut()
}

pub fn act(app: &mut App, action: Action, now: Instant) -> Effects {
    match action {
        Action::Close => return respond(app, Response::Dismissed),
        Action::Accept => return accept(app, now),
        _ => {}
    }
    let Some(form) = form(app) else { return vec![] };
    quietly(|| match action {
        Action::Next => form.step(1),
        Action::Previous => form.step(-1),
        Action::NextPage => form.step(PAGE),
        Action::PreviousPage => form.step(-PAGE),
        Action::First => form.step(isize::MIN / 2),
        Action::Last => form.step(isize::MAX / 2),
        Action::ToggleChoice => form.toggle(),
        Action::Newline => form.insert("\n"),
        _ if action.group() == Group::Edit => form.edit(action),
        _ => {}
    })
}

/// Text of a burst or a paste. An Enter right behind typed words is one.
pub fn insert(app: &mut App, text: &str, pasted: bool, now: Instant) -> Effects {
    if dialog::is_still_typing(app, now) {
        return vec![];
    }
    let (words, entered) = match text.strip_suffix('\n') {
        Some(words) if !pasted => (words, true),
        _ => (text, false),
    };
    if let Some(form) = form(app) {
        form.insert(words);
    }
    if entered { accept(app, now) } else { vec![] }
}

fn accept(app: &mut App, now: Instant) -> Effects {
    if dialog::is_still_typing(app, now) {
        return vec![];
    }
    if matches!(form(app), Some(Form::Unseen(_))) {
        return login::typed(app);
    }
    match form(app).and_then(|form| form.response()) {
        Some(response) => respond(app, response),
        None => vec![],
    }
}

/// Answers whoever asks.
pub fn respond(app: &mut App, response: Response) -> Effects {
    match app.open.dialogs.pop_front() {
        Some(Dialog { subject: Subject::Ask(ask), .. }) => change(Command::Answer { ask_id: ask.id.clone(), response }),
        Some(Dialog { subject: Subject::Focus(to), .. }) => match response {
            Response::Text(focus) => tree::go(app, to, Some(BranchSummary { focus: Some(focus) })),
            _ => vec![],
        },
        _ => vec![],
    }
}
