//! The operating system holds commands inside the workspace: what may be written, what may not even be read.
//!
//! A `Policy` is plain data with absolute paths; `Policy::usual` makes the one of a workspace. `Look::prepare` turns it
//! into what a child does between fork and exec. On Linux that is a mount namespace in which everything but the writable
//! folders is read-only, protected places are read-only inside of them and credentials are covered, and then Landlock,
//! which also keeps the child from changing those mounts. On macOS the command runs under the system's `sandbox-exec`.
//!
//! `probe` says what holds here. Where namespaces are forbidden, Landlock alone keeps credentials unreadable, and a
//! `Watch` compares the protected places before and after; it does so everywhere for places that are not there yet.

mod credentials;
mod facts;
mod git;
mod look;
mod places;
mod plans;
mod policy;
mod profile;
mod refusal;
mod repository;
mod settings;
mod sockets;
mod support;
mod usual;
mod watch;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod nowhere;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use nowhere as system;

pub use look::Look;
pub use plans::Plans;
pub use policy::Policy;
pub use profile::profile;
pub use support::{Namespaces, NetworkControl, Support};
pub use system::Prepared;
pub use usual::Ground;
pub use watch::{Change, Watch, What};

/// Why a command cannot be sandboxed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no sandbox: {0}")]
pub struct Unavailable(pub String);

/// What a sandbox can hold on this system. Starts a short-lived process, so ask once.
pub fn probe() -> Support {
    system::probe()
}
