//! The draft: several lines in a text buffer, with long pastes folded into marks that are one piece to every key.

mod draft;
pub mod dropped;
mod keys;
mod layout;
mod marks;

pub use draft::{Draft, Fold};
pub use layout::{Layout, VisualRow, shown};

use crate::conversation::Part;
use crate::tui::text::Ambiguous;
use draft::{Paste, What};
use tui_textarea::TextArea;

/// The editor's state. Columns of the text buffer are counted in characters.
#[derive(Debug)]
pub struct Editor {
    area: TextArea<'static>,
    pastes: Vec<Paste>,
    fold: Fold,
    ambiguous: Ambiguous,
    /// Columns of the pane at the last layout; Up and Down go by what is seen.
    columns: usize,
    /// The draft as the next frame shows it.
    seen: Layout,
}

impl Editor {
    pub fn new(fold: Fold, ambiguous: Ambiguous) -> Editor {
        Editor { area: TextArea::default(), pastes: vec![], fold, ambiguous, columns: 80, seen: Layout::default() }
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

    /// Lays the draft out for a pane of this width.
    pub fn prepare(&mut self, columns: usize) {
        self.columns = columns.max(1);
        self.seen = self.broken();
    }

    /// The draft as it was prepared.
    pub fn layout(&self) -> &Layout {
        &self.seen
    }

    /// The draft broken to the width of the pane.
    fn broken(&self) -> Layout {
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

    /// What is folded from now on.
    pub fn set_fold(&mut self, fold: Fold) {
        self.fold = fold;
    }

    /// Replaces the draft by a text from elsewhere, folded if it is long.
    pub fn set_text(&mut self, text: &str) {
        self.clear();
        if self.fold.applies(text) { self.paste(text) } else { self.insert(text) }
    }

    /// Replaces the draft by what an editor made of it: pictures whose marks are still there stay.
    pub fn rewrite(&mut self, text: &str) {
        let images: Vec<_> = self.pastes.iter().filter(|p| matches!(p.what, What::Image(_))).cloned().collect();
        if images.is_empty() {
            return self.set_text(text);
        }
        self.set(Draft { text: text.to_owned(), pastes: images });
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
                let mark = self.remember(paste.what.clone());
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
                let mark = self.remember(What::Text(text.to_owned()));
                self.area.insert_str(mark);
            }
            false => self.insert(text),
        }
    }

    /// Inserts a picture, as a mark.
    pub fn attach(&mut self, image: Part) {
        let mark = self.remember(What::Image(image));
        self.area.insert_str(mark);
    }

    fn remember(&mut self, what: What) -> String {
        let is_image = |what: &What| matches!(what, What::Image(_));
        let number = self.pastes.iter().filter(|p| is_image(&p.what) == is_image(&what)).count() + 1;
        let mark = draft::mark(number, &what);
        self.pastes.push(Paste { mark: mark.clone(), what });
        mark
    }

    /// Replaces the text between a column of the caret's line and the caret.
    pub fn replace_before_caret(&mut self, from_column: usize, with: &str) {
        let (row, column) = self.caret();
        self.jump(row, from_column);
        self.area.delete_str(column.saturating_sub(from_column));
        self.insert(with);
    }
}

/// The byte where a character of the line begins.
fn byte_at(line: &str, column: usize) -> usize {
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests;
