//! The one reader of text that may hold escape sequences, for `sanitize` and `ansi`.
//!
//! A state machine over characters (after ECMA-48), so that a sequence cut between two chunks is still one sequence.
//! CSI, OSC, DCS, APC, PM, SOS and two-character escapes are recognised in their 7-bit and 8-bit (C1) forms; only SGR
//! comes out, as data. A string that is never closed ends at the next line or after [`LONGEST`] characters, so that
//! hostile text cannot hide all that follows it.

/// Characters of an OSC or DCS string after which it counts as never closed.
const LONGEST: usize = 4096;
/// Characters of a CSI sequence's parameters that are kept.
const PARAMETERS: usize = 128;

/// A piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Characters that are safe to print.
    Text(&'a str),
    /// A control character (C0 or DEL), among them `\n`, `\r`, `\t`, `\x08`.
    Control(char),
    /// A character that changes how others are shown: bidi controls, line separators, tags.
    Mark(char),
    /// The parameters of `CSI … m`.
    Sgr(&'a str),
    /// `CSI … K`: the rest of the line, or all of it, is erased.
    EraseLine(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// Within CSI.
    Csi,
    /// Within a string that ST or BEL closes; with the number of its characters.
    Control(usize),
    /// After ESC within such a string.
    ControlEscape,
}

/// The reader's memory between two chunks.
#[derive(Debug, Clone, Default)]
pub(super) struct Escapes {
    state: State,
    parameters: String,
}

impl Escapes {
    /// Reads a chunk and hands its pieces to `sink`, in order.
    pub fn read(&mut self, text: &str, sink: &mut impl FnMut(Piece)) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.state == State::Ground {
                let plain = plain_prefix(rest);
                if plain > 0 {
                    sink(Piece::Text(&rest[..plain]));
                    rest = &rest[plain..];
                    continue;
                }
            }
            let Some(c) = rest.chars().next() else { break };
            rest = &rest[c.len_utf8()..];
            self.step(c, sink);
        }
    }

    fn step(&mut self, c: char, sink: &mut impl FnMut(Piece)) {
        match self.state {
            State::Ground => self.ground(c, sink),
            State::Escape => self.escape(c, sink),
            State::Csi => self.csi(c, sink),
            State::Control(length) => self.string(c, length, sink),
            State::ControlEscape if c == '\\' => self.state = State::Ground,
            State::ControlEscape => self.escape(c, sink),
        }
    }

    fn ground(&mut self, c: char, sink: &mut impl FnMut(Piece)) {
        self.state = State::Ground;
        match c {
            '\x1b' => self.state = State::Escape,
            '\u{9b}' => self.begin_csi(),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => self.state = State::Control(0),
            '\u{80}'..='\u{9f}' => {}
            c if c.is_control() => sink(Piece::Control(c)),
            c if is_mark(c) => sink(Piece::Mark(c)),
            c => sink(Piece::Text(c.encode_utf8(&mut [0; 4]))),
        }
    }

    fn escape(&mut self, c: char, sink: &mut impl FnMut(Piece)) {
        match c {
            '[' => self.begin_csi(),
            ']' | 'P' | 'X' | '^' | '_' => self.state = State::Control(0),
            // intermediates of a longer escape, as in `ESC ( B`
            ' '..='/' => self.state = State::Escape,
            '0'..='~' => self.state = State::Ground,
            c => self.ground(c, sink),
        }
    }

    fn begin_csi(&mut self) {
        self.parameters.clear();
        self.state = State::Csi;
    }

    fn csi(&mut self, c: char, sink: &mut impl FnMut(Piece)) {
        match c {
            ' '..='?' if self.parameters.len() < PARAMETERS => self.parameters.push(c),
            ' '..='?' => {}
            '@'..='~' => {
                self.state = State::Ground;
                match c {
                    'm' => sink(Piece::Sgr(&self.parameters)),
                    'K' => sink(Piece::EraseLine(&self.parameters)),
                    _ => {}
                }
            }
            c => self.ground(c, sink),
        }
    }

    fn string(&mut self, c: char, length: usize, sink: &mut impl FnMut(Piece)) {
        match c {
            '\x07' | '\u{9c}' | '\x18' | '\x1a' => self.state = State::Ground,
            '\x1b' => self.state = State::ControlEscape,
            '\n' | '\r' => self.ground(c, sink),
            _ if length >= LONGEST => self.ground(c, sink),
            _ => self.state = State::Control(length + 1),
        }
    }
}

/// Bytes at the beginning of `text` that need no look at their characters.
fn plain_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            0x20..=0x7e => at += 1,
            // only these lead bytes begin a C1 control or a mark: U+0080…, U+061C, U+2000…, U+E0000…
            0xc2 | 0xd8 | 0xe2 | 0xf3 => {
                let Some(c) = text[at..].chars().next().filter(|c| !c.is_control() && !is_mark(*c)) else { break };
                at += c.len_utf8();
            }
            0x80.. => at += 1,
            _ => break,
        }
    }
    at
}

/// True for characters that reorder, hide or split the text around them.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// How a mark is shown.
pub(super) fn show_mark(c: char, out: &mut String) {
    use std::fmt::Write;
    // writing to a String does not fail
    let _ = write!(out, "<U+{:04X}>", c as u32);
}

/// How a control character is shown: its picture.
pub(super) fn picture(c: char) -> char {
    match c {
        '\x7f' => '␡',
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('�'),
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(chunks: &[&str]) -> String {
        let (mut escapes, mut out) = (Escapes::default(), String::new());
        for chunk in chunks {
            escapes.read(chunk, &mut |piece| match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Control(c) => out.push(picture(c)),
                Piece::Mark(c) => show_mark(c, &mut out),
                Piece::Sgr(p) => out.push_str(&format!("[{p}m]")),
                Piece::EraseLine(p) => out.push_str(&format!("[{p}K]")),
            });
        }
        out
    }

    #[test]
    fn sequences_go_and_sgr_stays() {
        assert_eq!(pieces(&["a\x1b[2Jb\x1b[1;31mc\x1b[Kd\x1b(Be\x1bMf"]), "ab[1;31m]c[K]def");
        assert_eq!(pieces(&["a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c\x1bPq#0\x1b\\d"]), "abcd");
        assert_eq!(pieces(&["a\u{9b}2Jb\u{9d}0;t\u{9c}c\u{85}d"]), "abcd");
    }

    #[test]
    fn a_string_that_never_ends_hides_one_line_at_most() {
        assert_eq!(pieces(&["a\x1b]0;hidden\nb"]), "a␊b");
        let long = format!("a\x1b]0;{}END", "x".repeat(LONGEST + 10));
        assert!(pieces(&[&long]).ends_with("END"));
    }

    #[test]
    fn escape_within_a_string_begins_another_sequence() {
        assert_eq!(pieces(&["\x1b]0;t\x1b[31mred"]), "[31m]red");
    }

    #[test]
    fn controls_and_marks_are_told() {
        assert_eq!(pieces(&["a\0b\x7f\u{202e}c\u{2066}\u{200f}"]), "a␀b␡<U+202E>c<U+2066><U+200F>");
    }

    #[test]
    fn non_ascii_stays_as_it_is() {
        let text = "é 你好 … – “x” 👩‍🔬 🏳️‍🌈 ﷽ é";
        assert_eq!(pieces(&[text]), text);
    }
}
