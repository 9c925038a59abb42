//! The beginning of some bytes → what it is: a key, an answer of the terminal, or too little to tell.
//!
//! `expired` says that nothing more will come: then every beginning is something.

use super::key::{Key, KeyCode, KeyModifiers};
use super::{Answer, Input, Mouse, csi};

/// Nobody's answer is longer.
const MAX_STRING: usize = 1 << 16;
const PASTE_START: &[u8] = b"200";

/// What the beginning of the bytes is.
pub enum Step {
    /// So many bytes, and what they mean.
    Done(usize, Option<Input>),
    PasteStart(usize),
    /// More bytes are needed.
    Need,
}

fn key(code: KeyCode, mods: KeyModifiers) -> Option<Input> {
    Some(Input::Key(Key::new(code, mods)))
}

/// Looks at bytes, at least one.
pub fn step(bytes: &[u8], expired: bool) -> Step {
    match bytes {
        [0x1b, rest @ ..] => escape(rest, expired),
        _ => character(bytes, KeyModifiers::NONE, expired),
    }
}

/// What follows an ESC.
fn escape(rest: &[u8], expired: bool) -> Step {
    let step = match rest {
        [] if expired => return Step::Done(1, key(KeyCode::Esc, KeyModifiers::NONE)),
        [] => return Step::Need,
        [0x1b, more @ ..] => return after_escape(more, expired),
        [b'[', more @ ..] => control(more, expired),
        [b'O', more @ ..] => single_shift(more, expired),
        [b']' | b'P' | b'_', more @ ..] if !more.is_empty() || !expired => string(rest, expired),
        _ => character(rest, KeyModifiers::ALT, expired),
    };
    match step {
        Step::Done(n, input) => Step::Done(n + 1, input),
        Step::PasteStart(n) => Step::PasteStart(n + 1),
        Step::Need => Step::Need,
    }
}

/// `ESC ESC …`: a key with Alt whose own encoding begins with ESC (Option-Up of old terminals), or the Esc key and then
/// something else.
fn after_escape(more: &[u8], expired: bool) -> Step {
    let esc = Step::Done(1, key(KeyCode::Esc, KeyModifiers::NONE));
    if more.first() == Some(&0x1b) {
        return esc;
    }
    match escape(more, expired) {
        Step::Need => Step::Need,
        _ if more.is_empty() => esc,
        Step::Done(n, Some(Input::Key(k))) if k.code != KeyCode::Esc => {
            Step::Done(n + 1, key(k.code, k.mods | KeyModifiers::ALT))
        }
        _ => esc,
    }
}

/// What follows `CSI`. Lengths count the `[`.
fn control(more: &[u8], expired: bool) -> Step {
    if more.is_empty() {
        return if expired { Step::Done(1, key(KeyCode::Char('['), KeyModifiers::ALT)) } else { Step::Need };
    }
    match more {
        [b'[', f @ b'A'..=b'E', ..] => return Step::Done(3, key(KeyCode::F(f - b'A' + 1), KeyModifiers::NONE)),
        [b'M', button, x, y, ..] => return Step::Done(5, old_mouse(*button, *x, *y)),
        [b'M', ..] | [b'['] => return if expired { Step::Done(1 + more.len(), None) } else { Step::Need },
        _ => {}
    }
    let params = more.iter().take_while(|b| matches!(b, 0x20..=0x3f)).count();
    match more.get(params) {
        Some(b'~') if &more[..params] == PASTE_START => Step::PasteStart(params + 2),
        Some(last @ 0x40..=0x7e) => Step::Done(params + 2, csi::decode(&more[..params], *last)),
        // A byte that cannot be here ends the sequence; it is looked at by itself.
        Some(_) => Step::Done(params + 1, None),
        None if expired || params > 64 => Step::Done(params + 1, None),
        None => Step::Need,
    }
}

