//! One line of text with a caret: the query of a picker, a new name.

use crate::tui::action::Action;
use unicode_segmentation::UnicodeSegmentation;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// Byte offset, on a cluster boundary.
    caret: usize,
}

impl Line {
    /// With the caret at the end.
    pub fn new(text: impl Into<String>) -> Line {
        let text = text.into();
        Line { caret: text.len(), text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn before_caret(&self) -> &str {
        &self.text[..self.caret]
    }

    /// Inserts text; line breaks become blanks, other control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        let blank = |c: char| if matches!(c, '\n' | '\t') { ' ' } else { c };
        let text: String = text.chars().map(blank).filter(|c| !c.is_control()).collect();
        self.text.insert_str(self.caret, &text);
        self.caret += text.len();
    }

    /// Does what a key of the editor does in one line.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::CursorLeft => self.left(),
            Action::CursorRight => self.right(),
            Action::LineStart => self.home(),
            Action::LineEnd => self.end(),
            Action::DeleteBack => self.delete_back(),
            Action::DeleteNext => self.delete_next(),
            Action::DeleteWordBack => self.delete_word_back(),
            Action::DeleteToStart => self.delete_to_start(),
            Action::DeleteToEnd => self.delete_to_end(),
            _ => {}
        }
    }

    pub fn left(&mut self) {
        self.caret -= self.before_caret().graphemes(true).next_back().map_or(0, str::len);
    }

    pub fn right(&mut self) {
        self.caret += self.text[self.caret..].graphemes(true).next().map_or(0, str::len);
    }

    pub fn home(&mut self) {
        self.caret = 0;
    }

    pub fn end(&mut self) {
        self.caret = self.text.len();
    }

    pub fn delete_back(&mut self) {
        let end = self.caret;
        self.left();
        self.text.drain(self.caret..end);
    }

    pub fn delete_next(&mut self) {
        let start = self.caret;
        self.right();
        self.text.drain(start..self.caret);
        self.caret = start;
    }

    /// As readline's Ctrl-W: blanks, then what isn't blank.
    pub fn delete_word_back(&mut self) {
        let kept = self.before_caret().trim_end();
        let start =
            kept.rfind(char::is_whitespace).map_or(0, |at| at + kept[at..].chars().next().map_or(1, char::len_utf8));
        self.text.drain(start..self.caret);
        self.caret = start;
    }

    pub fn delete_to_start(&mut self) {
        self.text.drain(..self.caret);
        self.caret = 0;
    }

    pub fn delete_to_end(&mut self) {
        self.text.truncate(self.caret);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_by_cluster() {
        let mut line = Line::new("a👨‍👩‍👧b");
        line.left();
        line.delete_back();
        assert_eq!((line.text(), line.before_caret()), ("ab", "a"));
        line.delete_next();
        line.insert("x\ny\x1b");
        assert_eq!(line.text(), "ax y");
        line.delete_word_back();
        assert_eq!(line.text(), "ax ");
        line.home();
        line.left();
        line.delete_to_end();
        assert_eq!(line.text(), "");
    }
}
