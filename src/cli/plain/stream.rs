//! A part of an answer that comes in pieces and is said line by line, each as soon as it is complete.

use super::voice::Voice;
use crate::tui::text::sanitize::Cleaner;
use std::io;

/// Who or what speaks, and how its lines begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The first line says who speaks; the others are as they are, so that code can be taken from the screen.
    Answer,
    /// Each line says what it is: nothing else tells it from an answer.
    Thinking,
    /// Nothing of it is said.
    Silent,
}

#[derive(Debug, Default)]
pub struct Stream {
    cleaner: Cleaner,
    /// What has no end yet.
    line: String,
    /// Bytes that have come, before they were cleaned.
    taken: usize,
    begun: bool,
    over: bool,
}

impl Stream {
    pub fn push(&mut self, piece: &str, part: Part, who: &str, voice: &mut Voice) -> io::Result<()> {
        self.taken += piece.len();
        self.cleaner.push(piece, &mut self.line);
        let Some(end) = self.line.rfind('\n') else { return Ok(()) };
        let whole: String = self.line.drain(..=end).collect();
        whole.lines().try_for_each(|line| self.say(line, part, who, voice))
    }

    /// All of the part is `text`: what of it has not come yet is said, too.
    pub fn end(&mut self, text: &str, part: Part, who: &str, voice: &mut Voice) -> io::Result<()> {
        if self.over {
            return Ok(());
        }
        let rest = text.get(self.taken..).unwrap_or_default();
        self.push(rest, part, who, voice)?;
        self.close(part, who, voice)
    }

    /// Nothing more will come: the last line is complete.
    pub fn close(&mut self, part: Part, who: &str, voice: &mut Voice) -> io::Result<()> {
        self.over = true;
        match std::mem::take(&mut self.line) {
            rest if rest.trim().is_empty() => Ok(()),
            rest => self.say(&rest, part, who, voice),
        }
    }

    fn say(&mut self, line: &str, part: Part, who: &str, voice: &mut Voice) -> io::Result<()> {
        let blank = line.trim().is_empty();
        match part {
            Part::Silent => Ok(()),
            Part::Thinking if blank => Ok(()),
            Part::Thinking => voice.line(&format!("thinking: {}", line.trim_end())),
            Part::Answer if self.begun => voice.line(line),
            Part::Answer if blank => Ok(()),
            Part::Answer => {
                self.begun = true;
                voice.line(&format!("{who}: {line}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pieces: &[&str], whole: &str, part: Part) -> String {
        let mut out = vec![];
        let mut voice = Voice::new(&mut out, false);
        let mut stream = Stream::default();
        for piece in pieces {
            stream.push(piece, part, "panto", &mut voice).expect("written");
        }
        stream.end(whole, part, "panto", &mut voice).expect("written");
        stream.end(whole, part, "panto", &mut voice).expect("said once");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn lines_come_when_they_are_complete_and_the_rest_at_the_end() {
        let whole = "\nOne two\nthree\n\nfour";
        assert_eq!(said(&["\nOne", " two\nth"], whole, Part::Answer), "panto: One two\nthree\n\nfour\n");
        assert_eq!(said(&[], whole, Part::Thinking), "thinking: One two\nthinking: three\nthinking: four\n");
        assert_eq!(said(&[], whole, Part::Silent), "");
        let mut out = vec![];
        let mut stream = Stream::default();
        stream.push("one\ntwo", Part::Answer, "a", &mut Voice::new(&mut out, false)).expect("written");
        assert_eq!(out, b"a: one\n", "while it streams");
    }

    #[test]
    fn t02_a_sequence_that_is_cut_between_two_pieces_is_dropped() {
        assert_eq!(said(&["a\x1b]0;ti", "tle\x07b\n"], "", Part::Answer), "panto: ab\n");
    }
}
