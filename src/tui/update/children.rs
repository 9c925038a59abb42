//! Looking into the agents that the session has started, side by side or one at a time, and talking to them.

use super::quietly;
use crate::backend::{ChildTranscript, Command, Event, JobKind, JobState, JobView, Level, Session};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::areas::Areas;
use crate::tui::app::children::{MOST, Tile, shown};
use crate::tui::app::editor::Draft;
use crate::tui::app::picker::{Item, Kind, Pick, Picker};
use crate::tui::app::words::one_line;
use crate::tui::effect::{Effect, Effects, Purpose, change};
use ratatui::layout::Rect;
use std::sync::Arc;

const NOBODY: &str = "no agent is open: Ctrl-X 1 opens the first, /jobs lists all";

pub fn act(app: &mut App, action: Action) -> Effects {
    match action {
        Action::ToggleJobs => quietly(|| app.children.hidden = !app.children.hidden),
        Action::Job1 => nth(app, 1),
        Action::Job2 => nth(app, 2),
        Action::Job3 => nth(app, 3),
        Action::Job4 => nth(app, 4),
        Action::Job5 => nth(app, 5),
        Action::Job6 => nth(app, 6),
        Action::Job7 => nth(app, 7),
        Action::Job8 => nth(app, 8),
        Action::Job9 => nth(app, 9),
        Action::FocusLeft => focus(app, -1, 0),
        Action::FocusRight => focus(app, 1, 0),
        Action::FocusUp => focus(app, 0, -1),
        Action::FocusDown => focus(app, 0, 1),
        Action::Zoom => quietly(|| app.children.zoomed = !app.children.zoomed),
        Action::StopJob => stop(app),
        Action::StopAllJobs => stop_all(app),
        Action::Tile => tile(app),
        Action::NextConversation => step(app, 1),
        Action::PreviousConversation => step(app, -1),
        Action::Jobs => jobs(app),
        _ => vec![],
    }
}

/// A session is there: what was open of it is asked for anew, what was of another is closed.
pub fn opened(app: &mut App, session: &Session) -> Effects {
    let same = app.session.as_ref().is_some_and(|before| before.id == session.id);
    if !same {
        app.children.clear();
    }
    app.children.set_jobs(&session.jobs);
    app.children.forget_past();
    app.children.open_ids().into_iter().flat_map(watch).collect()
}

fn watch(child_id: String) -> Effects {
    vec![Effect::Send(Command::WatchChild { child_id: child_id.clone(), face: None }, Purpose::Watch(child_id))]
}

pub fn transcript_came(app: &mut App, child: &ChildTranscript) {
    let failed = |job: &&Arc<JobView>| matches!(job.state, JobState::Failed | JobState::Limit);
    let error = app.children.job_of(&child.child_id).filter(failed).and_then(|job| job.error.clone());
    let Some(open) = app.children.child_mut(&child.child_id) else { return };
    open.loading = false;
    open.transcript.show(&child.items);
    if child.left_out > 0 {
        open.transcript.push_note("info", &format!("{} older items are in its file", child.left_out));
    }
    // Its file knows what was said, and not why it ended.
    if let Some(error) = error {
        open.transcript.push_note("error", &error);
    }
}

pub fn told(app: &mut App, child_id: &str, event: &Event) {
    if let Some(child) = app.children.child_mut(child_id) {
        child.transcript.apply(event);
    }
}

/// It cannot be looked into.
pub fn not_watched(app: &mut App, child_id: &str, why: String) {
    app.children.close(child_id);
    app.say(Level::Warning, why);
}

/// Looks into a child; where it is one of the tiles it has the keys.
pub fn open(app: &mut App, child_id: &str, name: &str) -> Effects {
    app.open.completion = None;
    let effects = look_into(app, child_id, name);
    let children = &mut app.children;
    if !children.tiled.iter().any(|tile| tile == child_id) {
        children.tiled.clear();
        children.zoomed = false;
    }
    children.focus = Some(child_id.to_owned());
    effects
}

fn look_into(app: &mut App, child_id: &str, name: &str) -> Effects {
    let (new, closed) = app.children.look_into(child_id, name, &app.transcript);
    let mut effects = if new { watch(child_id.to_owned()) } else { vec![] };
    let unwatch = |child_id| change(Command::UnwatchChild { child_id, face: None });
    effects.extend(closed.into_iter().flat_map(unwatch));
    effects
}

