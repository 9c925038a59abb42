//! What is on the screen, as state.

pub mod transcript;
