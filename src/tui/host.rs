//! Programs of the user's that a screen needs: an editor, a clipboard. Chosen from the environment.

use super::picture::Protocol;
use std::ffi::OsStr;
use std::path::Path;

/// Where something copied goes, and a picture is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clipboard {
    /// That of whoever sits at the terminal, also over ssh (OSC 52). It can be written only.
    #[default]
    Terminal,
    Wayland,
    X11,
    Mac,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Host {
    /// A line for the shell; none: nobody has said.
    pub editor: Option<String>,
    pub clipboard: Clipboard,
    /// The terminal makes links of words that have an address (OSC 8).
    pub follows_links: bool,
    /// The best way to show pictures.
    pub pictures: Protocol,
}

impl Host {
    pub fn find(env: &dyn Fn(&str) -> Option<String>) -> Host {
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let has = |program: &str| on_path(program, env("PATH").unwrap_or_default().as_ref());
        let clipboard = match () {
            // The tools would write to the clipboard of the far machine.
            () if set("SSH_CONNECTION").is_some() || set("SSH_TTY").is_some() => Clipboard::Terminal,
            () if cfg!(target_os = "macos") => Clipboard::Mac,
            () if set("WAYLAND_DISPLAY").is_some() && has("wl-copy") => Clipboard::Wayland,
            () if set("DISPLAY").is_some() && has("xclip") => Clipboard::X11,
            () => Clipboard::Terminal,
        };
        Host {
            editor: set("VISUAL").or_else(|| set("EDITOR")),
            clipboard,
            follows_links: follows_links(&set),
            pictures: Protocol::find(&set),
        }
    }
}

/// Those that don't know of links ignore them, which is the rule for all that is unknown to a terminal; but for a few.
fn follows_links(set: &dyn Fn(&str) -> Option<String>) -> bool {
    let term = set("TERM").unwrap_or_default();
    let kinds = ["linux", "dumb", "cons25", "eterm", "sun", "vt52", "vt100", "vt102", "vt220", "rxvt"];
    // The console, Emacs and old kinds show what they do not know; GNU screen cuts it in the middle.
    let unfit = term.is_empty() || set("STY").is_some() || set("INSIDE_EMACS").is_some();
    // The library behind GNOME's and many other terminals has known links since 0.50, with a flaw before.
    let old = set("VTE_VERSION").and_then(|v| v.parse::<u32>().ok()).is_some_and(|version| version < 5000);
    let apple = set("TERM_PROGRAM").as_deref() == Some("Apple_Terminal");
    !unfit && !old && !apple && !kinds.iter().any(|kind| term == *kind || term.starts_with(&format!("{kind}-")))
}

fn on_path(program: &str, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|folder| folder != Path::new("") && folder.join(program).is_file())
}

impl Clipboard {
    /// The program that takes a text from its input; none: the terminal does.
    pub fn copies(self) -> Option<&'static [&'static str]> {
        match self {
            Clipboard::Terminal => None,
            Clipboard::Wayland => Some(&["wl-copy"]),
            Clipboard::X11 => Some(&["xclip", "-selection", "clipboard"]),
            Clipboard::Mac => Some(&["pbcopy"]),
        }
    }

    /// The program that puts out a picture as PNG, if there is one.
    pub fn pastes_picture(self) -> Option<&'static [&'static str]> {
        match self {
            Clipboard::Terminal => None,
            Clipboard::Wayland => Some(&["wl-paste", "--type", "image/png"]),
            Clipboard::X11 => Some(&["xclip", "-selection", "clipboard", "-target", "image/png", "-out"]),
            Clipboard::Mac => Some(&["pngpaste", "-"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(vars: &[(&str, &str)]) -> Host {
        let get = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        Host::find(&get)
    }

    #[test]
    fn links_go_where_they_are_understood() {
        let xterm = ("TERM", "xterm-256color");
        assert!(find(&[xterm]).follows_links);
        assert!(find(&[xterm, ("VTE_VERSION", "7600")]).follows_links);
        assert!(find(&[("TERM", "tmux-256color"), ("TMUX", "/tmp/x")]).follows_links);
        for unfit in
            [("VTE_VERSION", "4402"), ("STY", "1.pts"), ("TERM_PROGRAM", "Apple_Terminal"), ("INSIDE_EMACS", "29")]
        {
            assert!(!find(&[xterm, unfit]).follows_links, "{unfit:?}");
        }
        for term in ["linux", "dumb", "rxvt-unicode-256color", ""] {
            assert!(!find(&[("TERM", term)]).follows_links, "{term}");
        }
    }

    #[test]
    fn the_visual_editor_comes_first_and_a_blank_one_is_none() {
        assert_eq!(find(&[("EDITOR", "ed"), ("VISUAL", "code --wait")]).editor.as_deref(), Some("code --wait"));
        assert_eq!(find(&[("EDITOR", "ed"), ("VISUAL", " ")]).editor.as_deref(), Some("ed"));
        assert_eq!(find(&[]).editor, None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_clipboard_needs_a_display_a_program_and_a_screen_that_is_here() {
        let folder = tempfile::tempdir().expect("a folder");
        ["wl-copy", "xclip"].iter().for_each(|p| std::fs::write(folder.path().join(p), "").expect("written"));
        let path = ("PATH", folder.path().to_str().expect("UTF-8"));
        let wayland = ("WAYLAND_DISPLAY", "wayland-0");
        assert_eq!(find(&[path, wayland]).clipboard, Clipboard::Wayland);
        assert_eq!(find(&[path, ("DISPLAY", ":0")]).clipboard, Clipboard::X11);
        assert_eq!(find(&[path]).clipboard, Clipboard::Terminal);
        assert_eq!(find(&[("PATH", "/nowhere"), wayland]).clipboard, Clipboard::Terminal);
        assert_eq!(find(&[path, wayland, ("SSH_TTY", "/dev/pts/1")]).clipboard, Clipboard::Terminal);
    }
}
