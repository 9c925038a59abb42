//! The draft: several lines in a text buffer, with long pastes folded into marks that are one piece to every key.

mod draft;
mod layout;
mod marks;

pub use draft::{Draft, Fold};
pub use layout::{Layout, VisualRow, shown};

use crate::tui::text::Ambiguous;
use draft::Paste;
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation;

/// The editor's state. Columns of the text buffer are counted in characters.
#[derive(Debug)]
pub struct Editor {
    area: TextArea<'static>,
    pastes: Vec<Paste>,
    fold: Fold,
    ambiguous: Ambiguous,
    /// Columns of the pane at the last layout; Up and Down go by what is seen.
    columns: usize,
}

impl Editor {
    pub fn new(fold: Fold, ambiguous: Ambiguous) -> Editor {
        Editor { area: TextArea::default(), pastes: vec![], fold, ambiguous, columns: 80 }
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The whole draft, marks and all, as it stands on the screen.
    pub fn text(&self) -> String {
        self.lines().join("\n")
    }

    /// Row and column (characters) of the caret.
    pub fn caret(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// The caret's line up to the caret.
    pub fn before_caret(&self) -> &str {
        let (row, column) = self.caret();
        let line = self.lines().get(row).map_or("", String::as_str);
        &line[..byte_at(line, column)]
    }

    pub fn after_caret(&self) -> &str {
        let (row, column) = self.caret();
        let line = self.lines().get(row).map_or("", String::as_str);
        &line[byte_at(line, column)..]
    }

    pub fn set_columns(&mut self, columns: usize) {
        self.columns = columns.max(1);
    }

    /// The draft broken to the width of the pane.
    pub fn layout(&self) -> Layout {
        Layout::new(self.lines(), self.caret(), self.columns, self.ambiguous)
    }

    // -- the draft as a whole

    pub fn draft(&self) -> Draft {
        let text = self.text();
        let pastes = self.pastes.iter().filter(|p| text.contains(&p.mark)).cloned().collect();
        Draft { text, pastes }
    }

    /// Takes the draft out; the editor is empty then.
    pub fn take(&mut self) -> Draft {
        let draft = self.draft();
        self.clear();
        draft
    }

    pub fn clear(&mut self) {
        self.area.clear();
        self.pastes.clear();
    }

    /// Replaces the draft; the caret stands at its end.
    pub fn set(&mut self, draft: Draft) {
        self.clear();
        self.pastes = draft.pastes;
        self.area.insert_str(&draft.text);
    }

    /// Replaces the draft by a text from elsewhere, folded if it is long.
    pub fn set_text(&mut self, text: &str) {
        self.clear();
        if self.fold.applies(text) { self.paste(text) } else { self.insert(text) }
    }

    /// Puts a draft back before what stands there now, so that nothing is lost.
    pub fn put_back(&mut self, draft: Draft) {
        let now = self.take();
        self.set(draft);
        if !now.is_empty() {
            if !self.is_empty() {
                self.area.insert_newline();
            }
            let pastes = now.pastes.iter();
            let text = pastes.fold(now.text.clone(), |text, paste| {
                let mark = self.remember(&paste.text);
                text.replacen(&paste.mark, &mark, 1)
            });
            self.area.insert_str(text);
        }
    }

    // -- typing

    /// Inserts text at the caret. Control characters other than line breaks and tabs are dropped.
    pub fn insert(&mut self, text: &str) {
        let kept = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
        match text.chars().all(|c| kept(&c)) {
            true => self.area.insert_str(text),
            false => self.area.insert_str(text.chars().filter(kept).collect::<String>()),
        };
    }

    /// Inserts a paste: a long one as a mark.
    pub fn paste(&mut self, text: &str) {
        match self.fold.applies(text) {
            true => {
                let mark = self.remember(text);
                self.area.insert_str(mark);
            }
            false => self.insert(text),
        }
    }

    fn remember(&mut self, text: &str) -> String {
        let mark = draft::mark(self.pastes.len() + 1, text);
        self.pastes.push(Paste { mark: mark.clone(), text: text.to_owned() });
        mark
    }

    /// Replaces the text between a column of the caret's line and the caret.
    pub fn replace_before_caret(&mut self, from_column: usize, with: &str) {
        let (row, column) = self.caret();
        self.jump(row, from_column);
        self.area.delete_str(column.saturating_sub(from_column));
        self.insert(with);
    }

    // -- moving and deleting; a mark is one piece

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
        let layout = self.layout();
        let Some((row, column)) = layout.beside(by, self.lines(), self.ambiguous) else { return false };
        self.jump(row, column);
        self.leave_mark();
        true
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

    fn jump(&mut self, row: usize, column: usize) {
        let clip = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(clip(row), clip(column)));
    }
}

/// The byte where a character of the line begins.
fn byte_at(line: &str, column: usize) -> usize {
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

fn last_cluster(text: &str) -> usize {
    text.graphemes(true).next_back().map_or(0, |g| g.chars().count())
}

fn first_cluster(text: &str) -> usize {
    text.graphemes(true).next().map_or(0, |g| g.chars().count())
}

#[cfg(test)]
mod tests;
