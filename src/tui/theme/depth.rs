//! How many colours the terminal has, and what becomes of a colour that it hasn't.

use crate::util::paths::Env;
use ratatui::style::Color;

/// Colours that can be shown. `None` leaves bold, dim, italic, underline and reverse.
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
        let modern = ["kitty", "alacritty", "ghostty", "wezterm", "foot", "contour"].iter().any(|t| term.contains(t));
        if matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct") || modern {
            ColorDepth::True
        } else if term.contains("256color") {
            ColorDepth::Ansi256
        } else {
            ColorDepth::Ansi16
        }
    }

    /// The nearest colour that the terminal has; none if it has no colours.
    pub fn fit(self, color: Color) -> Option<Color> {
        match (self, color) {
            (ColorDepth::None, _) => None,
            (ColorDepth::Ansi256, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest_256([r, g, b]))),
            (ColorDepth::Ansi16, Color::Rgb(r, g, b)) => Some(nearest_16([r, g, b], is_saturated([r, g, b]))),
            (ColorDepth::Ansi16, Color::Indexed(n)) => Some(nearest_16(indexed(n), is_saturated(indexed(n)))),
            (_, color) => Some(color),
        }
    }

    /// As [`ColorDepth::fit`], for the ground of words: of 256 colours none that is nearer to the words than the wanted one,
    /// whether that is dark or light. The cube is coarse there, and what stands on its nearest colour may be unreadable.
    pub fn fit_tint(self, color: Color) -> Option<Color> {
        match (self, color) {
            (ColorDepth::Ansi256, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest_tint([r, g, b]))),
            (_, color) => self.fit(color),
        }
    }

    /// As [`ColorDepth::fit`], but of sixteen colours only black, white and the grays between them.
    pub fn fit_neutral(self, color: Color) -> Option<Color> {
        match (self, color) {
            (ColorDepth::Ansi16, Color::Rgb(r, g, b)) => Some(nearest_16([r, g, b], false)),
            (_, color) => self.fit(color),
        }
    }
}

/// Relative luminance after WCAG 2, from 0 to 1.
pub(super) fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = rgb.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The sixteen colours with the values that xterm gives them.
pub(super) const SIXTEEN: [(Color, [u8; 3]); 16] = [
    (Color::Black, [0, 0, 0]),
    (Color::Red, [205, 0, 0]),
    (Color::Green, [0, 205, 0]),
    (Color::Yellow, [205, 205, 0]),
    (Color::Blue, [0, 0, 238]),
    (Color::Magenta, [205, 0, 205]),
    (Color::Cyan, [0, 205, 205]),
    (Color::Gray, [229, 229, 229]),
    (Color::DarkGray, [127, 127, 127]),
    (Color::LightRed, [255, 0, 0]),
    (Color::LightGreen, [0, 255, 0]),
    (Color::LightYellow, [255, 255, 0]),
    (Color::LightBlue, [92, 92, 255]),
    (Color::LightMagenta, [255, 0, 255]),
    (Color::LightCyan, [0, 255, 255]),
    (Color::White, [255, 255, 255]),
];

