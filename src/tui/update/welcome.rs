//! The first run: a key, a server of this machine, or the demo. However it is answered, it is asked once.

use super::{login, quietly, settings};
use crate::backend::{Command, ModelListing};
use crate::tui::app::App;
use crate::tui::app::dialog::{Dialog, Subject, Verdict};
use crate::tui::app::picker::{Item, Kind, Pick, Picker};
use crate::tui::app::welcome::LocalServer;
use crate::tui::effect::{Effect, Effects, Purpose};
use std::sync::Arc;

/// A prompt of the command line becomes the draft: who is to answer it is not known yet.
pub fn begin(app: &mut App) -> Effects {
    if let Some(prompt) = app.start.as_mut().and_then(|start| start.prompt.take()) {
        app.editor.set_text(&prompt);
    }
    look(app)
}

fn look(app: &mut App) -> Effects {
    app.open.dialogs.push_front(Dialog::welcome(None));
    vec![Effect::Send(Command::FindModels, Purpose::Servers)]
}

/// The servers have answered, or not. What was marked stays so.
pub fn servers_came(app: &mut App, models: &[ModelListing]) {
    let asks = |dialog: &&mut Dialog| matches!(dialog.subject, Subject::Welcome(_));
    let Some(dialog) = app.open.dialogs.iter_mut().find(asks) else { return };
    let marked = dialog.marked_verdict();
    let mut found = Dialog::welcome(Some(&LocalServer::among(models)));
    found.marked = found.choices.iter().position(|choice| choice.verdict == marked).unwrap_or_default();
    *dialog = found;
}

pub fn answer(app: &mut App, servers: &Arc<[LocalServer]>, verdict: Verdict) -> Effects {
    let mut effects = match verdict {
        Verdict::LookForServers => return look(app),
        Verdict::LogIn => login::begin(app, ""),
        Verdict::UseServer(n) => servers.get(n).map(|server| use_server(app, server)).unwrap_or_default(),
        _ => vec![],
    };
    effects.push(Effect::Welcomed);
    effects
}

/// Its model answers from now on, also in later runs; of several the user chooses.
fn use_server(app: &mut App, server: &LocalServer) -> Effects {
    match server.models.as_slice() {
        [only] => settings::default_model(only),
        models => {
            let item = |model: &String| Item::new(Pick::DefaultModel(model.clone()), model, "");
            quietly(|| app.open.picker = Some(Picker::new(Kind::Models, models.iter().map(item).collect())))
        }
    }
}
