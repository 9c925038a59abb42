//! What the runtime asks of the screen's part of the program without knowing it: whether keys and themes are sound.

use crate::backend::{KeyBinding, ThemeDecl};

/// Checks of what extensions register, so that the function they call can say what is wrong.
#[derive(Debug, Clone, Copy)]
pub struct Face {
    /// What is wrong with a key, if something is.
    pub check_key: fn(&KeyBinding) -> Result<(), String>,
    /// What is wrong with a theme, if something is.
    pub check_theme: fn(&ThemeDecl) -> Result<(), String>,
}

impl Default for Face {
    /// Takes everything.
    fn default() -> Self {
        Face { check_key: |_| Ok(()), check_theme: |_| Ok(()) }
    }
}