pub fn open_job(app: &mut App, job: &JobView) -> Effects {
    match job.session_id.clone() {
        Some(id) => open(app, &id, &job.name),
        None => quietly(|| app.say(Level::Info, "that is work of an extension: there is no conversation to open")),
    }
}

fn nth(app: &mut App, n: usize) -> Effects {
    match app.children.listed().get(n - 1).map(|row| row.job.clone()) {
        Some(job) => open_job(app, &job),
        None => quietly(|| app.say(Level::Info, format!("there is no job {n}"))),
    }
}

/// The asker of a question, to be seen before it is answered; the question waits aside.
pub fn open_asker(app: &mut App, job_id: Option<&str>) -> Effects {
    let job = job_id.and_then(|id| app.children.jobs().iter().find(|job| job.id == id)).cloned();
    match job {
        Some(job) if job.session_id.is_some() => {
            app.open.aside = true;
            open_job(app, &job)
        }
        _ => quietly(|| app.say(Level::Info, "this session asks")),
    }
}

/// Esc: back to a question that was put aside, else to the session; false where neither is away.
pub fn back(app: &mut App) -> bool {
    let away = app.open.aside || app.children.focus.is_some();
    app.open.aside = false;
    app.children.back();
    away
}

/// Previous and next of: the session, then the children.
fn step(app: &mut App, by: isize) -> Effects {
    let mut ids = app.children.listed_ids();
    let more: Vec<_> = app.children.open_ids().into_iter().filter(|id| !ids.contains(id)).collect();
    ids.extend(more);
    let at = app.children.focus.as_ref().and_then(|focus| ids.iter().position(|id| id == focus));
    let at = at.map_or(0, |at| at + 1) as isize;
    match (at + by).rem_euclid(ids.len() as isize + 1) as usize {
        0 => quietly(|| app.children.back()),
        n => {
            let id = ids[n - 1].clone();
            let name = app.children.name_of(&id).to_owned();
            open(app, &id, &name)
        }
    }
}

/// To the tile that lies in a direction; without tiles to the conversation before or after.
fn focus(app: &mut App, across: i32, down: i32) -> Effects {
    if app.children.tiled.is_empty() {
        return step(app, (across + down) as isize);
    }
    app.children.zoomed = false;
    let tiles = shown(app, Areas::of(app).transcript);
    let here = tiles.iter().find(|tile| tile.child == app.children.focus).map(|tile| centre(tile.body));
    let Some(here) = here else { return vec![] };
    let ahead = |tile: &&Tile| {
        let (x, y) = centre(tile.body);
        (x - here.0) * across + (y - here.1) * down > 0
    };
    let far = |tile: &&Tile| {
        let (x, y) = centre(tile.body);
        (x - here.0).abs() * (1 + 3 * down.abs()) + (y - here.1).abs() * (1 + 3 * across.abs())
    };
    if let Some(next) = tiles.iter().filter(ahead).min_by_key(far) {
        app.children.focus.clone_from(&next.child);
    }
    vec![]
}

/// Whether nothing lies to the right of what has the keys but the list.
pub fn is_rightmost(app: &App) -> bool {
    let tiles = shown(app, Areas::of(app).transcript);
    let right = |tile: &Tile| centre(tile.body).0;
    let here = tiles.iter().find(|tile| tile.child == app.children.focus).map(right);
    !app.children.zoomed && tiles.iter().all(|tile| here.is_none_or(|here| right(tile) <= here))
}

fn centre(area: Rect) -> (i32, i32) {
    (i32::from(area.x) * 2 + i32::from(area.width), i32::from(area.y) * 2 + i32::from(area.height))
}

/// Up to four children side by side, those that go on before the others; once more: one again.
fn tile(app: &mut App) -> Effects {
    if !app.children.tiled.is_empty() {
        return quietly(|| {
            app.children.tiled.clear();
            app.children.zoomed = false;
        });
    }
    let (goes_on, over): (Vec<_>, Vec<_>) = app
        .children
        .listed_ids()
        .into_iter()
        .partition(|id| app.children.job_of(id).is_some_and(|job| !job.state.is_over()));
    let focus = app.children.focus.clone();
    let mut ids: Vec<String> = focus.clone().into_iter().chain(goes_on).chain(over).collect();
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    ids.truncate(MOST);
    // In the order of the list, wherever the one in focus stands.
    let order = app.children.listed_ids();
    ids.sort_by_key(|id| order.iter().position(|other| other == id));
    let Some(first) = ids.first().cloned() else {
        return quietly(|| app.say(Level::Info, "there are no agents to put side by side"));
    };
    let mut effects = vec![];
    for id in &ids {
        let name = app.children.name_of(id).to_owned();
        effects.extend(look_into(app, id, &name));
    }
    app.children.zoomed = false;
    app.children.focus = focus.or(Some(first));
    app.children.tiled = ids;
    effects
}

