//! Typing or a burst? Without bracketed paste a terminal sends a pasted text as keys, line ends as Enter. What comes
//! faster than fingers is one text, and its Enters are line breaks of the draft (case T12).

use super::key::{Key, KeyCode};
use super::{Input, parser::Parser};
use std::time::{Duration, Instant};

/// An Enter so soon after a character was not pressed by a person.
const TOO_FAST: Duration = Duration::from_millis(30);

/// The parser with an eye on the time: chunks of bytes in, inputs out.
#[derive(Debug, Default)]
pub struct Decoder {
    parser: Parser,
    /// When the last character came.
    typed: Option<Instant>,
}

impl Decoder {
    /// `at` is when the bytes were read.
    pub fn feed(&mut self, bytes: &[u8], at: Instant) -> Vec<Input> {
        let inputs = self.parser.feed(bytes, at);
        self.gather(inputs, at)
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.parser.deadline()
    }

    pub fn expire(&mut self, now: Instant) -> Vec<Input> {
        self.parser.expire(now)
    }

    fn gather(&mut self, inputs: Vec<Input>, at: Instant) -> Vec<Input> {
        let mut out = Vec::with_capacity(inputs.len().min(64));
        let mut run: Vec<Key> = Vec::new();
        for input in inputs {
            match input {
                Input::Key(key) if as_text(&key).is_some() => run.push(key),
                other => {
                    self.close(&mut run, at, &mut out);
                    out.push(other);
                }
            }
        }
        self.close(&mut run, at, &mut out);
        out
    }

    /// A run of characters, Tabs and Enters: a single one is a key, more (with a character among them) are a text.
    fn close(&mut self, run: &mut Vec<Key>, at: Instant, out: &mut Vec<Input>) {
        let typed = run.iter().any(|k| k.typed().is_some());
        let hurried = self.typed.is_some_and(|t| at.saturating_duration_since(t) < TOO_FAST);
        let after_text = hurried && run.first().is_some_and(|k| k.code == KeyCode::Enter);
        if (typed && run.len() > 1) || after_text {
            out.push(Input::Text(run.iter().filter_map(as_text).collect()));
        } else {
            out.extend(run.iter().copied().map(Input::Key));
        }
        if typed || after_text {
            self.typed = Some(at);
        }
        run.clear();
    }
}

fn as_text(key: &Key) -> Option<char> {
    match key.code {
        KeyCode::Enter if key.mods.is_empty() => Some('\n'),
        KeyCode::Tab if key.mods.is_empty() => Some('\t'),
        _ => key.typed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> Input {
        Input::Text(s.into())
    }

    fn enter() -> Input {
        Input::Key(Key::plain(KeyCode::Enter))
    }

    #[test]
    fn t12_a_burst_is_one_text() {
        let (mut decoder, start) = (Decoder::default(), Instant::now());
        assert_eq!(decoder.feed(b"line1\rline2\rline3", start), [text("line1\nline2\nline3")]);
        assert_eq!(decoder.feed(b"\r", start + Duration::from_millis(300)), [enter()]);
    }

    #[test]
    fn t12_cut_where_it_hurts() {
        let (mut decoder, start) = (Decoder::default(), Instant::now());
        assert_eq!(decoder.feed(b"line1", start), [text("line1")]);
        assert_eq!(decoder.feed(b"\r", start + Duration::from_millis(5)), [text("\n")]);
        assert_eq!(decoder.feed(b"\r", start + Duration::from_millis(9)), [text("\n")]);
        assert_eq!(decoder.feed(b"b\r", start + Duration::from_millis(12)), [text("b\n")]);
    }

    #[test]
    fn fingers_are_not_bursts() {
        let (mut decoder, start) = (Decoder::default(), Instant::now());
        assert_eq!(decoder.feed(b"a", start), [Input::Key("a".parse().unwrap())]);
        assert_eq!(decoder.feed(b"\r", start + Duration::from_millis(60)), [enter()]);
        assert_eq!(decoder.feed(b"\r\r", start + Duration::from_millis(900)), [enter(), enter()]);
    }
}
