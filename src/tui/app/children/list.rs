//! Which jobs are listed beside the transcript, in which order, and how much room the list has.

use super::Children;
use crate::backend::{JobState, JobView};
use crate::tui::app::App;
use crate::tui::app::reading::Reading;
use std::ops::Range;
use std::sync::Arc;

/// Columns of the screen from which on there is room for the list beside the transcript.
const WIDE: u16 = 80;
/// The same beside tiles, which have heads of their own.
const WIDE_BESIDE_TILES: u16 = 110;

/// A job of the list.
#[derive(Debug, Clone)]
pub struct Row {
    pub job: Arc<JobView>,
    /// How many jobs stand above it in the tree.
    pub depth: usize,
}

impl Children {
    /// Those that go on, and those that have ended since the turn began; below each job what it has started. A child that
    /// was resumed stands where it stood.
    pub fn listed(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn list_anew(&mut self) {
        let mut jobs: Vec<&Arc<JobView>> = self.jobs.iter().filter(|job| !self.past.contains(&job.id)).collect();
        // Ids grow with time.
        jobs.sort_by(|a, b| a.id.cmp(&b.id));
        let known = |id: &str| jobs.iter().any(|job| job.id == id);
        let first = |job: &Arc<JobView>| {
            let same = |other: &&&Arc<JobView>| job.session_id.is_some() && other.session_id == job.session_id;
            jobs.iter().find(same).is_none_or(|earliest| earliest.id == job.id)
        };
        let mut rows = Vec::with_capacity(jobs.len());
        for top in jobs.iter().filter(|job| first(job) && !job.parent.as_deref().is_some_and(known)) {
            family(top, 0, &jobs, &mut rows);
        }
        for row in &mut rows {
            if let Some(latest) = row.job.session_id.as_deref().and_then(|id| self.job_of(id)) {
                row.job = latest.clone();
            }
        }
        self.rows = rows;
    }

    /// The children of the list, in order.
    pub fn listed_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = vec![];
        for id in self.rows.iter().filter_map(|row| row.job.session_id.clone()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// Whether a running time is to be seen in the list.
    pub fn is_ticking(&self) -> bool {
        self.jobs.iter().any(|job| !job.state.is_over())
    }
}

/// The list as it is shown in so many lines.
pub struct Listing<'a> {
    /// Each with its number, in the order of the screen.
    pub rows: Vec<(usize, &'a Row)>,
    /// Lines of each.
    pub tall: usize,
    /// Those for which there is room.
    seen: Range<usize>,
}

impl<'a> Listing<'a> {
    pub fn shown(&self) -> impl Iterator<Item = (usize, &'a Row)> {
        self.rows[self.seen.clone()].iter().copied()
    }

    /// How many are not shown.
    pub fn left(&self) -> usize {
        self.rows.len() - self.seen.len()
    }

    /// The row on a line.
    pub fn at(&self, line: usize) -> Option<&'a Row> {
        self.shown().nth(line / self.tall).map(|(_, row)| row)
    }
}

impl Children {
    /// The list in `height` lines; the job with the id `marked` is among what is shown.
    pub fn listing(&self, height: usize, marked: Option<&str>) -> Listing<'_> {
        let (rows, tall) = fitting(self.rows.iter().enumerate().collect(), height);
        let room = if rows.len() * tall > height { height.saturating_sub(1) / tall } else { height / tall };
        let at = marked.and_then(|id| rows.iter().position(|(_, row)| row.job.id == id)).unwrap_or(0);
        let from = (at + 1).saturating_sub(room.max(1));
        let seen = from..(from + room).min(rows.len());
        Listing { rows, tall, seen }
    }
}

/// The rows in the order in which they are shown, and lines for each: where not all have two, what goes on comes first,
/// and where there is no room for that either each has one.
fn fitting(mut rows: Vec<(usize, &Row)>, height: usize) -> (Vec<(usize, &Row)>, usize) {
    if rows.len() * 2 <= height {
        return (rows, 2);
    }
    let going = rows.iter().filter(|(_, row)| !row.job.state.is_over()).count();
    rows.sort_by_key(|(n, row)| (urgency(row.job.state), *n));
    (rows, if going > 0 && going * 2 < height { 2 } else { 1 })
}

fn urgency(state: JobState) -> u8 {
    match state {
        JobState::Waiting => 0,
        JobState::Running => 1,
        JobState::Queued => 2,
        _ => 3,
    }
}

/// A job and those below it. Parents are older than what they start, so this ends.
fn family(job: &Arc<JobView>, depth: usize, jobs: &[&Arc<JobView>], rows: &mut Vec<Row>) {
    rows.push(Row { job: job.clone(), depth });
    for below in jobs.iter().filter(|j| j.parent.as_ref() == Some(&job.id)) {
        family(below, depth + 1, jobs, rows);
    }
}

/// Whether there is a list, and whether there is room for it beside the transcript.
fn place(app: &App) -> Option<bool> {
    let children = &app.children;
    let wanted = !children.hidden && !children.zoomed && !children.listed().is_empty();
    let wide = if children.tiled.is_empty() { WIDE } else { WIDE_BESIDE_TILES };
    wanted.then_some(app.screen.size.width >= wide)
}

impl App {
    /// The job that is marked in the list, while that has the keys; the first one where it is not listed any more.
    pub fn marked_job(&self) -> Option<&Arc<JobView>> {
        let Some(Reading::Jobs(id)) = &self.open.reading else { return None };
        let rows = self.children.listed();
        rows.iter().find(|row| row.job.id == *id).or(rows.first()).map(|row| &row.job)
    }
}

/// Columns of the list, the line beside it included; 0 where it is a line at the most.
pub fn pane_width(app: &App) -> u16 {
    if place(app) == Some(true) { (app.screen.size.width / 4).clamp(26, 40) } else { 0 }
}

/// Whether the list is a line under the transcript.
pub fn is_strip(app: &App) -> bool {
    place(app) == Some(false)
}
