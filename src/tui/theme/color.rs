//! Colours as they are written: `#rrggbb`, `0`…`255`, `default`, the names of the sixteen.

use ratatui::style::Color;

/// Names of the sixteen colours; `bright-` ones with their hyphen.
const NAMES: [(&str, Color); 18] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("gray", Color::DarkGray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
    ("default", Color::Reset),
];

/// The colour; `Color::Reset` is the terminal's own. None if it is none.
pub(super) fn parse(text: &str) -> Option<Color> {
    if let Some(digits) = text.strip_prefix('#') {
        return hex(digits);
    }
    if let Ok(index) = text.parse::<u8>() {
        return Some(Color::Indexed(index));
    }
    NAMES.iter().find(|(name, _)| *name == text).map(|(_, color)| *color)
}

fn hex(digits: &str) -> Option<Color> {
    if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some(Color::Rgb(r, g, b))
}
