//! Moving and deleting. A cluster is one piece, and so is the mark of a folded paste.

use super::{Editor, byte_at, marks};
use crate::tui::action::Action;
use tui_textarea::CursorMove;
use unicode_segmentation::UnicodeSegmentation;

impl Editor {
    /// Does what a key does that needs nothing but the draft.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::CursorUp => _ = self.up(),
            Action::CursorDown => _ = self.down(),
            Action::CursorLeft => self.left(),
            Action::CursorRight => self.right(),
            Action::WordLeft => self.word_left(),
            Action::WordRight => self.word_right(),
            Action::LineStart | Action::HomeKey => self.line_start(),
            Action::LineEnd | Action::EndKey => self.line_end(),
            Action::DeleteBack => self.delete_back(),
            Action::DeleteNext => self.delete_next(),
            Action::DeleteWordBack => self.delete_word_back(),
            Action::DeleteWordNext => self.delete_word_next(),
            Action::DeleteToStart => self.delete_to_start(),
            Action::DeleteToEnd => self.delete_to_end(),
            Action::Yank => self.yank(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            _ => {}
        }
    }

    pub fn left(&mut self) {
        match marks::ends_with(self.before_caret(), &self.pastes) {
            Some(mark) => self.step_back(mark.chars().count()),
            None if self.before_caret().is_empty() => self.area.move_cursor(CursorMove::Back),
            None => self.step_back(last_cluster(self.before_caret())),
        }
    }

    pub fn right(&mut self) {
        let (row, column) = self.caret();
        match marks::starts_with(self.after_caret(), &self.pastes) {
            Some(mark) => self.jump(row, column + mark.chars().count()),
            None if self.after_caret().is_empty() => self.area.move_cursor(CursorMove::Forward),
            None => self.jump(row, column + first_cluster(self.after_caret())),
        }
    }

    /// A row of the screen up; false on the first one.
    pub fn up(&mut self) -> bool {
        self.vertical(-1)
    }

    /// A row of the screen down; false on the last one.
    pub fn down(&mut self) -> bool {
        self.vertical(1)
    }

    fn vertical(&mut self, by: isize) -> bool {
        let layout = self.broken();
        let Some((row, column)) = layout.beside(by, self.lines(), self.ambiguous) else { return false };
        self.jump(row, column);
        self.leave_mark();
        true
    }

    /// Places the caret at a cell of the pane, which has this height.
    pub fn click(&mut self, row: usize, column: usize, height: usize) {
        let layout = self.layout();
        let row = (layout.top(height) + row).min(layout.rows.len().saturating_sub(1));
        if let Some((row, column)) = layout.at(row, column, self.lines(), self.ambiguous) {
            self.jump(row, column);
            self.leave_mark();
        }
    }

    pub fn word_left(&mut self) {
        let before = self.before_caret();
        let words = before.trim_end();
        match marks::ends_with(words, &self.pastes) {
            Some(mark) => self.step_back(before[words.len() - mark.len()..].chars().count()),
            None => self.area.move_cursor(CursorMove::WordBack),
        }
    }

    pub fn word_right(&mut self) {
        let after = self.after_caret();
        let blanks = after.len() - after.trim_start().len();
        let (row, column) = self.caret();
        match marks::starts_with(&after[blanks..], &self.pastes) {
            Some(mark) => self.jump(row, column + after[..blanks + mark.len()].chars().count()),
            None => self.area.move_cursor(CursorMove::WordForward),
        }
    }

    pub fn line_start(&mut self) {
        self.area.move_cursor(CursorMove::Head);
    }

    pub fn line_end(&mut self) {
        self.area.move_cursor(CursorMove::End);
    }

    pub fn delete_back(&mut self) {
        if self.before_caret().is_empty() {
            self.area.delete_char();
            return;
        }
        let (_, end) = self.caret();
        self.left();
        self.area.delete_str(end - self.caret().1);
    }

    pub fn delete_next(&mut self) {
        if self.after_caret().is_empty() {
            self.area.delete_next_char();
            return;
        }
        let (row, start) = self.caret();
        self.right();
        let end = self.caret().1;
        self.jump(row, start);
        self.area.delete_str(end - start);
    }

    pub fn delete_word_back(&mut self) {
        if marks::ends_with(self.before_caret().trim_end(), &self.pastes).is_none() {
            self.area.delete_word();
            return;
        }
        while self.before_caret().ends_with(char::is_whitespace) {
            self.delete_back();
        }
        self.delete_back();
    }

    pub fn delete_word_next(&mut self) {
        if marks::starts_with(self.after_caret().trim_start(), &self.pastes).is_none() {
            self.area.delete_next_word();
            return;
        }
        while self.after_caret().starts_with(char::is_whitespace) {
            self.delete_next();
        }
        self.delete_next();
    }

    pub fn delete_to_start(&mut self) {
        self.area.delete_line_by_head();
    }

    pub fn delete_to_end(&mut self) {
        self.area.delete_line_by_end();
    }

    pub fn yank(&mut self) {
        self.area.paste();
    }

    pub fn undo(&mut self) {
        self.area.undo();
    }

    pub fn redo(&mut self) {
        self.area.redo();
    }

    /// A caret that came to stand within a mark goes to its end.
    fn leave_mark(&mut self) {
        let (row, column) = self.caret();
        let line = &self.lines()[row];
        if let Some(end) = marks::around(line, byte_at(line, column), &self.pastes) {
            let column = line[..end].chars().count();
            self.jump(row, column);
        }
    }

    fn step_back(&mut self, characters: usize) {
        let (row, column) = self.caret();
        self.jump(row, column - characters);
    }

    pub(super) fn jump(&mut self, row: usize, column: usize) {
        let clip = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(clip(row), clip(column)));
    }
}

fn last_cluster(text: &str) -> usize {
    text.graphemes(true).next_back().map_or(0, |g| g.chars().count())
}

fn first_cluster(text: &str) -> usize {
    text.graphemes(true).next().map_or(0, |g| g.chars().count())
}
