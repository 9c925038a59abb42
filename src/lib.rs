//! panto: a full-screen terminal coding agent.
//!
//! Data flows one way: keys → `tui` → `Action` → `Command` → `backend` → `agent` → `provider`, and back as `Event`s and
//! a `Snapshot`. The core (`conversation`, `provider`, `tool`, `agent`, `session`) knows no screen and no Lua; `lua`
//! plugs in through `tool::ToolSource` and `backend::Extensions`; `tui` and `cli` are faces on the same backend. `sandbox` is what the operating
//! system holds commands in.

pub mod agent;
pub mod backend;
pub mod cli;
pub mod config;
pub mod conversation;
pub mod element;
pub mod job;
pub mod lua;
pub mod provider;
pub mod sandbox;
pub mod server;
pub mod session;
pub mod sse;
pub mod tool;
pub mod tui;
pub mod util;
