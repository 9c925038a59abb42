//! The list of jobs beside the transcript has the keys, or is clicked: a row is marked, opened, stopped.

use super::{children, quietly, reading};
use crate::backend::{Command, JobView, Level};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::areas::Areas;
use crate::tui::app::reading::Reading;
use crate::tui::effect::{Effects, change};
use std::sync::Arc;

/// The keys go to the list; false where none is to be seen. The job of the agent that has the keys is marked.
pub fn enter(app: &mut App) -> bool {
    let Areas { jobs, strip, .. } = Areas::of(app);
    if is_marked(app) || (jobs.is_empty() && strip.is_empty()) {
        return false;
    }
    reading::leave(app);
    app.open.completion = None;
    let focus = app.children.focus.as_deref().and_then(|id| app.children.job_of(id));
    let listing = app.children.listing(usize::from(jobs.height), None);
    let Some(job) = focus.or(listing.rows.first().map(|(_, row)| &row.job)) else { return false };
    app.open.reading = Some(Reading::Jobs(job.id.clone()));
    true
}

/// Whether the list has the keys.
pub fn is_marked(app: &App) -> bool {
    matches!(app.open.reading, Some(Reading::Jobs(_)))
}

pub fn act(app: &mut App, action: Action) -> Effects {
    match action {
        Action::Next => step(app, 1),
        Action::Previous => step(app, -1),
        Action::First => step(app, isize::MIN / 2),
        Action::Last => step(app, isize::MAX / 2),
        Action::Accept => match app.marked_job().cloned() {
            Some(job) => open(app, &job),
            None => reading::leave(app),
        },
        _ => vec![],
    }
}

/// Marks another one, in the order of the screen.
fn step(app: &mut App, by: isize) -> Effects {
    let Some(marked) = app.marked_job() else { return reading::leave(app) };
    let height = usize::from(Areas::of(app).jobs.height);
    let rows = app.children.listing(height, None).rows;
    let at = rows.iter().position(|(_, row)| row.job.id == marked.id).unwrap_or(0);
    let to = at.saturating_add_signed(by).min(rows.len().saturating_sub(1));
    let id = rows.get(to).map(|(_, row)| row.job.id.clone());
    quietly(|| app.open.reading = id.map(Reading::Jobs))
}

fn open(app: &mut App, job: &JobView) -> Effects {
    reading::leave(app);
    children::open_job(app, job)
}

/// Stops the marked one.
pub fn stop(app: &mut App) -> Effects {
    match app.marked_job().filter(|job| !job.state.is_over()) {
        Some(job) => change(Command::StopJob { job_id: job.id.clone() }),
        None => quietly(|| app.say(Level::Info, "it has ended already")),
    }
}

/// A click on a line of the list opens its row; on the line that says how many more there are it lists all.
pub fn click(app: &mut App, line: usize) -> Effects {
    let height = usize::from(Areas::of(app).jobs.height);
    let listing = app.children.listing(height, app.marked_job().map(|job| job.id.as_str()));
    let clicked: Option<Arc<JobView>> = listing.at(line).map(|row| row.job.clone());
    match clicked {
        Some(job) => open(app, &job),
        None if listing.left() > 0 && line + 1 == height => children::jobs(app),
        None => vec![],
    }
}
