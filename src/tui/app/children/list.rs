//! Which jobs are listed beside the transcript, in which order, and how much room the list has.

use super::Children;
use crate::backend::JobView;
use crate::tui::app::App;
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
    pub fn listed(&self) -> Vec<Row> {
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
        rows
    }

    /// The children of the list, in order.
    pub fn listed_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = vec![];
        for id in self.listed().into_iter().filter_map(|row| row.job.session_id.clone()) {
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

/// Columns of the list, the line beside it included; 0 where it is a line at the most.
pub fn pane_width(app: &App) -> u16 {
    if place(app) == Some(true) { (app.screen.size.width / 4).clamp(26, 40) } else { 0 }
}

/// Whether the list is a line under the transcript.
pub fn is_strip(app: &App) -> bool {
    place(app) == Some(false)
}
