//! How many colours the terminal has, and what becomes of a colour that it hasn't.

use crate::util::paths::Env;

/// Colours that can be shown. `None` leaves bold, underline, italic and reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorDepth {
    None,
    Ansi16,
    Ansi256,
    True,
}

impl ColorDepth {
    /// From NO_COLOR, TERM and COLORTERM.
    pub fn detect(env: Env) -> Self {
        let set = |name: &str| env(name).filter(|v| !v.is_empty());
        let term = set("TERM").unwrap_or_default();
        if set("NO_COLOR").is_some() || term == "dumb" {
            return ColorDepth::None;
        }
        let colorterm = set("COLORTERM").unwrap_or_default();
        if matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct") {
            ColorDepth::True
        } else if term.contains("256color") {
            ColorDepth::Ansi256
        } else {
            ColorDepth::Ansi16
        }
    }
}
