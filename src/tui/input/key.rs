//! A key press and its name (`ctrl-x`, `alt-enter`, `shift-tab`, `?`), as keymaps write it.

pub use crossterm::event::{KeyCode, KeyModifiers};
use std::{fmt, str::FromStr};

/// A key with its modifiers, in one normal form: an upper-case character carries no Shift, a character with Ctrl is
/// lower case, Shift-Tab is Tab with Shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub mods: KeyModifiers,
}

impl Key {
    pub fn new(code: KeyCode, mods: KeyModifiers) -> Key {
        match code {
            KeyCode::BackTab => Key { code: KeyCode::Tab, mods: mods | KeyModifiers::SHIFT },
            KeyCode::Char(c) => Key::of_char(c, mods),
            _ => Key { code, mods },
        }
    }

    fn of_char(c: char, mut mods: KeyModifiers) -> Key {
        let lower = mods.contains(KeyModifiers::CONTROL);
        let shifted = mods.contains(KeyModifiers::SHIFT);
        let c = match (lower, shifted) {
            (true, _) => c.to_lowercase().next().unwrap_or(c),
            (false, true) => c.to_uppercase().next().unwrap_or(c),
            _ => c,
        };
        if !lower {
            mods.remove(KeyModifiers::SHIFT);
        }
        Key { code: KeyCode::Char(c), mods }
    }

    pub fn plain(code: KeyCode) -> Key {
        Key::new(code, KeyModifiers::NONE)
    }

    pub fn ctrl(c: char) -> Key {
        Key::new(KeyCode::Char(c), KeyModifiers::CONTROL)
    }

    /// The character that this key types, if it types one.
    pub fn typed(&self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.mods.is_empty() => Some(c),
            _ => None,
        }
    }
}

const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
];

const MODIFIERS: &[(&str, KeyModifiers)] = &[
    ("ctrl-", KeyModifiers::CONTROL),
    ("alt-", KeyModifiers::ALT),
    ("shift-", KeyModifiers::SHIFT),
    ("super-", KeyModifiers::SUPER),
];

/// A text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key; keys are written ctrl-x, alt-enter, shift-tab, f5, pgup, a")]
pub struct KeyError(pub String);

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Key, KeyError> {
        let (mut rest, mut mods) = (text, KeyModifiers::NONE);
        while let Some((prefix, modifier)) = MODIFIERS.iter().find(|(p, _)| rest.starts_with(p) && rest.len() > p.len())
        {
            mods |= *modifier;
            rest = &rest[prefix.len()..];
        }
        code(rest).map(|c| Key::new(c, mods)).ok_or_else(|| KeyError(text.into()))
    }
}

fn code(name: &str) -> Option<KeyCode> {
    if let Some((_, code)) = NAMES.iter().find(|(n, _)| *n == name) {
        return Some(*code);
    }
    if let Some(n) = name.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
        return (1..=24).contains(&n).then_some(KeyCode::F(n));
    }
    let mut chars = name.chars();
    let first = chars.next().filter(|c| !c.is_control() && !c.is_whitespace())?;
    chars.next().is_none().then_some(KeyCode::Char(first))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (prefix, modifier) in MODIFIERS {
            if self.mods.contains(*modifier) {
                f.write_str(prefix)?;
            }
        }
        match (NAMES.iter().find(|(_, c)| *c == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "f{n}"),
            _ => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in
            ["enter", "ctrl-x", "alt-enter", "shift-tab", "ctrl-alt-f", "f12", "space", "?", "ctrl--", "alt-up", "G"]
        {
            assert_eq!(name.parse::<Key>().map(|k| k.to_string()), Ok(name.to_string()));
        }
    }

    #[test]
    fn one_normal_form() {
        assert_eq!("ctrl-X".parse::<Key>(), "ctrl-x".parse());
        assert_eq!("shift-g".parse::<Key>(), "G".parse());
        assert_eq!(Key::plain(KeyCode::BackTab), "shift-tab".parse().unwrap());
    }

    #[test]
    fn what_is_no_key_is_named() {
        for bad in ["", "ctrl-", "hyper-x", "f25", "enterr", "ab"] {
            assert_eq!(bad.parse::<Key>(), Err(KeyError(bad.into())), "{bad}");
        }
    }
}
