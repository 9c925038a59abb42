//! The extensions picker: switch one on or off, run it anew, copy where it lies.

use super::quietly;
use crate::backend::{Command, ExtensionList, ExtensionState, ExtensionStatus, Level};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::picker::{Kind, Picker, item};
use crate::tui::effect::{Effect, Effects, Purpose};
use std::sync::Arc;

pub fn open(app: &mut App) -> Effects {
    app.open.completion = None;
    app.open.picker = Some(Picker::loading(Kind::Extensions { memory: 0 }));
    list()
}

fn list() -> Effects {
    vec![Effect::Send(Command::ListExtensions, Purpose::Extensions)]
}

/// The rows have come.
pub fn came(app: &mut App, list: ExtensionList) {
    let refused: Vec<_> = super::keys::refused(app).collect();
    let Some(picker) = app.open.picker.as_mut().filter(|p| matches!(p.kind, Kind::Extensions { .. })) else { return };
    picker.kind = Kind::Extensions { memory: list.memory };
    picker.fill(list.extensions.into_iter().map(item).chain(refused).collect());
}

/// What a reload or a switch did; an open picker shows it.
pub fn told(app: &mut App, text: String) -> Effects {
    app.say(Level::Info, text);
    match app.open.picker.as_ref().is_some_and(|p| matches!(p.kind, Kind::Extensions { .. })) {
        true => list(),
        false => vec![],
    }
}

pub fn act(app: &mut App, action: Action) -> Effects {
    let marked = app.open.picker.as_ref().and_then(|p| p.extension().cloned());
    let Some(extension) = marked else { return vec![] };
    match action {
        Action::Switch => switch(app, &extension),
        Action::Reload => reload(app, &extension),
        Action::CopyPath => copy(app, &extension),
        _ => vec![],
    }
}

fn switch(app: &mut App, extension: &Arc<ExtensionState>) -> Effects {
    let on = match extension.status {
        _ if extension.file.is_none() => {
            return quietly(|| app.say(Level::Warning, "what ships can't be switched off"));
        }
        ExtensionStatus::Untrusted => {
            return quietly(|| app.say(Level::Warning, "the folder is not trusted: /trust asks again"));
        }
        ExtensionStatus::Disabled => true,
        ExtensionStatus::Loaded | ExtensionStatus::Failed => false,
    };
    vec![Effect::Send(Command::EnableExtension { name: extension.name.clone(), on }, Purpose::Told)]
}

fn reload(app: &mut App, extension: &Arc<ExtensionState>) -> Effects {
    if extension.file.is_none() {
        return quietly(|| app.say(Level::Warning, "what ships is not loaded anew"));
    }
    vec![Effect::Send(Command::Reload { name: Some(extension.name.clone()) }, Purpose::Told)]
}

fn copy(app: &mut App, extension: &Arc<ExtensionState>) -> Effects {
    let Some(file) = &extension.file else { return vec![] };
    let path = file.display().to_string();
    app.say(Level::Info, format!("copied {path}"));
    vec![Effect::Copy(path)]
}
