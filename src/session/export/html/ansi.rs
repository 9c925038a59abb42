//! Output of tools with its colours: SGR sequences become spans, a `\r` shows the last state of its line, all other
//! sequences are dropped.

use super::page::Page;
use crate::session::plain;

/// Parts of a line, each with how it looks.
type Line = Vec<(Look, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Look {
    fore: Option<Colour>,
    back: Option<Colour>,
    bold: bool,
    dim: bool,
    italic: bool,
    underlined: bool,
    struck: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    /// One of the sixteen.
    Named(u8),
    Rgb(u8, u8, u8),
}

pub fn write(page: &mut Page, output: &str) {
    let mut look = Look::default();
    for (n, line) in output.split('\n').enumerate() {
        page.raw(if n == 0 { "" } else { "\n" });
        for (look, text) in laid_out(line.trim_end_matches('\r'), &mut look) {
            span(page, &look, &text);
        }
    }
}

/// A line as it looks in the end.
fn laid_out(line: &str, look: &mut Look) -> Line {
    let mut parts = Line::new();
    for (n, state) in line.split('\r').enumerate() {
        if n > 0 && !state.is_empty() {
            parts.clear();
        }
        let mut rest = state;
        while let Some(at) = rest.find("\x1b[") {
            push(&mut parts, *look, &rest[..at]);
            let behind = &rest[at + 2..];
            let end = behind.find(|c| ('@'..='~').contains(&c));
            let Some(end) = end.filter(|end| behind[..*end].bytes().all(|b| (b' '..=b'?').contains(&b))) else {
                rest = behind;
                continue;
            };
            if behind.as_bytes()[end] == b'm' {
                look.change(&behind[..end]);
            }
            rest = &behind[end + 1..];
        }
        push(&mut parts, *look, rest);
    }
    parts
}

fn push(parts: &mut Line, look: Look, text: &str) {
    let text = plain(text);
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some((last, so_far)) if *last == look => so_far.push_str(&text),
        _ => parts.push((look, text)),
    }
}

impl Look {
    /// The parameters of `CSI … m`; unknown ones are ignored.
    fn change(&mut self, parameters: &str) {
        let mut values =
            parameters.split([';', ':']).map(|p| if p.is_empty() { Some(0) } else { p.parse::<u16>().ok() });
        while let Some(value) = values.next() {
            match value.unwrap_or(u16::MAX) {
                0 => *self = Look::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underlined = true,
                9 => self.struck = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underlined = false,
                29 => self.struck = false,
                n @ (30..=37 | 90..=97) => self.fore = Some(Colour::Named(named(n))),
                n @ (40..=47 | 100..=107) => self.back = Some(Colour::Named(named(n - 10))),
                38 => self.fore = extended(&mut values).or(self.fore),
                48 => self.back = extended(&mut values).or(self.back),
                39 => self.fore = None,
                49 => self.back = None,
                _ => {}
            }
        }
    }
}

fn named(code: u16) -> u8 {
    let number = if code >= 90 { code - 90 + 8 } else { code - 30 };
    number as u8 // at most 15
}

/// What follows 38 or 48.
fn extended(values: &mut impl Iterator<Item = Option<u16>>) -> Option<Colour> {
    let mut byte = || values.next().flatten().and_then(|v| u8::try_from(v).ok());
    match byte()? {
        5 => byte().map(indexed),
        2 => Some(Colour::Rgb(byte()?, byte()?, byte()?)),
        _ => None,
    }
}

/// The 256 colours: sixteen named, a cube of six steps, greys.
fn indexed(n: u8) -> Colour {
    let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match n {
        0..16 => Colour::Named(n),
        16..232 => Colour::Rgb(step((n - 16) / 36), step((n - 16) / 6 % 6), step((n - 16) % 6)),
        232.. => Colour::Rgb(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
    }
}

fn span(page: &mut Page, look: &Look, text: &str) {
    if *look == Look::default() {
        page.text(text);
        return;
    }
    let (mut classes, mut style) = (Vec::new(), String::new());
    let flags =
        [(look.bold, "bold"), (look.dim, "dim"), (look.italic, "it"), (look.underlined, "ul"), (look.struck, "st")];
    classes.extend(flags.iter().filter(|(on, _)| *on).map(|(_, class)| (*class).to_owned()));
    for (colour, letter, property) in [(look.fore, "f", "color"), (look.back, "b", "background")] {
        match colour {
            Some(Colour::Named(n)) => classes.push(format!("{letter}{n}")),
            Some(Colour::Rgb(r, g, b)) => style += &format!("{property}:#{r:02x}{g:02x}{b:02x};"),
            None => {}
        }
    }
    page.raw("<span class=\"").raw(&classes.join(" ")).raw("\"");
    if !style.is_empty() {
        page.raw(" style=\"").raw(&style).raw("\"");
    }
    page.raw(">").text(text).raw("</span>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(output: &str) -> String {
        let mut page = Page::default();
        write(&mut page, output);
        page.end()
    }

    #[test]
    fn colours_become_spans_and_go_over_lines() {
        assert_eq!(
            html("a\x1b[1;31mred\nstill\x1b[0m b"),
            "a<span class=\"bold f1\">red</span>\n<span class=\"bold f1\">still</span> b"
        );
        assert_eq!(html("\x1b[38;5;208mx\x1b[39my"), "<span class=\"\" style=\"color:#ff8700;\">x</span>y");
        assert_eq!(html("\x1b[48;2;1;2;3mx"), "<span class=\"\" style=\"background:#010203;\">x</span>");
    }

    #[test]
    fn progress_shows_its_last_state_and_the_rest_is_dropped() {
        assert_eq!(html("10%\r50%\rdone\r\nnext\r"), "done\nnext");
        assert_eq!(html("\x1b[2J\x1b]0;t\x07a<b>\x1b[999;xm\x1b["), "a&lt;b&gt;m");
    }
}
