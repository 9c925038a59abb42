//! A draft as a value: text with marks, and what the marks stand for.

use crate::conversation::Part;

/// What a mark stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paste {
    pub mark: String,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    Text(String),
    /// It goes along; its mark stays in the text.
    Image(Part),
}

/// What stands in the editor, or stood there until it was sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    pub(super) text: String,
    pub(super) pastes: Vec<Paste>,
}

impl Draft {
    pub fn of_text(text: impl Into<String>) -> Draft {
        Draft { text: text.into(), pastes: vec![] }
    }

    /// As it stands on the screen.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text with the pastes whole.
    pub fn expanded(&self) -> String {
        let (mut out, mut rest) = (String::new(), self.text.as_str());
        while let Some((at, paste)) = first(rest, &self.pastes) {
            out.push_str(&rest[..at]);
            out.push_str(match &paste.what {
                What::Text(text) => text,
                What::Image(_) => &paste.mark,
            });
            rest = &rest[at + paste.mark.len()..];
        }
        out.push_str(rest);
        out
    }

    /// The pictures whose marks stand in the text, in their order.
    pub fn images(&self) -> Vec<Part> {
        let (mut images, mut rest) = (vec![], self.text.as_str());
        while let Some((at, paste)) = first(rest, &self.pastes) {
            if let What::Image(image) = &paste.what {
                images.push(image.clone());
            }
            rest = &rest[at + paste.mark.len()..];
        }
        images
    }
}

/// The first mark in the text.
fn first<'a>(text: &str, pastes: &'a [Paste]) -> Option<(usize, &'a Paste)> {
    pastes.iter().filter_map(|p| text.find(&p.mark).map(|at| (at, p))).min_by_key(|(at, _)| *at)
}

pub(super) fn mark(number: usize, what: &What) -> String {
    let What::Text(text) = what else { return format!("[image #{number}]") };
    let lines = text.matches('\n').count() + 1;
    format!("[pasted #{number}, {lines} {}]", if lines == 1 { "line" } else { "lines" })
}

/// From what size on a paste is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    pub lines: usize,
    pub chars: usize,
}

impl Fold {
    pub fn applies(&self, text: &str) -> bool {
        let more_lines = text.matches('\n').nth(self.lines.saturating_sub(1)).is_some();
        more_lines || text.len() > self.chars && text.chars().nth(self.chars).is_some()
    }
}
