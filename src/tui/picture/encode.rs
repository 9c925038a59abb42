//! A picture becomes rows.

use super::{Canvas, Protocol};
use crate::tui::text::{Art, Ink, Row};
use crate::tui::theme::ColorDepth;
use base64::{Engine, engine::general_purpose::STANDARD};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage, imageops::FilterType};
use ratatui::style::{Color, Style};
use std::fmt::Write;
use std::io::Cursor;
use std::sync::Arc;

/// Rows of the tallest picture: most of a small window, a part of a large one.
const TALLEST: u32 = 20;
/// Pixels of a cell where the terminal doesn't say.
const CELL: (u16, u16) = (10, 20);
/// What kitty takes in one piece.
const PIECE: usize = 4096;
/// Marks that tell a placeholder its row, in kitty's order.
const ROWS: [char; TALLEST as usize] = [
    '\u{305}', '\u{30d}', '\u{30e}', '\u{310}', '\u{312}', '\u{33d}', '\u{33e}', '\u{33f}', '\u{346}', '\u{34a}',
    '\u{34b}', '\u{34c}', '\u{350}', '\u{351}', '\u{352}', '\u{357}', '\u{35b}', '\u{363}', '\u{364}', '\u{365}',
];
/// What stands in a cell that a strip is painted over: blank, and nothing that any other text has.
const BLANK: char = '\u{2800}';
const PLACEHOLDER: char = '\u{10eeee}';

/// The rows of a picture in at most so many columns. `id`: its number, of 24 bits and not 0.
pub(super) fn rows(picture: &DynamicImage, id: u32, columns: u16, canvas: Canvas) -> Option<Vec<Row>> {
    let (wide, high) = canvas.cell.filter(|(w, h)| *w > 1 && *h > 1).unwrap_or(CELL);
    let (wide, high) = (u32::from(wide), u32::from(high));
    let (columns, rows) = size(picture, (wide, high), u32::from(columns))?;
    match canvas.protocol {
        Protocol::Off => None,
        Protocol::Blocks => Some(blocks(&fitted(picture, columns, rows * 2), canvas.depth)),
        Protocol::Kitty => kitty(&fitted(picture, columns * wide, rows * high), id, columns, rows),
        Protocol::Iterm => strips(&fitted(picture, columns * wide, rows * high), columns, rows, |strip| {
            let png = png(strip)?;
            let size = png.len();
            let data = STANDARD.encode(png);
            let shape = format!("width={columns};height=1;preserveAspectRatio=0;doNotMoveCursor=1");
            Some(format!("\x1b]1337;File=inline=1;size={size};{shape}:{data}\x07"))
        }),
        Protocol::Sixel => strips(&fitted(picture, columns * wide, rows * high), columns, rows, |strip| {
            let (width, height) = (strip.width() as usize, strip.height() as usize);
            icy_sixel::sixel_encode(strip.as_raw(), width, height, &icy_sixel::EncodeOptions::default()).ok()
        }),
    }
}

/// Cells that the picture takes: as large as it is, or smaller.
fn size(picture: &DynamicImage, (wide, high): (u32, u32), columns: u32) -> Option<(u32, u32)> {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    if width < 1.0 || height < 1.0 || columns == 0 {
        return None;
    }
    let scale = (f64::from(columns * wide) / width).min(f64::from(TALLEST * high) / height).min(1.0);
    let cells = |pixels: f64, cell: u32, most: u32| ((pixels * scale / f64::from(cell)).round() as u32).clamp(1, most);
    Some((cells(width, wide, columns), cells(height, high, TALLEST)))
}

fn fitted(picture: &DynamicImage, width: u32, height: u32) -> RgbaImage {
    picture.resize_exact(width, height, FilterType::Triangle).to_rgba8()
}

/// Two pixels a cell; where one is clear, the other is half a block, and where both are, a blank.
fn blocks(picture: &RgbaImage, depth: Option<ColorDepth>) -> Vec<Row> {
    let color = |pixel: &Rgba<u8>| {
        let [r, g, b, a] = pixel.0;
        let color = Color::Rgb(r, g, b);
        (a >= 128).then(|| depth.map_or(Some(color), |depth| depth.fit(color))).flatten()
    };
    let row = |y: u32| {
        let mut row = Row::new();
        for x in 0..picture.width() {
            let (above, below) = (color(picture.get_pixel(x, y)), color(picture.get_pixel(x, y + 1)));
            let (sign, style) = match (above, below) {
                (Some(above), Some(below)) => ("▀", Style::new().fg(above).bg(below)),
                (Some(above), None) => ("▀", Style::new().fg(above)),
                (None, Some(below)) => ("▄", Style::new().fg(below)),
                (None, None) => (" ", Style::new()),
            };
            row.append(&Row::lead_in(sign, style));
        }
        row
    };
    (0..picture.height() / 2).map(|y| row(y * 2)).collect()
}

