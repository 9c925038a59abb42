//! Keys that a user binds and that will not do what is meant: those that no terminal sends, those that few terminals send,
//! and letters where one types.

use super::Context;
use crate::tui::input::{Key, KeyCode, KeyModifiers};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    Never(String),
    /// Right where the terminal speaks the kitty keyboard protocol.
    ByTerminal(String),
}

/// What is doubtful about a binding; `text`: as it is written.
pub fn of(text: &str, context: Context, keys: &[Key]) -> Option<Doubt> {
    let shifted = text.split_whitespace().find(|word| is_shifted_sign(word));
    if let Some(word) = shifted {
        return Some(Doubt::Never(format!(
            "`{word}`: no terminal sends Shift with a key that types something; write what it types, as in \"!\""
        )));
    }
    if let Some(what) = keys.first().and_then(|first| typed_in(context, first)) {
        return Some(Doubt::Never(what));
    }
    let (key, instead) = keys.iter().find_map(|key| Some((key, without_protocol(key)?)))?;
    Some(Doubt::ByTerminal(format!(
        "`{key}`: most terminals {instead}; only those with the kitty keyboard protocol tell it apart"
    )))
}

/// `shift-1`, `shift-space`: Shift has done its work when the character comes.
fn is_shifted_sign(word: &str) -> bool {
    let Some(rest) = word.strip_prefix("shift-").or_else(|| word.strip_prefix("alt-shift-")) else { return false };
    rest == "space" || matches!(rest.chars().next(), Some(c) if rest.len() == c.len_utf8() && !c.is_alphabetic())
}

/// A letter that can be typed no more, or that never reaches the keymap.
fn typed_in(context: Context, first: &Key) -> Option<String> {
    let letter = first.typed()?;
    let name = context.name();
    match context {
        Context::Transcript | Context::Jobs => None,
        Context::Dialog => Some(format!("`{letter}`: in [{name}] letters are answers and never reach the keymap")),
        _ => Some(format!("`{letter}`: it can be typed no more in [{name}]; put ctrl- or alt- before it")),
    }
}

/// What a terminal without the protocol does with a key.
fn without_protocol(key: &Key) -> Option<String> {
    let (ctrl, shift) = (key.mods.contains(KeyModifiers::CONTROL), key.mods.contains(KeyModifiers::SHIFT));
    let same = |other: &str| Some(format!("send it as {other}"));
    let lost = |what: &str| Some(format!("leave {what} out"));
    match key.code {
        _ if key.mods.contains(KeyModifiers::SUPER) => Some("keep the Super key for themselves".into()),
        KeyCode::Char(_) if ctrl && shift => lost("Shift"),
        KeyCode::Char('i') if ctrl => same("tab"),
        KeyCode::Char('m') if ctrl => same("enter"),
        KeyCode::Char('[') if ctrl => same("esc"),
        KeyCode::Char(c) if ctrl && !is_control(c) => lost("Ctrl"),
        KeyCode::Enter if shift || ctrl => same("enter"),
        KeyCode::Tab if ctrl => same("tab"),
        KeyCode::Backspace if shift => same("backspace"),
        KeyCode::Esc if !key.mods.is_empty() => same("esc"),
        KeyCode::F(n) if n > 20 => Some("have no such key".into()),
        _ => None,
    }
}

/// Ctrl with it is a control character of ASCII.
fn is_control(c: char) -> bool {
    c.is_ascii_lowercase() || matches!(c, ' ' | '@' | '\\' | ']' | '^' | '_' | '/' | '?')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(context: Context, text: &str) -> Option<Doubt> {
        let keys: Vec<Key> = text.split(' ').map(|key| key.parse().expect("a key")).collect();
        of(text, context, &keys)
    }

    #[test]
    fn keys_that_every_terminal_sends_are_fine() {
        for text in [
            "ctrl-a",
            "ctrl-x m",
            "alt-enter",
            "f5",
            "shift-tab",
            "shift-up",
            "ctrl-left",
            "alt-G",
            "ctrl-space",
            "ctrl-_",
        ] {
            assert_eq!(doubt(Context::Main, text), None, "{text}");
        }
        for text in ["g", "shift-g", "space", "/"] {
            assert_eq!(doubt(Context::Transcript, text), None, "{text}");
        }
    }

    #[test]
    fn what_the_keyboard_protocol_decides_is_told_apart() {
        for (text, instead) in [
            ("ctrl-i", "send it as tab"),
            ("ctrl-x ctrl-m", "send it as enter"),
            ("ctrl-[", "send it as esc"),
            ("ctrl-shift-a", "leave Shift out"),
            ("ctrl-1", "leave Ctrl out"),
            ("ctrl-enter", "send it as enter"),
            ("super-k", "keep the Super key"),
            ("f24", "have no such key"),
        ] {
            let found = doubt(Context::Main, text);
            assert!(matches!(&found, Some(Doubt::ByTerminal(what)) if what.contains(instead)), "{text}: {found:?}");
        }
    }

    #[test]
    fn what_can_never_work_is_said() {
        for (context, text, why) in [
            (Context::Transcript, "shift-1", "write what it types"),
            (Context::Main, "shift-space", "write what it types"),
            (Context::Main, "q", "typed no more in [main]"),
            (Context::Global, "Q", "typed no more in [global]"),
            (Context::Dialog, "y", "letters are answers"),
        ] {
            let found = doubt(context, text);
            assert!(matches!(&found, Some(Doubt::Never(what)) if what.contains(why)), "{text}: {found:?}");
        }
    }
}
