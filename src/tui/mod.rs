//! The full-screen program (see the module table of architecture.md).

pub mod text;
pub mod theme;
