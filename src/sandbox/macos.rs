//! macOS: the command runs under the system's `sandbox-exec`.

use super::{Look, Namespaces, NetworkControl, Support, Unavailable, profile};
use std::{ffi::OsString, io, path::Path};

const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What is put before the command.
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

impl Prepared {
    pub(super) fn new(look: &mut Look<'_>, _: &Path) -> Result<Prepared, Unavailable> {
        Ok(Prepared { profile: profile(look.policy) })
    }

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
