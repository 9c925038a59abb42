//! Themes: role → style. Files in TOML, a dozen in the binary (`themes/`), the user's in `<config>/themes`.
//!
//! A theme is built once for the colours of the terminal, so views never think about them:
//! `theme.style(Role::Link)`. Only the chosen file and those it inherits from are parsed.

mod build;
mod color;
mod depth;
mod extension;
mod file;
mod shipped;

/// Roles are shared with elements, which extensions build.
pub use crate::element::Role;
pub use depth::ColorDepth;
pub use extension::check;

use crate::backend::ThemeDecl;
use ratatui::style::Style;
use std::path::{Path, PathBuf};

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

    /// The style of a role. Fill the frame with that of [`Role::Text`] first; the others leave out what they take over
    /// from it.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

/// A theme that cannot be used; the message names the file and the line, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct ThemeError {
    pub file: String,
    /// From 1.
    pub line: Option<usize>,
    pub what: String,
}

/// Where themes come from: the binary, and a folder of the user's, whose files win.
#[derive(Debug, Clone, Default)]
pub struct Themes {
    folder: Option<PathBuf>,
    /// Those that extensions bring; files of the user's of the same name win.
    brought: Vec<ThemeDecl>,
}

impl Themes {
    /// Only those in the binary.
    pub fn shipped() -> Self {
        Themes::default()
    }

    /// And the `*.toml` of `<config>/themes`, which need not exist. Files are read when they are asked for.
    pub fn with_folder(folder: &Path) -> Self {
        Themes { folder: Some(folder.to_owned()), brought: vec![] }
    }

    /// Takes the themes of extensions in the place of those that were there.
    pub fn bring(&mut self, themes: &[ThemeDecl]) {
        self.brought = themes.to_vec();
    }

    /// The extension that brings a theme, if one does and the user has none of this name.
    pub fn origin(&self, name: &str) -> Option<&str> {
        let own = self.folder.as_ref().is_some_and(|f| is_plain(name) && f.join(format!("{name}.toml")).is_file());
        self.brought.iter().find(|t| t.name == name && !own).map(|t| t.origin.as_str())
    }

    /// All names: those in the binary, then those of the user and of extensions, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = shipped::NAMES.iter().map(|n| n.to_string()).collect();
        let files = self.folder.iter().filter_map(|f| std::fs::read_dir(f).ok()).flatten().flatten();
        let mut own: Vec<String> = files
            .filter_map(|f| f.file_name().to_str().and_then(|n| n.strip_suffix(".toml")).map(str::to_owned))
            .chain(self.brought.iter().map(|t| t.name.clone()))
            .filter(|name| !names.contains(name))
            .collect();
        own.sort();
        own.dedup();
        names.append(&mut own);
        names
    }

    /// The theme of that name for a terminal of that many colours.
    pub fn load(&self, name: &str, depth: ColorDepth) -> Result<Theme, ThemeError> {
        build::build(name, depth, &|name, own| self.text(name, own))
    }

    /// Name of the file and its text; the user's own only if `own`. None if there is no such theme.
    fn text(&self, name: &str, own: bool) -> Option<(String, Result<String, String>)> {
        let path = self.folder.as_ref().filter(|_| own && is_plain(name)).map(|f| f.join(format!("{name}.toml")));
        if let Some(path) = path.filter(|p| p.is_file()) {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("cannot be read: {e}"));
            return Some((path.display().to_string(), text));
        }
        if let Some(theme) = self.brought.iter().find(|t| own && t.name == name) {
            return Some((format!("{} (theme {name})", theme.origin), Ok(theme.text.clone())));
        }
        shipped::text(name).map(|text| (format!("themes/{name}.toml"), Ok(text.to_owned())))
    }
}

/// A name, not a path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\']) && name != "." && name != ".."
}

#[cfg(test)]
mod tests;
