//! The list of jobs beside the transcript, and its line on a narrow screen.

use super::pen::Pen;
use crate::backend::{Approval, JobState, JobView};
use crate::tui::app::App;
use crate::tui::app::areas::Areas;
use crate::tui::app::children::{Row, question_of};
use crate::tui::app::words::one_line;
use crate::tui::theme::Role;
use crate::util::text::{count, short_time};
use ratatui::layout::Rect;
use std::sync::Arc;

/// Columns of the list from which on it names models, and from which on it has costs.
const MODELS: usize = 27;
const COSTS: usize = 38;

pub fn draw(app: &App, areas: &Areas, pen: &mut Pen) {
    if !areas.jobs.is_empty() {
        pane(app, areas.jobs, pen);
    }
    if !areas.strip.is_empty() {
        strip(app, areas.strip, pen);
    }
}

fn pane(app: &App, area: Rect, pen: &mut Pen) {
    let line = pen.row(&[(pen.lines()[5], Role::Border)]);
    (0..area.height).for_each(|y| pen.paint(area, usize::from(y), &line));
    let inside = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), ..area };
    let height = usize::from(inside.height);
    let marked = app.marked_job().map(|job| job.id.as_str());
    let listing = app.children.listing(height, marked);
    for (at, (n, row)) in listing.shown().enumerate() {
        let line = at * listing.tall;
        head(app, n, row, inside, line, pen);
        if listing.tall > 1 {
            activity(app, row, inside, line + 1, pen);
        }
        if marked == Some(row.job.id.as_str()) {
            (line..line + listing.tall).for_each(|line| pen.highlight(inside, line, Role::Selection));
        }
    }
    if listing.left() > 0 {
        pen.words(inside, height - 1, &[(&format!("{} more: /jobs", listing.left()), Role::Dim)]);
    }
}

/// `1 ● explore   sonnet 12s 3.1k`.
fn head(app: &App, n: usize, row: &Row, area: Rect, line: usize, pen: &mut Pen) {
    let job = &row.job;
    let (sign, role) = sign(job, asks(app, job).is_some());
    let width = usize::from(area.width);
    let figures = figures(app, job, width);
    let number = if n < 9 { (n + 1).to_string() } else { " ".into() };
    let indent = "  ".repeat(row.depth.min(4));
    let focused = app.children.focus.is_some() && app.children.focus == job.session_id;
    let name = if focused { Role::Accent } else { Role::Text };
    let parts = [(number.as_str(), Role::Dim), (" ", Role::Text), (indent.as_str(), Role::Text), (sign, role)];
    let mut left = pen.row(&parts);
    left.push(&format!(" {}", one_line(&job.name)), pen.style(name));
    let left = pen.fit(left, width.saturating_sub(pen.width(&figures) + 1));
    pen.paint(area, line, &left);
    let column = width.saturating_sub(pen.width(&figures));
    let figures = pen.row(&[(&figures, Role::Dim)]);
    pen.paint_at(area, u16::try_from(column).unwrap_or(0), line, &figures);
}

/// What it is doing, what it asks, or why it failed.
fn activity(app: &App, row: &Row, area: Rect, line: usize, pen: &mut Pen) {
    let indent = " ".repeat(4 + 2 * row.depth.min(4));
    let (words, role) = doing(app, &row.job);
    pen.words(area, line, &[(&indent, Role::Text), (&words, role)]);
}

fn asks<'a>(app: &'a App, job: &JobView) -> Option<&'a Approval> {
    question_of(job, app.session.as_ref().map(|s| s.approvals.as_slice()).unwrap_or_default())
}

pub fn doing(app: &App, job: &Arc<JobView>) -> (String, Role) {
    if let Some(approval) = asks(app, job) {
        let what = approval.command.as_deref().unwrap_or(&approval.reason);
        return (format!("asks: {}", one_line(what)), Role::Warning);
    }
    match (job.state, job.error.as_deref(), job.progress.as_deref()) {
        (JobState::Failed | JobState::Limit, Some(error), _) => (one_line(error), Role::Error),
        (state, _, Some(progress)) if !state.is_over() => (one_line(progress), Role::Dim),
        (state, ..) => (state.name().into(), Role::Dim),
    }
}

pub fn sign(job: &JobView, asks: bool) -> (&'static str, Role) {
    match job.state {
        _ if asks => ("⚠", Role::Warning),
        JobState::Waiting => ("⚠", Role::Warning),
        JobState::Queued => ("○", Role::Dim),
        JobState::Running => ("●", Role::Accent),
        JobState::Completed => ("✓", Role::Success),
        JobState::Limit => ("✗", Role::Warning),
        JobState::Failed => ("✗", Role::Error),
        JobState::Cancelled => ("■", Role::Dim),
    }
}

/// Model, time, tokens and cost, as far as there is room.
pub fn figures(app: &App, job: &JobView, width: usize) -> String {
    let model = job.model.as_deref().map(|model| model.split_once(':').map_or(model, |(_, name)| name));
    let mut parts: Vec<String> = vec![];
    parts.extend(model.filter(|_| width >= MODELS).map(|name| name.chars().take(12).collect()));
    if job.state != JobState::Queued {
        parts.push(short_time(app.children.took(job, app.screen.now)));
    }
    let usage = &job.usage;
    if !usage.is_empty() {
        parts.push(count(usage.tokens()));
    }
    parts.extend(usage.cost.filter(|_| width >= COSTS).map(|cost| format!("${cost:.2}")));
    one_line(&parts.join(" "))
}

/// `● 2 running · ⚠ kid B asks: rm -r x · ✓ 1`.
fn strip(app: &App, area: Rect, pen: &mut Pen) {
    let rows = app.children.listed();
    let mut parts: Vec<(String, Role)> = vec![];
    if let Some(job) = rows.iter().map(|row| &row.job).find(|job| asks(app, job).is_some()) {
        parts.push((format!("⚠ {} {}  ", one_line(&job.name), doing(app, job).0), Role::Warning));
    }
    let count = |states: &[JobState]| rows.iter().filter(|row| states.contains(&row.job.state)).count();
    let running = count(&[JobState::Running, JobState::Waiting]);
    let failed = count(&[JobState::Failed, JobState::Limit, JobState::Cancelled]);
    for (n, sign, word, role) in [
        (running, "●", " running", Role::Accent),
        (count(&[JobState::Queued]), "○", " queued", Role::Dim),
        (count(&[JobState::Completed]), "✓", "", Role::Success),
        (failed, "✗", "", Role::Error),
    ] {
        if n > 0 {
            parts.push((format!("{sign} {n}{word}  "), role));
        }
    }
    let parts: Vec<_> = parts.iter().map(|(words, role)| (words.as_str(), *role)).collect();
    pen.words(area, 0, &parts);
}
