//! Text of others made safe to print. Every place that prints what a model, a tool, a file name or a server said goes
//! through here (or through `ansi`, which keeps colours).
//!
//! Escape sequences are dropped, control characters shown as their pictures (`␀`), bidi controls and other characters
//! that reorder or hide text as marks (`<U+202E>`).

use super::escape::{Escapes, Piece, is_mark, picture, show_mark};
use super::{Ambiguous, Row};
use std::borrow::Cow;

/// Columns between two tab stops.
pub const TAB: usize = 4;

/// Several lines: newlines and tabs stay, `\r\n` and a lone `\r` become `\n`. Borrows when there is nothing to do, which
/// is the rule.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || is_mark(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    Cleaner::new().push(text, &mut out);
    Cow::Owned(out)
}

/// Several lines that are shown as they are, to be judged by a person: nothing is dropped or hidden. Each control character
/// has its picture (`␛[2K`), the carriage return too; what takes no room is a mark.
pub fn exact(text: &str) -> Cow<'_, str> {
    let odd = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_mark(c) || is_unseen(c);
    if !text.chars().any(odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() && odd(c) => out.push(picture(c)),
            c if odd(c) => show_mark(c, &mut out),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Characters without width that join nothing one would see.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// One line, for names, titles and errors: newlines are shown as `␊`, tabs are a blank.
pub fn line(text: &str) -> Cow<'_, str> {
    match clean(text) {
        Cow::Borrowed(text) if !text.contains(['\n', '\t']) => Cow::Borrowed(text),
        text => Cow::Owned(text.replace('\n', "␊").replace('\t', " ")),
    }
}

/// Clean text with its tabs as blanks up to the next stop, where the text begins in `column`.
pub fn expand_tabs(text: &str, column: usize, ambiguous: Ambiguous) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut at) = (String::with_capacity(text.len() + 8), column);
    for (index, piece) in text.split('\t').enumerate() {
        if index > 0 {
            let columns = TAB - at % TAB;
            out.extend(std::iter::repeat_n(' ', columns));
            at += columns;
        }
        out.push_str(piece);
        at = match piece.rsplit_once('\n') {
            Some((_, last)) => column + ambiguous.width(last),
            None => at + ambiguous.width(piece),
        };
    }
    Cow::Owned(out)
}

/// Rows of any text of others: one per line, in one style.
pub fn rows(text: &str, style: ratatui::style::Style, ambiguous: Ambiguous) -> Vec<Row> {
    let text = clean(text);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    text.split('\n').map(|line| Row::styled(&expand_tabs(line, 0, ambiguous), style)).collect()
}

/// [`clean`] over deltas: a sequence that is cut between two of them is dropped all the same.
#[derive(Debug, Clone, Default)]
pub struct Cleaner {
    escapes: Escapes,
    /// The last character was `\r`; a `\n` after it says nothing new.
    returned: bool,
}

impl Cleaner {
    pub fn new() -> Self {
        Cleaner::default()
    }

    /// Appends the clean form of `delta` to `out`.
    pub fn push(&mut self, delta: &str, out: &mut String) {
        let Cleaner { escapes, returned } = self;
        escapes.read(delta, &mut |piece| {
            let after_return = std::mem::replace(returned, piece == Piece::Control('\r'));
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Control('\n') if after_return => {}
                Piece::Control('\n' | '\r') => out.push('\n'),
                Piece::Control('\t') => out.push('\t'),
                Piece::Control(c) => out.push(picture(c)),
                Piece::Mark(c) => show_mark(c, out),
                Piece::Sgr(_) | Piece::EraseLine(_) => {}
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_judged_is_shown_to_the_last_character() {
        let hidden = "echo \x1b]0;\"; rm -rf x #\x07\r\u{202e}a\u{200b}b\u{9b}2K\n\tc";
        assert_eq!(exact(hidden), "echo ␛]0;\"; rm -rf x #␇␍<U+202E>a<U+200B>b<U+009B>2K\n\tc");
        assert!(matches!(exact("plain\n\ttext é"), Cow::Borrowed(_)));
        assert_eq!(clean(&exact(hidden)), exact(hidden), "nothing is left to be cleaned");
    }
}
