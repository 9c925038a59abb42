//! Select Graphic Rendition: the parameters of `CSI … m` become a style.

use crate::tui::theme::ColorDepth;
use ratatui::style::{Color, Modifier, Style};

/// The eight colours and their bright forms, by their SGR number.
const PALETTE: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// Changes `style` by the parameters (`1;38;5;208`, `38:2::255:0:0`). Unknown ones are ignored; private ones (`>4;2`)
/// too.
pub(super) fn apply(style: &mut Style, parameters: &str, depth: ColorDepth) {
    if !parameters.bytes().all(|b| b.is_ascii_digit() || matches!(b, b';' | b':')) {
        return;
    }
    let mut groups = parameters.split(';');
    while let Some(group) = groups.next() {
        if let Some((code, rest)) = group.split_once(':') {
            colon_form(style, number(code), rest, depth);
            continue;
        }
        match number(group) {
            code @ (38 | 48 | 58) => {
                let color = extended(&mut groups.by_ref().map(number));
                set(style, code, color, depth);
            }
            code => simple(style, code, depth),
        }
    }
}

fn number(digits: &str) -> u16 {
    digits.parse().unwrap_or(if digits.is_empty() { 0 } else { u16::MAX })
}

/// `38:5:n`, `38:2:r:g:b`, `38:2:space:r:g:b`, `4:3`.
fn colon_form(style: &mut Style, code: u16, rest: &str, depth: ColorDepth) {
    let mut values: Vec<u16> = rest.split(':').map(number).collect();
    match code {
        4 => simple(style, if values == [0] { 24 } else { 4 }, depth),
        38 | 48 | 58 => {
            if values.first() == Some(&2) && values.len() >= 5 {
                values.remove(1);
            }
            set(style, code, extended(&mut values.into_iter()), depth);
        }
        _ => {}
    }
}

/// The colour after 38 or 48.
fn extended(values: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || values.next().and_then(|v| u8::try_from(v).ok());
    match byte()? {
        5 => byte().map(|n| PALETTE.get(n as usize).copied().unwrap_or(Color::Indexed(n))),
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        _ => None,
    }
}

fn set(style: &mut Style, code: u16, color: Option<Color>, depth: ColorDepth) {
    let Some(color) = color.and_then(|c| depth.fit(c)) else { return };
    match code {
        38 => style.fg = Some(color),
        48 => style.bg = Some(color),
        // the colour of the underline: not shown
        _ => {}
    }
}

fn simple(style: &mut Style, code: u16, depth: ColorDepth) {
    let palette = |n: u16| depth.fit(PALETTE[n as usize]);
    let add = |style: &mut Style, modifier: Modifier| style.add_modifier.insert(modifier);
    let drop = |style: &mut Style, modifier: Modifier| style.add_modifier.remove(modifier);
    match code {
        0 => *style = Style::new(),
        1 => add(style, Modifier::BOLD),
        2 => add(style, Modifier::DIM),
        3 => add(style, Modifier::ITALIC),
        4 | 21 => add(style, Modifier::UNDERLINED),
        7 => add(style, Modifier::REVERSED),
        9 => add(style, Modifier::CROSSED_OUT),
        22 => drop(style, Modifier::BOLD | Modifier::DIM),
        23 => drop(style, Modifier::ITALIC),
        24 => drop(style, Modifier::UNDERLINED),
        27 => drop(style, Modifier::REVERSED),
        29 => drop(style, Modifier::CROSSED_OUT),
        30..=37 => style.fg = palette(code - 30),
        39 => style.fg = None,
        40..=47 => style.bg = palette(code - 40),
        49 => style.bg = None,
        90..=97 => style.fg = palette(code - 82),
        100..=107 => style.bg = palette(code - 92),
        // blinking (5, 6) moves; hidden text (8) hides: neither is wanted here
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(parameters: &str, depth: ColorDepth) -> Style {
        let mut style = Style::new();
        apply(&mut style, parameters, depth);
        style
    }

    #[test]
    fn colours_of_all_depths() {
        assert_eq!(style("31", ColorDepth::True).fg, Some(Color::Red));
        assert_eq!(style("1;95", ColorDepth::True).fg, Some(Color::LightMagenta));
        assert_eq!(style("38;5;208", ColorDepth::True).fg, Some(Color::Indexed(208)));
        assert_eq!(style("38;5;9", ColorDepth::True).fg, Some(Color::LightRed));
        assert_eq!(style("48;2;1;2;3;4", ColorDepth::True).bg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(style("38:2::1:2:3", ColorDepth::True).fg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(style("38:2:1:2:3", ColorDepth::True).fg, Some(Color::Rgb(1, 2, 3)));
        assert_eq!(style("38;2;255;0;0", ColorDepth::Ansi256).fg, Some(Color::Indexed(196)));
        assert_eq!(style("1;31", ColorDepth::None), Style::new().add_modifier(Modifier::BOLD));
    }

    #[test]
    fn resets_and_nonsense() {
        assert_eq!(style("1;31;0", ColorDepth::True), Style::new());
        assert_eq!(style("1;31;", ColorDepth::True), Style::new());
        assert_eq!(style("31;39;1;22;4:3;24", ColorDepth::True), Style::new());
        for odd in ["38", "38;5", "38;2;1;2", "38;9;9", "99999999", "38;5;256", ">4;2", "?1", "8", "4:"] {
            assert_eq!(style(odd, ColorDepth::True).fg, None, "{odd}");
        }
    }
}
