//! Rocks as extensions of the agent: those of `[extensions] rocks` are loaded like files, and what is missing is
//! installed beside the running program.
//!
//! Nothing here holds up a start: installing goes on in a thread of its own, what comes of it is one notice, and a rock
//! that could be had is loaded as soon as it is there.

use super::discovery::Found;
use super::host::Host;
use super::rocks::{Outcome, Setup, Wanted, reconcile, tried_lately};
use crate::backend::Level;
use std::cell::Cell;
use std::rc::Rc;
use tokio::sync::{mpsc, oneshot};

pub(super) struct Packages {
    setup: Option<Setup>,
    wanted: Vec<Wanted>,
    begun: Cell<bool>,
}

impl Packages {
    /// Entries that can't be read are told and left out.
    pub fn new(host: &Host, setup: Option<Setup>) -> Rc<Self> {
        let mut wanted = Vec::new();
        for entry in &host.api.options.extensions.rocks {
            match Wanted::parse(entry) {
                Ok(rock) => wanted.push(rock),
                Err(problem) => host.diagnose(entry, problem),
            }
        }
        Rc::new(Packages { setup, wanted, begun: Cell::new(false) })
    }

    /// The installed rocks of the configuration, as files to load.
    pub fn found(&self, host: &Host) -> Vec<Found> {
        let Some(setup) = &self.setup else { return Vec::new() };
        let mut found = Vec::new();
        for rock in &self.wanted {
            match rock.main_file(&setup.tree) {
                _ if !rock.installed(&setup.tree) => {
                    if !may_install(setup) && !self.begun.get() {
                        let told = format!("the rock is not installed: `panto rocks install {rock}` installs it");
                        host.diagnose(&rock.name, told);
                    }
                }
                Some(file) => found.push(Found::new(rock.name.clone(), file, None)),
                None => {
                    host.diagnose(&rock.name, "the rock has no Lua module of its name, so there is nothing to load")
                }
            }
        }
        found
    }

    /// Installs what is missing, once; true if there is news: something to load, or something that failed.
    pub async fn complete(&self, host: &Rc<Host>) -> bool {
        let Some(setup) = self.setup.clone().filter(may_install) else { return false };
        let rocks = self.wanted.iter().any(|rock| !rock.installed(&setup.tree));
        let luv = host.api.scheduler.has_luv();
        if self.begun.replace(true) || (luv && !rocks) {
            return false;
        }
        let (tell, mut told) = mpsc::unbounded_channel();
        let wanted = self.wanted.clone();
        let (done, outcome) = oneshot::channel();
        // A thread of its own: the runtime's would hold up the end of the program.
        let thread = std::thread::Builder::new().name("rocks".into()).spawn(move || {
            let mut say = |line: &str| drop(tell.send(line.to_owned()));
            let _ = done.send(reconcile(&setup, &wanted, &mut say));
        });
        if let Err(error) = thread {
            host.notify(Level::Warning, format!("rocks can't be installed: no thread for it: {error}"));
            return false;
        }
        while let Some(line) = told.recv().await {
            tracing::info!(target: "rocks", "{line}");
            if let Some(news) = line.strip_prefix("panto: ") {
                host.notify(Level::Info, news.to_owned());
            }
        }
        let outcome = outcome.await.unwrap_or_default();
        self.tell(host, &outcome);
        true
    }

    /// A rock of the configuration that is not there is an extension that could not be loaded; a battery is missed by
    /// whoever needs it, so it is told once and clearly.
    fn tell(&self, host: &Host, outcome: &Outcome) {
        for (what, error) in &outcome.failed {
            match self.wanted.iter().find(|rock| rock.to_string() == *what) {
                Some(rock) => host.diagnose(&rock.name, format!("{error}; `panto rocks install {rock}` tries again")),
                None => {
                    let text = format!(
                        "{what} is not there: {error}. What needs it won't work; `panto bootstrap` tries again"
                    );
                    host.notify(Level::Warning, text);
                }
            }
        }
        if !outcome.installed.is_empty() {
            let restart = if host.api.scheduler.has_luv() { "" } else { "; luv is used when panto starts next" };
            host.notify(Level::Info, format!("installed {}{restart}", outcome.installed.join(", ")));
        }
    }
}

/// Not again and again where it has failed.
fn may_install(setup: &Setup) -> bool {
    setup.reconciles && !tried_lately(setup)
}
