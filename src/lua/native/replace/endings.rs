//! Line ends: a text with all of them made `\n`, and the way back.

use std::ops::Range;

/// A text whose `\r\n` are `\n`, with the positions of what was taken out.
pub struct Unified<'a> {
    pub original: &'a [u8],
    pub bytes: Vec<u8>,
    /// Positions in `bytes` of line feeds that had a carriage return before them.
    returns: Vec<usize>,
}

const CRLF: &[u8] = b"\r\n";
const LF: &[u8] = b"\n";

impl<'a> Unified<'a> {
    pub fn new(original: &'a [u8]) -> Self {
        let (mut bytes, mut returns, mut done) = (Vec::with_capacity(original.len()), Vec::new(), 0);
        for at in memchr::memmem::find_iter(original, CRLF) {
            bytes.extend_from_slice(&original[done..at]);
            returns.push(bytes.len());
            done = at + 1;
        }
        bytes.extend_from_slice(&original[done..]);
        Unified { original, bytes, returns }
    }

    /// Where a position of `bytes` is in the original; at a line end that is before its carriage return.
    pub fn original_at(&self, at: usize) -> usize {
        at + self.returns.partition_point(|&r| r < at)
    }

    /// `new` with the line ends of the passage that it replaces: lines that both have keep theirs, others take that of
    /// their neighbours. Ends that were changed on purpose (`old` has none of the `\r\n` of `new`) stay as given.
    pub fn endings_kept(&self, span: Range<usize>, there: &[u8], new: &[u8], old: &[u8]) -> Vec<u8> {
        let passage = &self.original[span.clone()];
        let ends = ends_of(passage);
        let on_purpose = passage == old && !contains_crlf(old) && contains_crlf(new);
        if on_purpose {
            return new.to_vec();
        }
        let Some(around) = self.end_around(&span).or(ends.last().copied()) else { return new.to_vec() };
        let unified = unify(new);
        let (lead, trail) = common_lines(there, &unified);
        let added = memchr::memchr_iter(b'\n', &unified).count();
        with_ends(&unified, |i| match i {
            i if i < lead => ends[i],
            i if added - i <= trail => ends[ends.len() - (added - i)],
            i => ends.get(i).or(ends.last()).copied().unwrap_or(around),
        })
    }

    /// The line end after a passage, else the one before, of the whole text.
    fn end_around(&self, span: &Range<usize>) -> Option<&'static [u8]> {
        let text = self.original;
        let after = memchr::memchr(b'\n', &text[span.end..]).map(|i| span.end + i);
        let at = after.or_else(|| memchr::memrchr(b'\n', &text[..span.end]))?;
        Some(if at > 0 && text[at - 1] == b'\r' { CRLF } else { LF })
    }
}

pub fn unify(text: &[u8]) -> Vec<u8> {
    Unified::new(text).bytes
}

fn contains_crlf(text: &[u8]) -> bool {
    memchr::memmem::find(text, CRLF).is_some()
}

fn ends_of(text: &[u8]) -> Vec<&'static [u8]> {
    let end = |at: usize| if at > 0 && text[at - 1] == b'\r' { CRLF } else { LF };
    memchr::memchr_iter(b'\n', text).map(end).collect()
}

/// Complete lines that two texts have in common at their beginning, and line ends at their end that close the same lines.
fn common_lines(a: &[u8], b: &[u8]) -> (usize, usize) {
    let lines = |t: &[u8]| t.split_inclusive(|&c| c == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (a, b) = (lines(a), lines(b));
    let lead = a.iter().zip(&b).take_while(|(x, y)| x == y && x.ends_with(LF)).count();
    let rest = a.len().min(b.len()) - lead;
    let same = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x == y);
    (lead, same.filter(|(x, _)| x.ends_with(LF)).count())
}

/// The text with its i-th line end replaced by what `end` gives.
fn with_ends(text: &[u8], end: impl Fn(usize) -> &'static [u8]) -> Vec<u8> {
    let text = unify(text);
    let mut out = Vec::with_capacity(text.len() + 16);
    for (i, line) in text.split(|&c| c == b'\n').enumerate() {
        if i > 0 {
            out.extend_from_slice(end(i - 1));
        }
        out.extend_from_slice(line);
    }
    out
}
