//! Systems without a sandbox that is known here.

use super::{Look, Support, Unavailable};
use std::{convert::Infallible, ffi::OsString, io, path::Path};

/// There is none.
pub struct Prepared(Infallible);

pub fn probe() -> Support {
    Support::none(format!("there is none for {}", std::env::consts::OS))
}

/// Nothing can be worked out.
pub(super) struct Draft(Infallible);

impl Draft {
    pub fn new(_: &mut Look<'_>, _: &Path) -> Result<Draft, Unavailable> {
        Err(Unavailable(format!("there is none for {}", std::env::consts::OS)))
    }

    pub fn prepare(&self) -> Result<Prepared, Unavailable> {
        match self.0 {}
    }

    pub fn holds(&self) -> bool {
        match self.0 {}
    }
}

impl Prepared {
    pub fn argv(&self, _: Vec<OsString>) -> Vec<OsString> {
        match self.0 {}
    }

    pub fn enter(&self) -> io::Result<()> {
        match self.0 {}
    }

    pub fn explain(&self, _: &io::Error) -> Option<String> {
        match self.0 {}
    }
}
