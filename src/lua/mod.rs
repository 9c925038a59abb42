//! The Lua runtime: one state on its own thread, in which tools, commands and hooks of extensions run as coroutines.
//!
//! `Handle` is what the rest of the program holds: it is `Send`, cheap to clone, and plugs into the core through
//! `tool::ToolSource` and `backend::Extensions`. Everything behind it lives on the thread named `lua`, is `Rc`, and is
//! talked to by channels, so that a wedged extension can freeze neither a key press nor a turn of somebody else.

pub mod api;
mod bounded;
mod calls;
pub mod convert;
mod discovery;
mod dispatch;
pub mod embedded;
mod face;
mod faced;
mod failure;
mod handle;
mod host;
pub mod interpreter;
mod loader;
mod manifest;
mod message;
pub mod native;
mod outcome;
mod pace;
mod packages;
mod pattern;
mod pulse;
mod refuse;
mod registry;
pub mod rocks;
mod roster;
mod runtime;
pub mod scheduler;
mod shown;
mod speak;
mod state;
mod tell;
mod verdict;
mod watchdog;

pub use face::Face;
pub use failure::{Failure, message_of};
pub use handle::{Handle, start};
pub use registry::RegistrationError;
pub use runtime::{Config, Sources};
