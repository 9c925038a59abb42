//! What plain mode says: whole lines, one after the other, and the prompt at the end. Nothing here moves a cursor.
//!
//! Everything is cleaned on its way out, whoever said it: no control character but line breaks and tabs is written.

use crate::tui::text::sanitize::{clean, line};
use crate::util::text::width;
use std::io::{self, Write};

/// The output, and whether a prompt stands at its end.
pub struct Voice<'a> {
    out: &'a mut dyn Write,
    /// Somebody types: prompts are shown, and what is typed is seen without our doing.
    pub terminal: bool,
    /// Lines longer than this are broken between words, not within one as the terminal would; 0: none are.
    pub columns: usize,
    prompted: bool,
}

/// Narrower than this there is no room for words.
const NARROWEST: usize = 20;

impl<'a> Voice<'a> {
    pub fn new(out: &'a mut dyn Write, terminal: bool) -> Self {
        Voice { out, terminal, columns: 0, prompted: false }
    }

    /// `label: text`; further lines of the text are indented.
    pub fn say(&mut self, label: &str, text: &str) -> io::Result<()> {
        self.end_prompt()?;
        let text = clean(text);
        let mut lines = text.trim_end().split('\n');
        self.broken(&format!("{}: {}", line(label), lines.next().unwrap_or_default()), "  ")?;
        lines.try_for_each(|more| self.broken(&format!("  {more}"), "  "))
    }

    /// Lines without a label, indented.
    pub fn add(&mut self, text: &str) -> io::Result<()> {
        self.end_prompt()?;
        clean(text).trim_end().split('\n').try_for_each(|line| self.broken(&format!("  {line}"), "  "))
    }

    /// One line as it is: of an answer.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.end_prompt()?;
        self.broken(&clean(text), "")
    }

    /// Writes a line, or the lines that it has to be; `hang` stands before those that follow.
    fn broken(&mut self, line: &str, hang: &str) -> io::Result<()> {
        if self.columns < NARROWEST || width(line) <= self.columns {
            return writeln!(self.out, "{line}");
        }
        let (mut row, mut used) = (String::new(), 0);
        for word in line.split_inclusive(' ') {
            if used + width(word.trim_end()) > self.columns && !row.trim().is_empty() {
                writeln!(self.out, "{}", row.trim_end())?;
                row = hang.to_owned();
                used = width(hang);
            }
            row.push_str(word);
            used += width(word);
        }
        writeln!(self.out, "{}", row.trim_end())
    }

    /// Shows the prompt, unless it stands there already. Where nobody types it would only be in the way.
    pub fn prompt(&mut self, words: &str) -> io::Result<()> {
        if self.terminal && !self.prompted {
            self.prompted = true;
            write!(self.out, "{}", line(words))?;
        }
        self.out.flush()
    }

    /// Enter was pressed: the line of the prompt has ended.
    pub fn entered(&mut self) {
        self.prompted = false;
    }

    /// What is said next begins a line of its own.
    pub fn end_prompt(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.prompted) {
            true => writeln!(self.out),
            false => Ok(()),
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::Voice;

    fn said(terminal: bool, say: impl FnOnce(&mut Voice)) -> String {
        let mut out = vec![];
        say(&mut Voice::new(&mut out, terminal));
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_comes_while_the_prompt_stands_there_begins_a_new_line() {
        let out = said(true, |voice| {
            voice.prompt("> ").expect("written");
            voice.prompt("> ").expect("written");
            voice.say("agent a", "done\nin two lines\n").expect("written");
            voice.prompt("> ").expect("written");
        });
        assert_eq!(out, "> \nagent a: done\n  in two lines\n> ");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let out = said(true, |voice| {
            voice.columns = 20;
            voice.say("you", "one two three four five six").expect("written");
            voice.line("    indented words that go on").expect("written");
            voice.add("aword-that-is-longer-than-any-line").expect("written");
        });
        assert_eq!(
            out,
            "you: one two three\n  four five six\n    indented words\nthat go on\n  aword-that-is-longer-than-any-line\n"
        );
    }

    #[test]
    fn without_a_terminal_there_are_no_prompts() {
        assert_eq!(said(false, |voice| voice.prompt("> ").expect("written")), "");
    }

    #[test]
    fn t02_nothing_that_a_terminal_would_obey_gets_out() {
        let out = said(true, |voice| {
            voice.say("na\x1b[2Jme\n", "a\x1b]52;c;eA==\x07b\u{9b}2J\u{202e}c\rd\x08").expect("written");
            voice.line("\x1b[31mred\x1b[0m").expect("written");
            voice.prompt("\x1b[5n> ").expect("written");
        });
        assert!(out.chars().all(|c| !c.is_control() || c == '\n') && !out.contains('\u{202e}'), "{out:?}");
        assert!(out.starts_with("name␊: ab") && out.ends_with("red\n> "), "{out:?}");
    }
}
