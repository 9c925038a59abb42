//! (see the module table of architecture.md)

pub mod host;
