//! Small things that everything may use: paths, ids, time, atomic writes, text width.

pub mod atomic;
pub mod ids;
pub mod log;
pub mod paths;
pub mod text;
pub mod time;
