//! One look at the disk for all that is done before a command: where the hundred places of a policy lead is found out
//! once, for what the child does and for what is compared afterwards.

use super::{NetworkControl, Policy, Prepared, Support, Unavailable, places::Resolver, system::Draft};
use std::path::{Path, PathBuf};

/// A policy on the disk as it is now.
pub struct Look<'a> {
    pub(super) policy: &'a Policy,
    pub(super) support: &'a Support,
    pub(super) resolver: Resolver,
    /// What is writable and exists.
    pub(super) roots: Vec<PathBuf>,
}

impl Policy {
    /// To be done anew for every command; `Plans` knows when it need not be.
    pub fn look<'a>(&'a self, support: &'a Support) -> Look<'a> {
        let mut resolver = Resolver::default();
        let roots = self.roots(&mut resolver);
        Look { policy: self, support, resolver, roots }
    }
}

impl Look<'_> {
    /// What a child of this policy does before it becomes the command, with `cwd` as its working directory.
    pub fn prepare(&mut self, cwd: &Path) -> Result<Prepared, Unavailable> {
        self.draft(cwd)?.prepare()
    }

    pub(super) fn draft(&mut self, cwd: &Path) -> Result<Draft, Unavailable> {
        let support = self.support;
        if !support.available {
            return Err(Unavailable(support.why.clone().unwrap_or_else(|| "this system has none".into())));
        }
        if !self.policy.network && support.network == NetworkControl::None {
            let why = "this kernel cannot take the network from a command (it needs namespaces, or Landlock ABI 4); \
                       set `network = true` in [permissions], or run the command unsandboxed";
            return Err(Unavailable(why.into()));
        }
        Draft::new(self, cwd)
    }
}
