//! Small things that everything may use: paths, ids, time, atomic writes, text width, the HTTP client, small files.

pub mod atomic;
pub mod crash;
pub mod git;
pub mod http;
pub mod ids;
pub mod log;
pub mod memory;
pub mod paths;
pub mod picture;
pub mod redact;
pub mod secret;
pub mod small;
pub mod symbols;
pub mod text;
pub mod time;
