//! A terminal's screen as an SVG picture, with the colours that the program really used.

use std::fmt::Write;
use vt100::{Cell, Color, Screen};

const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 14.0;
/// Foreground and background of a terminal that is dark, and of one that is light.
pub const DARK: Ground = ("#d8dee9", "#16181d");
pub const LIGHT: Ground = ("#1b1d22", "#ffffff");
const ANSI: [&str; 16] = [
    "#1d1f21", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9", "#5c6370", "#ff7a85",
    "#b5e890", "#ffd68a", "#82c7ff", "#e39dff", "#7fdbe6", "#ffffff",
];

pub type Ground = (&'static str, &'static str);

/// The whole screen of a dark terminal.
pub fn picture(screen: &Screen) -> String {
    picture_on(screen, DARK)
}

/// The whole screen. Cells of one style in a row become one text element.
pub fn picture_on(screen: &Screen, ground: Ground) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let width = f32::from(columns) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(rows) * CELL.1 + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        ground.1
    );
    for row in 0..rows {
        draw_row(&mut svg, screen, row, columns, ground);
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_row(svg: &mut String, screen: &Screen, row: u16, columns: u16, ground: Ground) {
    let mut column = 0;
    while column < columns {
        let Some(cell) = screen.cell(row, column) else { break };
        let (start, style) = (column, style(cell, ground));
        let mut text = String::new();
        while let Some(cell) = screen.cell(row, column).filter(|c| column < columns && self::style(c, ground) == style)
        {
            if !cell.is_wide_continuation() {
                text.push_str(if cell.has_contents() { cell.contents() } else { " " });
            }
            column += 1;
        }
        draw_run(svg, row, start, column - start, &text, &style);
    }
}

#[derive(PartialEq)]
struct Style {
    fg: String,
    bg: Option<String>,
    more: &'static str,
    underlined: bool,
}

fn style(cell: &Cell, (foreground, background): Ground) -> Style {
    let fg = hex(cell.fgcolor()).unwrap_or_else(|| foreground.to_owned());
    let bg = hex(cell.bgcolor());
    let (fg, bg) = if cell.inverse() { (bg.unwrap_or_else(|| background.to_owned()), Some(fg)) } else { (fg, bg) };
    let more = match (cell.bold(), cell.italic(), cell.dim()) {
        (true, true, _) => " font-weight=\"bold\" font-style=\"italic\"",
        (true, false, _) => " font-weight=\"bold\"",
        (false, true, true) => " font-style=\"italic\" opacity=\"0.65\"",
        (false, true, false) => " font-style=\"italic\"",
        (false, false, true) => " opacity=\"0.65\"",
        (false, false, false) => "",
    };
    Style { fg, bg, more, underlined: cell.underline() }
}

fn draw_run(svg: &mut String, row: u16, column: u16, width: u16, text: &str, style: &Style) {
    let (x, y) = (MARGIN + f32::from(column) * CELL.0, MARGIN + f32::from(row) * CELL.1);
    let wide = f32::from(width) * CELL.0;
    if let Some(bg) = &style.bg {
        let _ =
            writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{}\" fill=\"{bg}\"/>", CELL.1);
    }
    if text.trim().is_empty() {
        return;
    }
    let length = panto::util::text::width(text.trim_end());
    let text = text.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");

    let line = if style.underlined { " text-decoration=\"underline\"" } else { "" };
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\"{}{line} xml:space=\"preserve\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text>",
        y + 13.5,
        style.fg,
        style.more,
        length as f32 * CELL.0,
    );
}

fn hex(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Idx(i @ 0..16) => Some(ANSI[usize::from(i)].to_owned()),
        Color::Idx(i @ 16..232) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let i = i - 16;
            Some(format!("#{:02x}{:02x}{:02x}", level(i / 36), level(i / 6 % 6), level(i % 6)))
        }
        Color::Idx(i) => {
            let grey = 8 + 10 * (i - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
    }
}
