//! Control sequences (`CSI … final`) → keys, mouse, focus, answers.
//!
//! Encodings: xterm (`CSI 1 ; mods A`, `CSI n ~`), modifyOtherKeys (`CSI 27 ; mods ; code ~`), the kitty keyboard
//! protocol (`CSI code ; mods u`), SGR mouse (`CSI < b ; x ; y M`), focus (`CSI I`, `CSI O`).

use super::key::{Key, KeyCode, KeyModifiers};
use super::{Answer, Input, Mouse, MouseKind};

/// The meaning of a whole sequence: `params` is what stands between `CSI` and the final byte. None: nothing for us.
pub fn decode(params: &[u8], last: u8) -> Option<Input> {
    let text = std::str::from_utf8(params).ok()?;
    match text.as_bytes().first() {
        Some(b'<') => mouse(&text[1..], last),
        Some(b'?') if last == b'u' => Some(Input::Answer(Answer::KeyboardFlags(text[1..].parse().ok()?))),
        Some(b'?' | b'>' | b'=') => None,
        _ if text.bytes().any(|b| !matches!(b, b'0'..=b'9' | b';' | b':')) => None,
        _ => match last {
            b'I' => Some(Input::Focus(true)),
            b'O' => Some(Input::Focus(false)),
            _ => key(&fields(text), last).map(Input::Key),
        },
    }
}

/// Semicolon fields, each with its colon subfields; an empty number is 0.
fn fields(text: &str) -> Vec<Vec<u32>> {
    let number = |s: &str| s.parse().unwrap_or(0);
    text.split(';').map(|field| field.split(':').map(number).collect()).collect()
}

fn key(fields: &[Vec<u32>], last: u8) -> Option<Key> {
    let get = |i: usize| fields.get(i).and_then(|f| f.first()).copied().unwrap_or(0);
    // The second subfield of the modifiers is the event's kind; 3 is a release.
    if fields.get(1).and_then(|f| f.get(1)) == Some(&3) {
        return None;
    }
    let mods = modifiers(get(1));
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        // A cursor position report looks like this, too; only F3 with modifiers has a 1 in front.
        b'R' if get(0) == 1 && (2..=16).contains(&get(1)) => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        b'Z' => KeyCode::BackTab,
        b'~' if get(0) == 27 => return coded(get(2), mods),
        b'~' => tilde(get(0))?,
        b'u' => return coded(get(0), mods),
        _ => return None,
    };
    Some(Key::new(code, mods))
}

fn tilde(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        n @ 11..=15 => KeyCode::F(n as u8 - 10),
        n @ 17..=21 => KeyCode::F(n as u8 - 11),
        n @ 23..=24 => KeyCode::F(n as u8 - 12),
        _ => return None,
    })
}

/// A key by its Unicode code point, or by a number of kitty's private area.
fn coded(code: u32, mods: KeyModifiers) -> Option<Key> {
    let code = match code {
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        n @ 57399..=57408 => KeyCode::Char(char::from(b'0' + (n - 57399) as u8)),
        n @ 57409..=57413 => KeyCode::Char(['.', '/', '*', '-', '+'][(n - 57409) as usize]),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        57344..=63743 => return None,
        n => KeyCode::Char(char::from_u32(n).filter(|c| !c.is_control())?),
    };
    Some(Key::new(code, mods))
}

fn modifiers(param: u32) -> KeyModifiers {
    let bits = param.saturating_sub(1);
    let each = [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL, KeyModifiers::SUPER];
    let set = each.iter().enumerate().filter(|(i, _)| bits & (1 << i) != 0);
    set.fold(KeyModifiers::NONE, |all, (_, m)| all | *m)
}

fn mouse(text: &str, last: u8) -> Option<Input> {
    let mut numbers = text.split(';').map(|n| n.parse::<u16>().ok());
    let (button, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    Some(Input::Mouse(Mouse {
        kind: mouse_kind(button, last == b'm'),
        column: column.saturating_sub(1),
        row: row.saturating_sub(1),
    }))
}

/// `button` as xterm codes it: 4, 8 and 16 are modifiers, 32 a move, 64 the wheel.
pub fn mouse_kind(button: u16, released: bool) -> MouseKind {
    match button & !0b1_1100 {
        64 => MouseKind::WheelUp,
        65 => MouseKind::WheelDown,
        0 if released => MouseKind::Release,
        0 => MouseKind::Press,
        32 => MouseKind::Drag,
        _ => MouseKind::Other,
    }
}
