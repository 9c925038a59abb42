//! What the backend tells.

use super::{children, complete, keys, open, queue, quietly, turn};
use crate::backend::{Ask, Event, Level, Notice, Session, ThemeDecl};
use crate::tui::app::App;
use crate::tui::app::dialog::{Dialog, Subject};
use crate::tui::app::editor::Draft;
use crate::tui::effect::{Effect, Effects};
use std::sync::Arc;
use std::time::Instant;

pub fn take(app: &mut App, event: Event, now: Instant) -> Effects {
    app.transcript.apply(&event);
    match event {
        Event::SessionOpened(session) => opened(app, &session, now),
        Event::SessionChanged(session) | Event::SessionBranched { session, .. } => changed(app, &session, now),
        Event::ApprovalRequested(approval) => quietly(|| app.open.dialogs.push_back(Dialog::approval(&approval))),
        Event::ApprovalClosed { approval_id } => quietly(|| close_approval(app, &approval_id)),
        Event::Asked(ask) => quietly(|| put(app, &ask)),
        Event::AskClosed { ask_id } => quietly(|| app.open.dialogs.retain(|d| !is_ask(d, &ask_id))),
        Event::PaneOpened(pane) => open::pane(app, pane),
        Event::Copied { text } => vec![Effect::Copy(text)],
        Event::KeyBindings(bindings) => quietly(|| keys::bound(app, &bindings)),
        Event::Themes(themes) => quietly(|| came(app, &themes)),
        Event::Commands(commands) => {
            app.offers.commands = commands;
            complete::commands_came(app)
        }
        Event::TrustAsked(question) => quietly(|| {
            app.open.dialogs.push_back(Dialog::trust(&question));
            app.offers.trust = Some(question);
        }),
        // One that was left for another is closed as well; that needs no words.
        Event::SessionClosed { reason, .. } if reason == "closed" => vec![],
        Event::SessionClosed { reason, .. } => {
            quietly(|| app.say(Level::Warning, format!("the session was closed: {reason}")))
        }
        Event::Restart => vec![Effect::Quit(crate::tui::RESTART)],
        Event::Closed => vec![Effect::Quit(1)],
        Event::ChildOpened(child) => quietly(|| children::transcript_came(app, &child)),
        Event::Child { child_id, event } => quietly(|| children::told(app, &child_id, &event)),
        Event::JobStarted(job) | Event::JobUpdated(job) | Event::JobFinished(job) => quietly(|| app.children.put(job)),
        Event::ItemStarted(_)
        | Event::AssistantDelta(_)
        | Event::ItemUpdated { .. }
        | Event::ItemFinished(_)
        | Event::ItemRemoved { .. }
        | Event::ItemRendered { .. }
        | Event::Notice(_)
        | Event::TurnEnded { .. } => vec![],
    }
}

fn opened(app: &mut App, session: &Session, now: Instant) -> Effects {
    app.open.dialogs.retain(|d| !matches!(d.subject, Subject::Approval(_)));
    app.open.dialogs.extend(session.approvals.iter().map(Dialog::approval));
    app.open.dialogs.retain(|d| !matches!(&d.subject, Subject::Ask(a) if session.asks.iter().all(|b| b.id != a.id)));
    session.asks.iter().for_each(|ask| put(app, ask));
    let mut effects = vec![Effect::ReadBranch(session.cwd.clone())];
    effects.extend(children::opened(app, session));
    keep(app, session, now);
    let why = std::mem::take(&mut app.open.read_only);
    if session.read_only {
        app.say(Level::Info, why.words());
    }
    effects.extend(start(app));
    effects
}

/// The first session is there: what was wrong at the start is said, and the prompt of the command line is sent, unless a
/// choice is to be made first.
fn start(app: &mut App) -> Effects {
    let undecided = app.open.dialogs.iter().any(|d| matches!(d.subject, Subject::Locked { opening: true, .. }));
    let Some(waiting) = &mut app.start else { return vec![] };
    let notices = std::mem::take(&mut waiting.notices);
    let prompt = if undecided { None } else { app.start.take().and_then(|s| s.prompt) };
    for notice in notices {
        app.transcript.apply(&Event::Notice(notice));
    }
    match prompt.filter(|p| !p.trim().is_empty()) {
        Some(prompt) => {
            app.history.add(&prompt);
            app.screen.spoken = true;
            let mut effects = vec![Effect::Remember(prompt.clone())];
            effects.extend(turn::prompt(Draft::of_text(prompt), false));
            effects
        }
        None => vec![],
    }
}

fn changed(app: &mut App, session: &Arc<Session>, now: Instant) -> Effects {
    let was_running = app.is_running();
    keep(app, session, now);
    app.children.set_jobs(&session.jobs);
    queue::changed(app);
    if app.is_running() && !was_running {
        app.children.forget_past();
    }
    match was_running && !app.is_running() {
        true => {
            app.open.hint.take_if(|hint| hint.text.starts_with(turn::DURING_A_TURN));
            vec![Effect::ReadBranch(session.cwd.clone())]
        }
        false => vec![],
    }
}

fn keep(app: &mut App, session: &Session, now: Instant) {
    let mut session = session.clone();
    session.transcript = vec![];
    let since = session.busy_since;
    app.session = Some(Arc::new(session));
    match app.is_running() {
        true => app.screen.busy_since = since.or(app.screen.busy_since).or(Some(now)),
        false => app.screen.busy_since = None,
    }
}

fn close_approval(app: &mut App, id: &str) {
    let first =
        |app: &App| app.open.dialogs.front().is_some_and(|d| matches!(&d.subject, Subject::Approval(a) if a.id == id));
    if first(app) {
        app.open.aside = false;
    }
    app.open.dialogs.retain(|d| !matches!(&d.subject, Subject::Approval(a) if a.id == id));
}

/// A question of an extension goes to the end of the queue, unless it is there already.
fn put(app: &mut App, ask: &Arc<Ask>) {
    if !app.open.dialogs.iter().any(|d| is_ask(d, &ask.id)) {
        app.open.dialogs.push_back(Dialog::ask(ask, app.screen.ambiguous));
    }
}

fn is_ask(dialog: &Dialog, id: &str) -> bool {
    matches!(&dialog.subject, Subject::Ask(ask) if ask.id == id)
}

/// Extensions bring themes: one that was chosen and not there is worn now.
fn came(app: &mut App, themes: &[ThemeDecl]) {
    if let Some(error) = app.look.bring(themes) {
        let notice = Notice { level: Level::Warning, text: error.to_string() };
        app.transcript.apply(&Event::Notice(notice));
    }
}