fn kitty(picture: &RgbaImage, id: u32, columns: u32, rows: u32) -> Option<Vec<Row>> {
    let data = STANDARD.encode(png(picture)?);
    let mut bytes = String::with_capacity(data.len() + data.len() / 100 + 100);
    let mut pieces = data.as_bytes().chunks(PIECE).filter_map(|piece| std::str::from_utf8(piece).ok()).peekable();
    let mut first = format!("i={id},f=100,a=T,U=1,c={columns},r={rows},");
    while let Some(piece) = pieces.next() {
        let more = u8::from(pieces.peek().is_some());
        write!(bytes, "\x1b_Gq=2,{}m={more};{piece}\x1b\\", std::mem::take(&mut first)).ok()?;
    }
    let bytes: Arc<str> = bytes.into();
    let style = Style::new().fg(Color::Rgb((id >> 16) as u8, (id >> 8) as u8, id as u8));
    let row = |mark: &char| {
        let rest = PLACEHOLDER.to_string().repeat(columns as usize - 1);
        let text = format!("{PLACEHOLDER}{mark}{}{rest}", ROWS[0]);
        let ink = Ink::Upload { id, bytes: bytes.clone() };
        with_art(&text, style, columns, ink)
    };
    Some(ROWS.iter().take(rows as usize).map(row).collect())
}

/// A strip of pixels for each row.
fn strips(
    picture: &RgbaImage,
    columns: u32,
    rows: u32,
    encode: impl Fn(&RgbaImage) -> Option<String>,
) -> Option<Vec<Row>> {
    let high = picture.height() / rows;
    let row = |y: u32| {
        let strip = image::imageops::crop_imm(picture, 0, y * high, picture.width(), high).to_image();
        let text = BLANK.to_string().repeat(columns as usize);
        Some(with_art(&text, Style::new(), columns, Ink::Paint(encode(&strip)?)))
    };
    (0..rows).map(row).collect()
}

fn with_art(text: &str, style: Style, columns: u32, ink: Ink) -> Row {
    let mut row = Row::lead_in(text, style);
    row.adorn(0, Arc::new(Art { text: text.to_owned(), columns: columns as u16, ink }));
    row
}

fn png(picture: &RgbaImage) -> Option<Vec<u8>> {
    let mut out = Cursor::new(vec![]);
    picture.write_to(&mut out, ImageFormat::Png).ok()?;
    Some(out.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::text::Ambiguous;

    fn picture(width: u32, height: u32) -> DynamicImage {
        RgbaImage::from_fn(width, height, |x, y| Rgba([x as u8, y as u8, 99, if x == 0 { 0 } else { 255 }])).into()
    }

    fn drawn(protocol: Protocol, width: u32, height: u32, columns: u16) -> Vec<Row> {
        let canvas = Canvas { protocol, depth: Some(ColorDepth::True), cell: Some((10, 20)) };
        rows(&picture(width, height), 0x01_0203, columns, canvas).expect("rows")
    }

    #[test]
    fn no_picture_is_larger_than_its_room_nor_than_itself() {
        for protocol in [Protocol::Blocks, Protocol::Kitty, Protocol::Iterm, Protocol::Sixel] {
            for (width, height, columns) in [(2000, 100, 60), (100, 2000, 60), (16, 16, 60), (1, 1, 1), (300, 200, 7)] {
                let rows = drawn(protocol, width, height, columns);
                let wide: Vec<usize> = rows.iter().map(|row| row.width(Ambiguous::Narrow)).collect();
                assert!((1..=20).contains(&rows.len()), "{protocol:?} {width}×{height}: {}", rows.len());
                assert!(wide.iter().all(|w| *w == wide[0] && (1..=usize::from(columns)).contains(w)), "{wide:?}");
                assert!(wide[0] <= (width as usize).div_ceil(10) && rows.len() <= (height as usize).div_ceil(20));
                assert!(rows.iter().all(|row| row.body().is_empty()), "nothing of it is text to be copied or found");
            }
        }
    }

    #[test]
    fn half_blocks_are_colours_and_what_is_clear_is_blank() {
        let rows = drawn(Protocol::Blocks, 40, 40, 60);
        assert_eq!((rows.len(), rows[0].width(Ambiguous::Narrow)), (2, 4));
        assert!(rows.iter().all(|row| row.art().is_none()));
        assert_eq!(rows[0].text().chars().filter(|c| *c == '▀').count(), 4);
    }

    #[test]
    fn kitty_gets_the_picture_once_and_in_pieces() {
        let rows = drawn(Protocol::Kitty, 600, 400, 60);
        assert_eq!(rows.len(), 20);
        let Some((_, art)) = rows[3].art() else { panic!("no art") };
        let Ink::Upload { id, bytes } = &art.ink else { panic!("{:?}", art.ink) };
        assert_eq!(*id, 0x01_0203);
        assert!(bytes.starts_with("\x1b_Gq=2,i=66051,f=100,a=T,U=1,c=60,r=20,m=1;") && bytes.ends_with("\x1b\\"));
        let pieces: Vec<&str> = bytes.split("\x1b_G").skip(1).collect();
        assert!(pieces.iter().all(|p| p.starts_with("q=2,") && p.len() < PIECE + 100));
        assert_eq!(pieces.iter().filter(|p| p.contains("m=0;")).count(), 1);
        assert!(rows[3].text().starts_with("\u{10eeee}\u{310}\u{305}\u{10eeee}"), "{:?}", rows[3].text());
    }

    #[test]
    fn strips_paint_one_row_each() {
        for (protocol, begin) in [(Protocol::Iterm, "\x1b]1337;File=inline=1;"), (Protocol::Sixel, "\x1bP")] {
            let rows = drawn(protocol, 100, 60, 60);
            assert_eq!(rows.len(), 3, "{protocol:?}");
            for row in rows {
                let Some((0, art)) = row.art() else { panic!("no art") };
                let Ink::Paint(bytes) = &art.ink else { panic!("{:?}", art.ink) };
                assert!(bytes.starts_with(begin), "{bytes:?}");
                assert_eq!((art.columns, art.text.chars().count()), (10, 10));
            }
        }
    }
}
