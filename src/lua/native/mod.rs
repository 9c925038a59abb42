//! What the Lua namespaces stand on: processes, files, search, edits and text as plain Rust, without a Lua state.
//!
//! `lua::api` binds these to names; each can be tested by itself. Nothing here knows a tool, a screen or a session.

pub mod diff;
pub mod files;
pub mod http;
pub mod ignored;
pub mod lines;
pub mod places;
pub mod process;
pub mod readable;
pub mod replace;
pub mod search;
pub mod text;
pub mod walk;
pub mod watch;