/// Levels of a channel in the colour cube of the 256 colours.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// What an indexed colour looks like (the first sixteen as xterm has them).
pub(super) fn indexed(n: u8) -> [u8; 3] {
    match n {
        0..16 => SIXTEEN[n as usize].1,
        16..232 => [(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6].map(|level| CUBE[level as usize]),
        232.. => [8 + (n - 232) * 10; 3],
    }
}

fn nearest_256(rgb: [u8; 3]) -> u8 {
    let level = |v: u8| (0..6).min_by_key(|&l| CUBE[l].abs_diff(v)).unwrap_or(0) as u8;
    let [r, g, b] = rgb.map(level);
    let cube = 16 + 36 * r + 6 * g + b;
    let mean = rgb.iter().map(|&v| v as u32).sum::<u32>() / 3;
    let gray = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    if distance(indexed(gray), rgb) < distance(indexed(cube), rgb) { gray } else { cube }
}

fn nearest_tint(rgb: [u8; 3]) -> u8 {
    let wanted = luminance(rgb);
    let is_no_nearer = |n: &u8| {
        let has = luminance(indexed(*n));
        if wanted < 0.4 { has <= wanted * 1.02 } else { has >= wanted * 0.98 }
    };
    // Black and white are among the candidates: there is always one.
    (16..=255).filter(is_no_nearer).min_by_key(|n| distance(indexed(*n), rgb)).unwrap_or_else(|| nearest_256(rgb))
}

/// By hue first: a pale blue is to become blue, not gray.
fn nearest_16(rgb: [u8; 3], saturated: bool) -> Color {
    let alike = SIXTEEN.iter().filter(|(_, of)| (spread(*of) > 0) == saturated);
    let hue = |of: [u8; 3]| if saturated { distance(stretch(of), stretch(rgb)) * 4 } else { 0 };
    alike.min_by_key(|(_, of)| hue(*of) + distance(*of, rgb)).map_or(Color::Reset, |(color, _)| *color)
}

fn is_saturated(rgb: [u8; 3]) -> bool {
    spread(rgb) >= 40
}

fn spread(rgb: [u8; 3]) -> u8 {
    rgb.iter().max().unwrap_or(&0) - rgb.iter().min().unwrap_or(&0)
}

/// The hue at full strength.
fn stretch(rgb: [u8; 3]) -> [u8; 3] {
    let low = *rgb.iter().min().unwrap_or(&0);
    let range = spread(rgb).max(1) as u32;
    rgb.map(|v| ((v - low) as u32 * 255 / range) as u8)
}

/// Squared, with the weights that the eye gives the channels.
fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    let d = |i: usize| (a[i] as i32 - b[i] as i32).pow(2) as u32;
    2 * d(0) + 4 * d(1) + 3 * d(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(vars: &[(&str, &str)]) -> ColorDepth {
        ColorDepth::detect(&|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
    }

    #[test]
    fn from_the_environment() {
        assert_eq!(detect(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), ColorDepth::True);
        assert_eq!(detect(&[("TERM", "xterm-256color")]), ColorDepth::Ansi256);
        assert_eq!(detect(&[("TERM", "xterm")]), ColorDepth::Ansi16);
        assert_eq!(detect(&[("TERM", "xterm-direct")]), ColorDepth::True);
        assert_eq!(detect(&[("TERM", "xterm-kitty")]), ColorDepth::True);
        assert_eq!(detect(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]), ColorDepth::None);
        assert_eq!(detect(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), ColorDepth::None);
        assert_eq!(detect(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]), ColorDepth::Ansi256);
    }

    #[test]
    fn a_ground_of_256_colours_is_no_nearer_to_its_words() {
        for rgb in [[0x08, 0x3e, 0x4c], [0x33, 0x46, 0x7c], [0xe3, 0xdc, 0xc6], [0, 0, 0], [255, 255, 255]] {
            let [r, g, b] = rgb;
            let Some(Color::Indexed(n)) = ColorDepth::Ansi256.fit_tint(Color::Rgb(r, g, b)) else {
                panic!("no index for {rgb:?}");
            };
            let (wanted, has) = (luminance(rgb), luminance(indexed(n)));
            assert!(if wanted < 0.4 { has <= wanted * 1.02 } else { has >= wanted * 0.98 }, "{rgb:?}: {n}");
        }
        assert_eq!(ColorDepth::True.fit_tint(Color::Rgb(1, 2, 3)), Some(Color::Rgb(1, 2, 3)));
        assert_eq!(ColorDepth::None.fit_tint(Color::Rgb(1, 2, 3)), None);
    }

    #[test]
    fn colours_find_their_nearest() {
        let to_256 = |r, g, b| ColorDepth::Ansi256.fit(Color::Rgb(r, g, b));
        assert_eq!(to_256(255, 0, 0), Some(Color::Indexed(196)));
        assert_eq!(to_256(128, 128, 128), Some(Color::Indexed(244)));
        assert_eq!(to_256(0, 0, 0), Some(Color::Indexed(16)));
        let to_16 = |r, g, b| ColorDepth::Ansi16.fit(Color::Rgb(r, g, b));
        assert_eq!(to_16(0x89, 0xb4, 0xfa), Some(Color::LightBlue));
        assert_eq!(to_16(0x00, 0x5f, 0x00), Some(Color::Green));
        assert_eq!(to_16(0x80, 0x80, 0x88), Some(Color::DarkGray));
        assert_eq!(ColorDepth::Ansi16.fit(Color::Indexed(196)), Some(Color::LightRed));
        assert_eq!(ColorDepth::Ansi16.fit(Color::Red), Some(Color::Red));
        assert_eq!(ColorDepth::None.fit(Color::Red), None);
    }
}
