//! Lua packages: the tree in which rocks are installed, and luarocks itself, which panto runs inside its own Lua.
//!
//! `tree` owns the folder (headers, wrapper, configuration of luarocks), `source` brings luarocks into it, `luarocks` runs
//! it in a state of its own, `reconcile` decides what is missing. Nothing here is needed for the agent to start: the
//! tree is made when somebody wants a rock, and whatever fails says what to do and leaves the rest of panto working.

mod battery;
mod error;
mod guide;
mod headers;
mod luarocks;
pub mod pins;
mod reconcile;
mod search;
mod setup;
mod source;
mod toolchain;
mod tree;
mod wanted;

pub use error::RocksError;
pub use luarocks::run as luarocks;
pub use reconcile::{Outcome, bootstrap, change, reconcile, renew, tried_lately};
pub(in crate::lua) use search::extend as extend_search_paths;
pub use setup::Setup;
pub use toolchain::check as check_tools;
pub use tree::Tree;
pub use wanted::Wanted;
