//! macOS: the command runs under the system's `sandbox-exec`.

use super::{Look, Namespaces, NetworkControl, Support, Unavailable, profile};
use std::{ffi::OsString, io, path::Path};

const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What is put before the command.
#[derive(Clone)]
pub struct Prepared {
    profile: String,
}

pub fn probe() -> Support {
    match Path::new(PROGRAM).exists() {
        true => Support {
            available: true,
            why: None,
            landlock: 0,
            namespaces: Namespaces::None,
            network: NetworkControl::All,
        },
        false => Support::none(format!("{PROGRAM} is missing")),
    }
}

/// What has been worked out for a policy.
pub(super) struct Draft(Prepared);

impl Draft {
    pub fn new(look: &mut Look<'_>, _: &Path) -> Result<Draft, Unavailable> {
        Ok(Draft(Prepared { profile: profile(look.policy) }))
    }

    pub fn prepare(&self) -> Result<Prepared, Unavailable> {
        Ok(self.0.clone())
    }

    /// The profile asks the disk by itself, and is made for every command.
    pub fn holds(&self) -> bool {
        false
    }
}

impl Prepared {
    pub fn argv(&self, argv: Vec<OsString>) -> Vec<OsString> {
        let before = [PROGRAM.into(), "-p".into(), self.profile.clone().into()];
        before.into_iter().chain(argv).collect()
    }

    pub fn enter(&self) -> io::Result<()> {
        Ok(())
    }

    pub fn explain(&self, _: &io::Error) -> Option<String> {
        None
    }
}
