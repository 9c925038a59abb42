//! Plain-data widgets: what extensions build and faces paint.
//!
//! An [`Element`] is a tree of lists, tables, lines of words; it names roles and no colours, knows no width and does
//! nothing. [`Element::from_json`] reads the tables of scripts: strict, with errors that name the path of what is wrong,
//! and bounded, so that whatever a script hands over is cheap to lay out. Its text may be anybody's: who paints it cleans
//! it. The JSON that [`Element::to_json`] gives is read back as the same element, so a face may as well be remote.

mod build;
mod read;
mod role;
mod words;
mod write;

pub use build::{MOST_BYTES, MOST_PARTS};
pub use role::Role;

/// Words in one role; none is the role of the place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    pub text: String,
    pub role: Option<Role>,
}

/// Words in several roles. Where lines are wanted, line breaks in it count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line(pub Vec<Span>);

impl Line {
    /// In the role of the place.
    pub fn plain(text: impl Into<String>) -> Line {
        Line(vec![Span { text: text.into(), role: None }])
    }

    /// All of it in one role.
    pub fn of(text: impl Into<String>, role: Role) -> Line {
        Line(vec![Span { text: text.into(), role: Some(role) }])
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.text.is_empty())
    }

    /// The words without their roles.
    pub fn text(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

/// Where the words of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    #[default]
    Left,
    Center,
    Right,
}

/// A piece of the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Element {
    /// One row; what doesn't fit is cut.
    Line(Line),
    /// Wrapped between words.
    Text(Line),
    List {
        items: Vec<Element>,
        /// With numbers from 1 instead of marks.
        ordered: bool,
    },
    Table {
        header: Vec<Line>,
        rows: Vec<Vec<Line>>,
        /// By column; what is missing stands left.
        align: Vec<Align>,
    },
    /// A bar that is full at 1.
    Gauge {
        value: f64,
        label: Line,
        role: Role,
        /// Columns of the bar.
        width: u16,
    },
    /// Names and values, the values in one column.
    KeyValue(Vec<(Line, Line)>),
    /// Side by side, as wide as they must be.
    Row {
        children: Vec<Element>,
        /// Columns between two.
        gap: u16,
    },
    /// One below the other.
    Column {
        children: Vec<Element>,
        /// Empty rows between two.
        gap: u16,
    },
    Rule {
        title: Line,
        role: Role,
    },
    Code {
        text: String,
        /// A name or an extension of a file; empty: plain.
        language: String,
    },
    /// A unified diff.
    Diff(String),
    Markdown(String),
}

/// A table that is no element: where it is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct ElementError {
    /// `element.children[2].role`, indices from 1.
    pub path: String,
    pub problem: String,
}

#[cfg(test)]
mod tests;
