//! Action → the function that does it. An action that means nothing where it was pressed does nothing.

use super::{
    children, complete, dialog, edit, editor, extensions, form, job_list, keys, open, palette, pick, queue, quietly,
    reading, sessions, settings, tree, turn,
};
use crate::backend::Command;
use crate::tui::action::{Action, Group};
use crate::tui::app::App;
use crate::tui::app::picker::Kind;
use crate::tui::app::transcript::Scroll;
use crate::tui::effect::{Effect, Effects, change};
use crate::tui::keymap::Context;
use std::time::Instant;

pub fn act(app: &mut App, action: Action, now: Instant) -> Effects {
    match (action.group(), app.context()) {
        (Group::Edit | Group::Picker | Group::Dialog, Context::Form) => form::act(app, action, now),
        (Group::Main, Context::Form) if action == Action::Newline => form::act(app, action, now),
        (Group::Read, Context::Search | Context::Transcript) => reading::act(app, action),
        (Group::Read, _) => vec![],
        (Group::Edit | Group::Picker, Context::Search) => reading::type_by(app, action),
        (Group::Edit, Context::Transcript | Context::Jobs) => vec![],
        (Group::Picker, Context::Jobs) => job_list::act(app, action),
        (Group::Scroll, Context::Transcript) if action == Action::ToggleBlock => reading::act(app, action),
        (Group::Edit, Context::Picker) => pick::edit_by(app, action),
        (Group::Edit, _) => edit::act(app, action),
        (Group::Picker, Context::Completion) => complete::act(app, action),
        (Group::Picker, Context::Picker) => in_picker(app, action),
        (Group::Picker, _) => vec![],
        (Group::Dialog, Context::Dialog) => dialog::act(app, action),
        (Group::Dialog, _) => vec![],
        (Group::Scroll, Context::Dialog) => dialog::scroll(app, action),
        (Group::Scroll, _) => scroll(app, action),
        (Group::View, _) => view(app, action),
        (Group::Main, _) => main(app, action, now),
    }
}

fn main(app: &mut App, action: Action, now: Instant) -> Effects {
    match action {
        Action::Send => turn::send(app),
        Action::Newline => edit::newline(app),
        Action::FollowUp => turn::follow_up(app),
        Action::TakeBack => queue::take_last(app),
        Action::Escape => turn::escape(app, now),
        Action::Cancel => turn::cancel(app, now),
        Action::DeleteOrQuit => turn::delete_or_quit(app),
        Action::Quit => vec![Effect::Quit(0)],
        Action::Suspend => vec![Effect::Suspend],
        _ => vec![],
    }
}

fn view(app: &mut App, action: Action) -> Effects {
    match action {
        Action::CycleThinking => open::cycle_thinking(app),
        Action::ToggleTools => open::toggle_tools(app),
        Action::Palette => palette::open(app),
        Action::Models => open::models(app),
        Action::ThinkingLevels => open::thinking(app),
        Action::NextMode => next_mode(app),
        Action::Modes => open::modes(app),
        Action::Sessions => open::sessions(app),
        Action::Tree => tree::open(app),
        Action::Rewind => tree::rewind(app),
        Action::Back => tree::back(app),
        Action::Themes => open::themes(app),
        Action::Search => reading::search(app),
        Action::Dump => vec![Effect::Dump],
        Action::ViewTranscript => editor::transcript(app),
        Action::EditDraft => editor::draft(app),
        Action::Blocks => reading::blocks(app),
        Action::FocusRight if children::is_rightmost(app) && job_list::enter(app) => vec![],
        Action::FocusLeft if job_list::is_marked(app) => reading::leave(app),
        Action::FocusUp if job_list::is_marked(app) => job_list::act(app, Action::Previous),
        Action::FocusDown if job_list::is_marked(app) => job_list::act(app, Action::Next),
        Action::StopJob if job_list::is_marked(app) => job_list::stop(app),
        Action::FocusUp if app.children.tiled.is_empty() => reading::blocks(app),
        Action::FocusDown if app.children.tiled.is_empty() => reading::leave(app),
        Action::Queue => queue::open(app),
        Action::SearchHistory => open::prompts(app),
        Action::Keys => keys::open(app),
        Action::Settings => settings::open_with(app, ""),
        Action::ToggleMouse => open::toggle_mouse(app),
        Action::Redraw => vec![Effect::Redraw],
        _ => {
            // Another conversation may have the keys then.
            reading::leave(app);
            children::act(app, action)
        }
    }
}

fn next_mode(app: &App) -> Effects {
    app.session.as_ref().map_or(vec![], |session| change(Command::SetMode { mode: session.mode.next() }))
}

fn scroll(app: &mut App, action: Action) -> Effects {
    let to = match action {
        Action::PageUp => Scroll::Pages(-1),
        Action::PageDown => Scroll::Pages(1),
        Action::ScrollUp => Scroll::Lines(-1),
        Action::ScrollDown => Scroll::Lines(1),
        Action::Top => Scroll::Top,
        Action::Bottom => Scroll::End,
        _ => return quietly(|| app.seen().toggle_last()),
    };
    quietly(|| app.seen().scroll(to))
}

fn in_picker(app: &mut App, action: Action) -> Effects {
    match action {
        Action::Accept => pick::accept(app),
        Action::Close => pick::close(app),
        Action::Next => pick::step(app, 1),
        Action::Previous => pick::step(app, -1),
        Action::NextPage => pick::step(app, 10),
        Action::PreviousPage => pick::step(app, -10),
        Action::First => pick::step(app, isize::MIN / 2),
        Action::Last => pick::step(app, isize::MAX / 2),
        Action::Switch | Action::Reload | Action::CopyPath => extensions::act(app, action),
        Action::Delete if app.open.picker.as_ref().is_some_and(|p| matches!(p.kind, Kind::Jobs)) => {
            children::stop_picked(app)
        }
        Action::Delete if app.open.picker.as_ref().is_some_and(|p| matches!(p.kind, Kind::Queue)) => {
            queue::discard(app)
        }
        Action::Delete if app.open.picker.as_ref().is_some_and(|p| matches!(p.kind, Kind::Settings { .. })) => {
            settings::reset(app)
        }
        _ if app.open.picker.as_ref().is_some_and(|p| p.tree().is_some()) => tree::act(app, action),
        _ => sessions::act(app, action),
    }
}