/// The mouse report of terminals without the SGR encoding: three bytes, 32 added to each.
fn old_mouse(button: u8, x: u8, y: u8) -> Option<Input> {
    let cell = |b: u8| u16::from(b.saturating_sub(33));
    let kind = csi::mouse_kind(u16::from(button.saturating_sub(32)), false);
    Some(Input::Mouse(Mouse { kind, column: cell(x), row: cell(y) }))
}

/// What follows `SS3`. Lengths count the `O`.
fn single_shift(more: &[u8], expired: bool) -> Step {
    match more {
        [] if expired => Step::Done(1, key(KeyCode::Char('O'), KeyModifiers::ALT)),
        [] => Step::Need,
        [b'M', ..] => Step::Done(2, key(KeyCode::Enter, KeyModifiers::NONE)),
        [last @ (b'A'..=b'D' | b'F' | b'H' | b'P'..=b'S'), ..] => Step::Done(2, csi::decode(b"", *last)),
        [0x40..=0x7e, ..] => Step::Done(2, None),
        _ => Step::Done(1, None),
    }
}

/// OSC, DCS and APC: up to ST or BEL. Lengths count the introducer.
fn string(rest: &[u8], expired: bool) -> Step {
    let end = rest.iter().position(|b| matches!(b, 0x07 | 0x1b | 0x18 | 0x1a));
    match end {
        Some(at) if rest[at] == 0x1b && rest.get(at + 1) == Some(&b'\\') => Step::Done(at + 2, answer(&rest[..at])),
        Some(at) if rest[at] == 0x1b && at + 1 == rest.len() && !expired => Step::Need,
        // Another sequence begins inside: the string is void.
        Some(at) if rest[at] == 0x1b => Step::Done(at, None),
        Some(at) => Step::Done(at + 1, answer(&rest[..at])),
        None if expired || rest.len() > MAX_STRING => Step::Done(rest.len(), None),
        None => Step::Need,
    }
}

/// `]11;rgb:1111/2222/3333`
fn answer(string: &[u8]) -> Option<Input> {
    let text = std::str::from_utf8(string).ok()?.strip_prefix("]11;")?;
    let colour = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut channels = colour.split('/').map(channel);
    Some(Input::Answer(Answer::Background(channels.next()??, channels.next()??, channels.next()??)))
}

/// One to four hexadecimal digits, scaled to 8 bits.
fn channel(digits: &str) -> Option<u8> {
    let value = u32::from_str_radix(digits, 16).ok()?;
    let most = 16u32.checked_pow(digits.len() as u32).filter(|_| digits.len() <= 4)? - 1;
    u8::try_from(value * 255 / most).ok()
}

/// A control character or a character in UTF-8.
fn character(bytes: &[u8], mods: KeyModifiers, expired: bool) -> Step {
    let ctrl = mods | KeyModifiers::CONTROL;
    let first = bytes[0];
    let input = match first {
        b'\r' => key(KeyCode::Enter, mods),
        b'\t' => key(KeyCode::Tab, mods),
        0x08 | 0x7f => key(KeyCode::Backspace, mods),
        0x00 => key(KeyCode::Char(' '), ctrl),
        0x1b => key(KeyCode::Esc, mods),
        0x01..=0x1a => key(KeyCode::Char(char::from(first - 1 + b'a')), ctrl),
        0x1c..=0x1f => key(KeyCode::Char(char::from(first - 0x1c + b'\\')), ctrl),
        0x20..=0x7e => key(KeyCode::Char(char::from(first)), mods),
        _ => return utf8(bytes, mods, expired),
    };
    Step::Done(1, input)
}

fn utf8(bytes: &[u8], mods: KeyModifiers, expired: bool) -> Step {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Step::Done(1, None),
    };
    let have = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(have) {
        Ok(text) => {
            let typed = text.chars().next().filter(|c| !c.is_control());
            Step::Done(length, typed.and_then(|c| key(KeyCode::Char(c), mods)))
        }
        Err(e) if e.error_len().is_none() && !expired => Step::Need,
        Err(_) => Step::Done(1, None),
    }
}
