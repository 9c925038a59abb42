//! Where the marks of folded pastes are in a line.

use super::draft::Paste;

/// The mark that the text ends with.
pub fn ends_with<'a>(text: &str, pastes: &'a [Paste]) -> Option<&'a str> {
    pastes.iter().map(|p| p.mark.as_str()).find(|mark| text.ends_with(mark))
}

pub fn starts_with<'a>(text: &str, pastes: &'a [Paste]) -> Option<&'a str> {
    pastes.iter().map(|p| p.mark.as_str()).find(|mark| text.starts_with(mark))
}

/// The end of the mark that `at` is inside of (bytes).
pub fn around(line: &str, at: usize, pastes: &[Paste]) -> Option<usize> {
    let spans = pastes.iter().flat_map(|p| line.match_indices(&p.mark).map(|(start, m)| (start, start + m.len())));
    spans.into_iter().find(|(start, end)| *start < at && at < *end).map(|(_, end)| end)
}
