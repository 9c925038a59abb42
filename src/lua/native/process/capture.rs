//! Output in bounded memory: its beginning and its end, with counts of what lies between.

use crate::lua::native::text::unfinished;
use std::collections::VecDeque;

/// What is kept at most; more is the spill file's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub bytes: usize,
    pub lines: usize,
}

impl Default for Limits {
    /// 1 MiB, any number of lines.
    fn default() -> Self {
        Limits { bytes: 1 << 20, lines: usize::MAX }
    }
}

/// The end product: all of the output in `head`, or its two ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
    pub truncated: bool,
    /// Of all the output.
    pub bytes: u64,
    pub lines: u64,
}

impl Captured {
    /// Bytes and line ends that neither end holds.
    pub fn left_out(&self) -> (u64, u64) {
        let kept = newlines(&self.head) + newlines(&self.tail);
        (self.bytes - (self.head.len() + self.tail.len()) as u64, self.lines.saturating_sub(kept as u64))
    }

    /// Both ends, with `note` in the gap.
    pub fn join(mut self, note: &[u8]) -> Vec<u8> {
        if self.truncated {
            self.head.extend_from_slice(note);
        }
        self.head.append(&mut self.tail);
        self.head
    }
}

/// Takes output in, chunk by chunk.
pub struct Capture {
    limits: Limits,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    newlines: u64,
    ends_line: bool,
}

impl Capture {
    pub fn new(limits: Limits) -> Self {
        Capture { limits, head: Vec::new(), tail: VecDeque::new(), bytes: 0, newlines: 0, ends_line: true }
    }

    pub fn push(&mut self, chunk: &[u8]) {
        let Some(&last) = chunk.last() else { return };
        self.bytes += chunk.len() as u64;
        self.newlines += newlines(chunk) as u64;
        self.ends_line = last == b'\n';
        let (for_head, rest) = chunk.split_at(chunk.len().min(self.limits.bytes / 2 - self.head.len()));
        self.head.extend_from_slice(for_head);
        let room = self.limits.bytes - self.limits.bytes / 2;
        let rest = &rest[rest.len().saturating_sub(room)..];
        self.tail.extend(rest);
        self.tail.drain(..self.tail.len().saturating_sub(room));
    }

    /// Lines, an unfinished last one included.
    fn lines(&self) -> u64 {
        self.newlines + u64::from(!self.ends_line)
    }

    fn is_over(&self) -> bool {
        self.bytes > self.limits.bytes as u64 || self.lines() > self.limits.lines as u64
    }

    /// Whether the limits can't hold `chunk`, too.
    pub fn exceeds_with(&self, chunk: &[u8]) -> bool {
        self.bytes + chunk.len() as u64 > self.limits.bytes as u64
            || self.lines() + newlines(chunk) as u64 >= self.limits.lines as u64
    }

    /// All that has come, as long as that still is in memory.
    pub fn whole(&self) -> Option<Vec<u8>> {
        let kept = self.head.len() + self.tail.len();
        (kept as u64 == self.bytes).then(|| self.head.iter().chain(&self.tail).copied().collect())
    }

    pub fn finish(&self) -> Captured {
        let (bytes, lines) = (self.bytes, self.lines());
        let whole = self.whole();
        if let (Some(head), false) = (&whole, self.is_over()) {
            return Captured { head: head.clone(), tail: vec![], truncated: false, bytes, lines };
        }
        let first = whole.as_ref().unwrap_or(&self.head);
        let last = whole.clone().unwrap_or_else(|| self.tail.iter().copied().collect());
        let head = head_lines(first, self.limits.lines / 2).to_vec();
        let tail = tail_lines(&last, self.limits.lines - self.limits.lines / 2).to_vec();
        Captured { head, tail, truncated: true, bytes, lines }
    }
}

fn newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// At most `lines` lines; what the limit of bytes cut in two loses its broken line, or at least its broken character.
fn head_lines(bytes: &[u8], lines: usize) -> &[u8] {
    if let Some(end) = memchr::memchr_iter(b'\n', bytes).nth(lines.saturating_sub(1)) {
        return &bytes[..=end];
    }
    match memchr::memrchr(b'\n', bytes) {
        Some(end) if end >= bytes.len() / 2 => &bytes[..=end],
        _ => {
            let whole = &bytes[..bytes.len() - unfinished(bytes)];
            &whole[..whole.len() - whole.iter().rev().take(WORD).take_while(|b| is_of_word(**b)).count() % WORD]
        }
    }
}

/// Bytes of a word that is not left in pieces: half a key is not known as one when it is to be made unreadable. A longer
/// one is no word.
const WORD: usize = 512;

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.+/=".contains(&byte)
}

fn tail_lines(bytes: &[u8], lines: usize) -> &[u8] {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if let Some(end) = memchr::memrchr_iter(b'\n', body).nth(lines.saturating_sub(1)) {
        return &bytes[end + 1..];
    }
    match memchr::memchr(b'\n', body) {
        Some(end) if end < bytes.len() / 2 => &bytes[end + 1..],
        _ => {
            let whole = &bytes[bytes.iter().take(3).take_while(|&&b| b & 0xC0 == 0x80).count()..];
            &whole[whole.iter().take(WORD).take_while(|b| is_of_word(**b)).count() % WORD..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, bytes: usize) -> (String, String) {
        let mut capture = Capture::new(Limits { bytes, lines: usize::MAX });
        capture.push(text.as_bytes());
        let Captured { head, tail, .. } = capture.finish();
        (String::from_utf8(head).unwrap(), String::from_utf8(tail).unwrap())
    }

    #[test]
    fn words_of_a_long_line_are_not_left_in_pieces() {
        let line = "one two sk-ant-api03-aaaaaaaaaa three ".repeat(20);
        for bytes in 40..200 {
            let (head, tail) = ends(&line, bytes);
            let whole = |word: &str| ["one", "two", "three", "sk-ant-api03-aaaaaaaaaa"].contains(&word);
            assert!(head.split_whitespace().chain(tail.split_whitespace()).all(whole), "{bytes}: {head:?} {tail:?}");
        }
    }

    #[test]
    fn what_is_no_word_is_cut_anywhere() {
        let (head, tail) = ends(&"x".repeat(5000), 2000);
        assert_eq!((head.len(), tail.len()), (1000, 1000));
    }
}
