//! Linux: a mount namespace of the command's own, then Landlock.
//!
//! `Prepared` is made in the parent: whatever allocates or looks at the disk is done there. `Prepared::enter` runs
//! between fork and exec and makes system calls only.

mod enter;
mod landlock;
mod mounts;
mod plan;
mod probe;
mod sys;

pub use probe::probe;

use super::{Look, Namespaces, Unavailable};
use landlock::Rules;
use plan::Plan;
use std::{ffi::CString, ffi::OsString, io, os::fd::OwnedFd, path::Path, sync::Arc};

/// What a child does to be inside of the sandbox.
pub struct Prepared {
    /// None where there are no namespaces.
    plan: Option<Arc<Plan>>,
    rules: OwnedFd,
    /// What a terminal of the child's own may get of Landlock.
    terminal: u64,
    cwd: CString,
}

/// What has been worked out for a policy and a working directory.
pub(super) struct Draft {
    plan: Option<Arc<Plan>>,
    rules: Rules,
    cwd: CString,
}

impl Draft {
    pub fn new(look: &mut Look<'_>, cwd: &Path) -> Result<Draft, Unavailable> {
        let plan = match look.support.namespaces {
            Namespaces::None => None,
            kind => {
                let plan = Plan::new(look.policy, &look.roots, cwd, kind, &mut look.resolver);
                Some(Arc::new(plan.map_err(|e| Unavailable(e.to_string()))?))
            }
        };
        let cwd = plan::c_string(cwd).map_err(|e| Unavailable(e.to_string()))?;
        Ok(Draft { plan, rules: landlock::rules(look), cwd })
    }

    pub fn prepare(&self) -> Result<Prepared, Unavailable> {
        let (rules, terminal) = self.rules.make().map_err(Unavailable)?;
        Ok(Prepared { plan: self.plan.clone(), rules, terminal, cwd: self.cwd.clone() })
    }

    /// Whether it would be the same today, as far as the answers to the resolver do not tell.
    pub fn holds(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.mounts.are_the_same())
    }
}

impl Prepared {
    /// The command as it is: the sandbox is put on from within.
    pub fn argv(&self, argv: Vec<OsString>) -> Vec<OsString> {
        argv
    }

    /// To be called between fork and exec, and nowhere else. An error of it is one for `explain`.
    pub fn enter(&self) -> io::Result<()> {
        enter::enter(self)
    }

    /// Why a child was not started, if the error is one of `enter`.
    pub fn explain(&self, error: &io::Error) -> Option<String> {
        let (stage, index, errno) = enter::decode(error)?;
        let place = self.plan.as_ref().and_then(|plan| plan.place(stage, index));
        let place = place.map(|p| format!(" {}", p.to_string_lossy())).unwrap_or_default();
        Some(format!("no sandbox: {}{place}: {}", stage.describe(), io::Error::from_raw_os_error(errno)))
    }
}
