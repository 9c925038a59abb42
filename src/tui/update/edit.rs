//! Keys of the draft, and the walk through the prompt history at its ends.

use super::{children, complete, quietly, reading, turn};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::completion::Trigger;
use crate::tui::app::editor::Editor;
use crate::tui::app::history::Recalled;
use crate::tui::app::transcript::Scroll;
use crate::tui::effect::{Effect, Effects};

pub fn act(app: &mut App, action: Action) -> Effects {
    match action {
        Action::CursorUp => up(app),
        Action::CursorDown => down(app),
        Action::WordLeftOrPrevious if app.editor.is_empty() => children::act(app, Action::PreviousConversation),
        Action::WordRightOrNext if app.editor.is_empty() => children::act(app, Action::NextConversation),
        Action::WordLeftOrPrevious => walk(app, |editor| editor.act(Action::WordLeft)),
        Action::WordRightOrNext => walk(app, |editor| editor.act(Action::WordRight)),
        Action::LeftOrBackground if turn::has_calls(app) => turn::background(),
        Action::LeftOrBackground => walk(app, |editor| editor.act(Action::CursorLeft)),
        Action::RightOrSearch if app.editor.is_empty() => reading::search(app),
        Action::RightOrSearch => walk(app, |editor| editor.act(Action::CursorRight)),
        Action::HomeKey => home(app),
        Action::EndKey => end(app),
        Action::PasteImage => vec![Effect::PasteImage],
        Action::Complete => complete::act(app, action),
        Action::CursorLeft
        | Action::CursorRight
        | Action::WordLeft
        | Action::WordRight
        | Action::LineStart
        | Action::LineEnd => walk(app, |editor| editor.act(action)),
        _ => change(app, |editor| editor.act(action)),
    }
}

pub fn newline(app: &mut App) -> Effects {
    change(app, |editor| editor.insert("\n"))
}

/// Moves the caret.
fn walk(app: &mut App, by: impl FnOnce(&mut Editor)) -> Effects {
    by(&mut app.editor);
    complete::refresh(app)
}

/// Changes the draft.
pub fn change(app: &mut App, by: impl FnOnce(&mut Editor)) -> Effects {
    app.history.stop();
    walk(app, by)
}

fn up(app: &mut App) -> Effects {
    if app.editor.up() {
        return complete::refresh(app);
    }
    let App { history, editor, .. } = app;
    if let Some(prompt) = history.back(|| editor.draft()) {
        editor.set_text(prompt);
    }
    quietly(|| keep_closed(app))
}

fn down(app: &mut App) -> Effects {
    if app.editor.down() {
        return complete::refresh(app);
    }
    match app.history.forward() {
        Some(Recalled::Prompt(prompt)) => app.editor.set_text(prompt),
        Some(Recalled::Draft(draft)) => app.editor.set(draft),
        None => {}
    }
    quietly(|| keep_closed(app))
}

/// What was recalled opens no list, so that one can walk on.
fn keep_closed(app: &mut App) {
    app.open.completion = None;
    app.open.closed = Trigger::find(&app.editor);
}

/// Home: the line's beginning; there already, the transcript's.
fn home(app: &mut App) -> Effects {
    match app.editor.before_caret().is_empty() {
        true => quietly(|| app.seen().scroll(Scroll::Top)),
        false => walk(app, Editor::line_start),
    }
}

/// End: the line's end; there already, the transcript's, which is followed from then on.
fn end(app: &mut App) -> Effects {
    match app.editor.after_caret().is_empty() {
        true => quietly(|| app.seen().scroll(Scroll::End)),
        false => walk(app, Editor::line_end),
    }
}
