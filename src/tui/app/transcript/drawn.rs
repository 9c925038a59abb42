//! The rows of a block, and what they were made for.

use super::live::Live;
use crate::tui::text::{Markdown, PageKey, Row};
use std::ops::Range;

/// Two layouts of one block with the same key are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub page: PageKey,
    pub revision: u32,
    pub open: bool,
    /// Rows of a folded output.
    pub tool_lines: usize,
    /// An empty line stands above.
    pub gap: bool,
    /// The moment, for what moves by itself; else 0.
    pub tick: u64,
    /// Pictures that are ready, for what shows any; else 0.
    pub pictures: u32,
}

impl Key {
    /// Whether the other layout differs in nothing but the moment.
    pub fn same_but_later(&self, other: &Key) -> bool {
        Key { tick: other.tick, ..*self } == *other
    }
}

/// Rows below the head.
#[derive(Debug)]
pub enum Body {
    Rows(Vec<Row>),
    Answer(Box<Markdown>),
    /// Those of the block's live text.
    Live,
}

#[derive(Debug)]
pub struct Drawn {
    /// The one row that says what it is and for how long.
    pub head: Option<Row>,
    pub body: Body,
}

impl Drawn {
    pub fn answer(markdown: Box<Markdown>) -> Self {
        Drawn { head: None, body: Body::Answer(markdown) }
    }

    /// Rows without the empty line above.
    pub fn height(&self, live: Option<&Live>) -> usize {
        let body = match (&self.body, live) {
            (Body::Rows(rows), _) => rows.len(),
            (Body::Answer(markdown), _) | (Body::Live, Some(Live::Answer(markdown))) => markdown.height(),
            (Body::Live, Some(Live::Thinking(prose))) => prose.rows().len(),
            (Body::Live, _) => 0,
        };
        body + usize::from(self.head.is_some())
    }

    /// Visits rows from `range.start` to `range.end`, clipped to what there is.
    pub fn visit(&self, live: Option<&Live>, range: Range<usize>, mut each: impl FnMut(&Row)) {
        let head = usize::from(self.head.is_some());
        if range.start == 0 && !range.is_empty() {
            self.head.iter().for_each(&mut each);
        }
        let range = range.start.saturating_sub(head)..range.end.saturating_sub(head);
        match (&self.body, live) {
            (Body::Rows(rows), _) => clip(rows, range).iter().for_each(each),
            (Body::Answer(markdown), _) | (Body::Live, Some(Live::Answer(markdown))) => {
                markdown.rows(range).for_each(each)
            }
            (Body::Live, Some(Live::Thinking(prose))) => clip(prose.rows(), range).iter().for_each(each),
            (Body::Live, _) => {}
        }
    }
}

fn clip(rows: &[Row], range: Range<usize>) -> &[Row] {
    let end = range.end.min(rows.len());
    &rows[range.start.min(end)..end]
}
