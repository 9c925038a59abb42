//! What has the keys besides the editor: the transcript, in which one searches or goes from block to block, or the list of
//! jobs.

use super::App;
use super::line::Line;
use super::transcript::Tally;

#[derive(Debug)]
pub enum Reading {
    Search(Line),
    Blocks,
    /// The list of jobs, with the id of the marked one.
    Jobs(String),
}

impl App {
    /// How the search stands: `3 of 17`.
    pub fn tally(&self) -> String {
        let pane = self.seen_now();
        match (pane.query(), pane.tally()) {
            (None, _) => String::new(),
            (_, Tally { total: 0, complete: true, .. }) => "nothing found".into(),
            (_, Tally { total: 0, .. }) => "searching …".into(),
            // Until all is counted nobody knows how many come before.
            (_, Tally { total, complete: false, .. }) => format!("{total} so far …"),
            (_, Tally { number, total, .. }) => format!("{number} of {total}"),
        }
    }
}