fn stop(app: &mut App) -> Effects {
    let Some(focus) = app.children.focus.clone() else { return quietly(|| app.say(Level::Info, NOBODY)) };
    match app.children.job_of(&focus).filter(|job| !job.state.is_over()).map(|job| job.id.clone()) {
        Some(job_id) => change(Command::StopJob { job_id }),
        None => quietly(|| app.say(Level::Info, "it has ended already; what you type resumes it")),
    }
}

fn stop_all(app: &mut App) -> Effects {
    match running(app) {
        0 => quietly(|| app.say(Level::Info, "nothing runs beside the turn")),
        _ => change(Command::StopAllJobs),
    }
}

/// How many jobs go on.
fn running(app: &App) -> usize {
    app.children.jobs().iter().filter(|job| !job.state.is_over()).count()
}

/// Stops the job that is marked in the list of all.
pub fn stop_picked(app: &mut App) -> Effects {
    match app.open.picker.as_ref().and_then(|picker| picker.list.selected_pick()) {
        Some(Pick::Job(job)) if !job.state.is_over() => change(Command::StopJob { job_id: job.id.clone() }),
        _ => quietly(|| app.say(Level::Info, "it has ended already")),
    }
}

/// Says the draft to the child that has the keys.
pub fn tell(app: &mut App, child_id: String, draft: Draft) -> Effects {
    if app.children.job_of(&child_id).is_some_and(|job| !job.state.is_over()) {
        let name = one_line(app.children.name_of(&child_id));
        app.say(Level::Info, format!("{name} is told before its next request"));
    }
    let command = Command::TellChild { child_id, text: draft.expanded() };
    vec![Effect::Send(command, Purpose::Line(draft))]
}

/// All jobs of the run, and agents of earlier ones.
pub fn jobs(app: &mut App) -> Effects {
    app.open.completion = None;
    let mut jobs = app.children.jobs().to_vec();
    // The newest first: ids grow with time.
    jobs.sort_by(|a, b| b.id.cmp(&a.id));
    let mut items: Vec<_> = jobs.iter().map(item).collect();
    if let n @ 2.. = running(app) {
        items.push(Item::new(Pick::Action(Action::StopAllJobs), "stop all", format!("{n} that run")));
    }
    app.open.picker = Some(Picker { loading: true, ..Picker::new(Kind::Jobs, items) });
    vec![Effect::Send(Command::ListChildren { path: None }, Purpose::EarlierChildren)]
}

fn item(job: &Arc<JobView>) -> Item<Pick> {
    let model = job.model.as_deref().map(|model| format!(" · {model}")).unwrap_or_default();
    // What an agent did last says nothing of one that has ended.
    let progress = job.progress.as_deref().filter(|_| job.kind == JobKind::Task || !job.state.is_over());
    let more = job.error.as_deref().or(progress).map(|words| format!(" · {}", one_line(words)));
    let kind = if job.kind == JobKind::Task { " · work of an extension" } else { "" };
    let detail = format!("{}{kind}{model}{}", job.state.name(), more.unwrap_or_default());
    Item::new(Pick::Job(job.clone()), one_line(&job.name), detail)
}

/// Agents of earlier runs, below the jobs of this one.
pub fn earlier_came(app: &mut App, rows: Vec<crate::backend::SessionSummary>) {
    let known = |id: &str| app.children.job_of(id).is_some();
    let fresh: Vec<Item<Pick>> = rows
        .into_iter()
        .rev()
        .filter(|row| !known(&row.id))
        .map(|row| {
            let name = row.name.clone().or(row.first_prompt.clone()).unwrap_or_else(|| row.id.clone());
            let name = one_line(&name);
            let detail = format!("of an earlier run · {}", row.model.as_deref().unwrap_or("no model"));
            Item::new(Pick::Child { id: row.id, name: name.clone() }, name, detail)
        })
        .collect();
    let Some(picker) = app.open.picker.as_mut().filter(|picker| matches!(picker.kind, Kind::Jobs)) else { return };
    let items = picker.list.items().iter().cloned().chain(fresh).collect();
    picker.fill(items);
}
