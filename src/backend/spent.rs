//! What the session has cost with the agents that it has started: a sum that all of them write into as they go.
//!
//! Files of agents of earlier runs are read aside when the session is opened, and what they say is added when it is known.

use super::runtime::{News, Runtime};
use crate::agent::Ledger;
use crate::conversation::Usage;
use crate::session;
use std::{fs, path::Path};

impl Runtime {
    /// The session that is open now has a sum of its own.
    pub fn count_anew(&mut self) {
        let ledger = Ledger::new(self.open.state.usage.cost.unwrap_or(0.0));
        self.shared.crew.open_ledger(ledger.clone());
        let Some(folder) = self.open.log.path().map(|path| path.with_extension("")) else { return };
        let news = self.news.clone();
        tokio::task::spawn_blocking(move || {
            let paid = of_agents(&folder);
            if paid > 0.0 {
                ledger.add(paid);
                let _ = news.send(News::Paid);
            }
        });
    }

    /// Something was paid for that is part of no turn.
    pub fn paid(&self, usage: Option<&Usage>) {
        self.shared.crew.ledger().add(usage.and_then(|usage| usage.cost).unwrap_or(0.0));
    }

    /// Tells the sum, if it is another one.
    pub fn tell_spent(&mut self) {
        if self.open.state.spent.total_cmp(&self.shared.crew.ledger().total()).is_ne() {
            self.changed();
        }
    }
}

/// USD, by the files of a folder. Blocking.
fn of_agents(folder: &Path) -> f64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let sessions = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    sessions.filter_map(|path| session::load(&path).ok()?.usage.cost).sum()
}
