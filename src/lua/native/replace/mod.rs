//! Replacing a passage of a text, as edits of a model need it: on bytes, so that any encoding survives, and with line
//! ends that don't matter for finding but are kept where they are.
//!
//! A passage must be there once, or be replaced everywhere on purpose. Where it isn't there at all, whole lines that
//! differ only in white space at their ends or in typographic characters are taken for it.

mod endings;
mod loose;
#[cfg(test)]
mod tests;

use endings::Unified;
use memchr::memmem;

/// A changed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    pub text: Vec<u8>,
    pub count: usize,
    /// Lines where it was found, counted from 1 in the text as it was.
    pub lines: Vec<usize>,
    /// It was found only by looking past white space at line ends and typographic characters.
    pub loosely: bool,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is nothing to look for.
    Empty,
    /// Old and new are the same.
    NoChange,
    /// It is there several times, in these lines.
    Ambiguous {
        lines: Vec<usize>,
    },
    NotFound {
        near: Option<Near>,
    },
}

/// What comes closest to a passage that isn't there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    pub line: usize,
    pub text: Vec<u8>,
    /// All of the passage is there, with other white space.
    pub white_space: bool,
}

/// Replaces `old` by `new` in `text`: the only occurrence, or with `all` every one.
pub fn replace(text: &[u8], old: &[u8], new: &[u8], all: bool) -> Result<Replaced, Refusal> {
    if old.is_empty() {
        return Err(Refusal::Empty);
    }
    if old == new {
        return Err(Refusal::NoChange);
    }
    let unified = Unified::new(text);
    let wanted = endings::unify(old);
    let found: Vec<usize> = memmem::find_iter(&unified.bytes, &wanted).collect();
    match found.len() {
        0 => replace_loosely(&unified, &wanted, new),
        2.. if !all => Err(Refusal::Ambiguous { lines: lines_of(&unified.bytes, &found) }),
        _ => {
            let spans = found.iter().map(|&at| (at, at + wanted.len())).collect::<Vec<_>>();
            finish(&unified, &spans, &wanted, new, old, false)
        }
    }
}

/// Loose matches are replaced only when there is one: `all` would be a guess.
fn replace_loosely(unified: &Unified, wanted: &[u8], new: &[u8]) -> Result<Replaced, Refusal> {
    let found = loose::windows(&unified.bytes, wanted);
    match found[..] {
        [] => Err(Refusal::NotFound { near: loose::nearest(&unified.bytes, wanted) }),
        [span] => {
            let there = unified.bytes[span.0..span.1].to_vec();
            finish(unified, &[span], &there, new, wanted, true)
        }
        _ => {
            let starts: Vec<usize> = found.iter().map(|s| s.0).collect();
            Err(Refusal::Ambiguous { lines: lines_of(&unified.bytes, &starts) })
        }
    }
}

/// `spans` hold `there`, which was asked for as `old`.
fn finish(
    unified: &Unified,
    spans: &[(usize, usize)],
    there: &[u8],
    new: &[u8],
    old: &[u8],
    loosely: bool,
) -> Result<Replaced, Refusal> {
    let mut text = Vec::with_capacity(unified.original.len() + new.len());
    let mut done = 0;
    for &(start, end) in spans {
        let (start, end) = (unified.original_at(start), unified.original_at(end));
        text.extend_from_slice(&unified.original[done..start]);
        text.extend_from_slice(&unified.endings_kept(start..end, there, new, old));
        done = end;
    }
    text.extend_from_slice(&unified.original[done..]);
    if text == unified.original {
        return Err(Refusal::NoChange);
    }
    let starts: Vec<usize> = spans.iter().map(|s| s.0).collect();
    Ok(Replaced { text, count: spans.len(), lines: lines_of(&unified.bytes, &starts), loosely })
}

/// The lines, from 1, of ascending positions.
fn lines_of(text: &[u8], positions: &[usize]) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    let step = |&at: &usize| {
        line += memchr::memchr_iter(b'\n', &text[seen..at]).count();
        seen = at;
        line
    };
    positions.iter().map(step).collect()
}
