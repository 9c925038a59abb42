//! The full-screen program (see the module table of architecture.md).

pub mod app;
pub mod text;
pub mod theme;
pub mod view;
