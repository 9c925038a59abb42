//! How a terminal shows pictures: from the environment and the settings alone. Nothing is asked, so that no answer can come
//! late.

use crate::config::Images;
use crate::tui::theme::ColorDepth;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Protocol {
    /// Words stand for pictures.
    #[default]
    Off,
    Blocks,
    Kitty,
    Iterm,
    Sixel,
}

/// What is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Canvas {
    pub protocol: Protocol,
    pub depth: Option<ColorDepth>,
    /// Pixels of a cell, where the terminal says.
    pub cell: Option<(u16, u16)>,
}

impl Protocol {
    /// The best that is known to work in the terminal of this environment. Within tmux or screen, and over ssh, half-blocks:
    /// the first two keep pictures for themselves, and lines are slow.
    pub fn find(set: &dyn Fn(&str) -> Option<String>) -> Protocol {
        let term = set("TERM").unwrap_or_default();
        let program = set("TERM_PROGRAM").unwrap_or_default();
        let between = ["TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "ZELLIJ"].iter().any(|name| set(name).is_some());
        if between || term.starts_with("tmux") || term.starts_with("screen") {
            return Protocol::Blocks;
        }
        let kitty = term.contains("kitty") || term.contains("ghostty") || set("KITTY_WINDOW_ID").is_some();
        let sixel = ["foot", "contour", "mlterm", "yaft"].iter().any(|name| term.starts_with(name));
        match program.as_str() {
            _ if kitty => Protocol::Kitty,
            "ghostty" => Protocol::Kitty,
            "iTerm.app" | "WezTerm" | "mintty" => Protocol::Iterm,
            _ if sixel || set("KONSOLE_VERSION").is_some() => Protocol::Sixel,
            _ => Protocol::Blocks,
        }
    }

    /// What the settings make of what was `found`. Strips of pixels need the size of a cell, half-blocks enough colours.
    pub fn choose(setting: Images, found: Protocol, depth: ColorDepth, cell: Option<(u16, u16)>) -> Protocol {
        let wanted = match setting {
            Images::Auto => found,
            Images::Kitty => Protocol::Kitty,
            Images::Iterm => Protocol::Iterm,
            Images::Sixel => Protocol::Sixel,
            Images::Blocks => Protocol::Blocks,
            Images::Off => Protocol::Off,
        };
        match (wanted, depth) {
            (_, ColorDepth::None) => Protocol::Off,
            (Protocol::Sixel, _) if cell.is_none() => Protocol::choose(Images::Blocks, found, depth, cell),
            // The number of a picture is a colour of 24 bits.
            (Protocol::Kitty, ColorDepth::Ansi16 | ColorDepth::Ansi256) => {
                Protocol::choose(Images::Blocks, found, depth, cell)
            }
            (Protocol::Blocks, ColorDepth::Ansi16) => Protocol::Off,
            (wanted, _) => wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(vars: &[(&str, &str)]) -> Protocol {
        Protocol::find(&|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn a_terminal_is_known_by_its_environment() {
        assert_eq!(find(&[("TERM", "xterm-kitty")]), Protocol::Kitty);
        assert_eq!(find(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]), Protocol::Iterm);
        assert_eq!(find(&[("TERM", "foot-extra")]), Protocol::Sixel);
        assert_eq!(find(&[("TERM", "xterm-256color")]), Protocol::Blocks);
        for between in [("TMUX", "/tmp/x"), ("SSH_TTY", "/dev/pts/0"), ("STY", "1")] {
            assert_eq!(find(&[("TERM", "xterm-kitty"), between]), Protocol::Blocks, "{between:?}");
        }
    }

    #[test]
    fn what_cannot_be_shown_falls_back() {
        let (deep, cell) = (ColorDepth::True, Some((10, 20)));
        let choose = Protocol::choose;
        assert_eq!(choose(Images::Auto, Protocol::Kitty, deep, None), Protocol::Kitty);
        assert_eq!(choose(Images::Off, Protocol::Kitty, deep, cell), Protocol::Off);
        assert_eq!(choose(Images::Sixel, Protocol::Blocks, deep, cell), Protocol::Sixel);
        assert_eq!(choose(Images::Sixel, Protocol::Blocks, deep, None), Protocol::Blocks);
        assert_eq!(choose(Images::Auto, Protocol::Kitty, ColorDepth::Ansi256, cell), Protocol::Blocks);
        assert_eq!(choose(Images::Auto, Protocol::Blocks, ColorDepth::Ansi16, cell), Protocol::Off);
        assert_eq!(choose(Images::Kitty, Protocol::Kitty, ColorDepth::None, cell), Protocol::Off);
    }
}
