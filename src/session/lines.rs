//! Bytes of a session file as lines and records.
//!
//! Lines end at LF and nowhere else. Memory is bounded: a line beyond `LIMIT` is passed over, and the NUL bytes that a
//! crash leaves at the start of a line are never kept, so that a sparse file of any size is read in constant space.
//! Lone surrogates in strings (`\ud83d` without its other half) become U+FFFD instead of costing the line.

use super::{Entry, EntryKind, Header};
use crate::conversation::Extra;
use memchr::memchr;
use serde_json::Value;
use std::{
    borrow::Cow,
    io::{self, BufRead, BufReader, Read},
};

/// The longest line that is looked at, in bytes.
pub const LIMIT: usize = 256 << 20;
const BUFFER: usize = 256 << 10;

/// A line as it lies in the file, without its LF.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// NUL bytes at the start are left out; empty when it was too long.
    pub bytes: &'a [u8],
    /// Has its LF. Only the last line may lack it.
    pub ended: bool,
    /// Something of it was left out: NUL bytes, or all of it because it was too long.
    pub clipped: bool,
}

/// Calls `visit` with every line; stops early when it says false.
pub fn each(source: impl Read, mut visit: impl FnMut(Line) -> bool) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(BUFFER, source);
    let mut kept = Kept::default();
    for number in 1.. {
        let buffer = reader.fill_buf()?;
        if let Some(end) = memchr(b'\n', buffer) {
            let (bytes, clipped) = without_nul(&buffer[..end]);
            let more = visit(Line { number, bytes, ended: true, clipped });
            reader.consume(end + 1);
            if !more {
                return Ok(());
            }
            continue;
        }
        let ended = kept.fill(&mut reader)?;
        if kept.is_empty() {
            return Ok(());
        }
        if !visit(Line { number, bytes: &kept.bytes, ended, clipped: kept.clipped }) || !ended {
            return Ok(());
        }
    }
    Ok(())
}

/// A line that goes beyond the buffer.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    clipped: bool,
    too_long: bool,
}

impl Kept {
    /// Reads to the end of the line; whether it had its LF.
    fn fill(&mut self, reader: &mut impl BufRead) -> io::Result<bool> {
        *self = Kept { bytes: std::mem::take(&mut self.bytes), ..Kept::default() };
        self.bytes.clear();
        loop {
            let buffer = reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = memchr(b'\n', buffer);
            self.take(&buffer[..end.unwrap_or(buffer.len())]);
            let used = end.map_or(buffer.len(), |end| end + 1);
            reader.consume(used);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn take(&mut self, chunk: &[u8]) {
        let (rest, clipped) = if self.bytes.is_empty() { without_nul(chunk) } else { (chunk, false) };
        self.clipped |= clipped;
        self.too_long |= self.bytes.len() + rest.len() > LIMIT;
        if self.too_long {
            self.clipped = true;
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(rest);
        }
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && !self.clipped
    }
}

fn without_nul(bytes: &[u8]) -> (&[u8], bool) {
    let start = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len());
    (&bytes[start..], start > 0)
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    Blank,
    Header(Header),
    Entry(Box<Entry>),
    /// An entry of a known type whose fields don't fit: it keeps its place in the tree and says nothing.
    Misfit(Box<Entry>),
    Bad,
}

/// Reads a line. `first`: the header may come.
pub fn record(bytes: &[u8], first: bool) -> Record {
    if bytes.trim_ascii().is_empty() {
        return Record::Blank;
    }
    let header = |b: &[u8]| serde_json::from_slice::<Header>(b).ok().map(Record::Header);
    let entry = |b: &[u8]| serde_json::from_slice::<Entry>(b).ok().map(classify);
    let parse = |b: &[u8]| if first { header(b).or_else(|| entry(b)) } else { entry(b) };
    parse(bytes)
        .or_else(|| match mend(bytes) {
            Cow::Owned(mended) => parse(&mended).or_else(|| misfit(&mended)),
            Cow::Borrowed(bytes) => misfit(bytes),
        })
        .unwrap_or(Record::Bad)
}

/// A header that is not the first line: two sessions in one file.
fn header(entry: &Entry) -> Option<Header> {
    let line = serde_json::to_value(entry).ok()?;
    serde_json::from_value(line).ok()
}

fn classify(entry: Entry) -> Record {
    const KNOWN: [&str; 9] = [
        "message",
        "model_change",
        "thinking_change",
        "session_info",
        "compaction",
        "branch_summary",
        "leaf",
        "custom",
        "custom_message",
    ];
    match &entry.kind {
        EntryKind::Unknown { kind } if kind == "session" => {
            header(&entry).map_or_else(|| Record::Misfit(Box::new(entry)), Record::Header)
        }
        EntryKind::Unknown { kind } if KNOWN.contains(&kind.as_str()) => Record::Misfit(Box::new(entry)),
        _ => Record::Entry(Box::new(entry)),
    }
}

/// An entry from a line whose typed fields could not be read.
fn misfit(bytes: &[u8]) -> Option<Record> {
    let mut extra: Extra = serde_json::from_slice(bytes).ok()?;
    let mut text = |key: &str| match extra.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (kind, id, timestamp) = (text("type")?, text("id")?, text("timestamp").unwrap_or_default());
    let parent_id = match extra.shift_remove("parent_id") {
        Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id),
        _ => Some(String::new()),
    };
    Some(Record::Misfit(Box::new(Entry { id, parent_id, timestamp, kind: EntryKind::Unknown { kind }, extra })))
}

/// The JSON text with every escaped surrogate that lacks its other half replaced by `\ufffd`.
pub fn mend(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &json[at..]) {
        let here = at + found;
        let step = match (surrogate(json, here), surrogate(json, here + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(_), _) => {
                out.get_or_insert_with(|| json.to_vec())[here..here + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (None, _) => 2,
        };
        at = (here + step).min(json.len());
    }
    out.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// The surrogate whose escape begins here, if one does.
fn surrogate(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&code).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bytes: &[u8]) -> Vec<(usize, Vec<u8>, bool, bool)> {
        let mut out = Vec::new();
        each(bytes, |l| {
            out.push((l.number, l.bytes.to_vec(), l.ended, l.clipped));
            true
        })
        .unwrap();
        out
    }

    #[test]
    fn lines_end_at_lf_only() {
        let text = "a\r\nb\u{2028}c\n\nlast".as_bytes();
        let lines = split(text);
        assert_eq!(lines[0], (1, b"a\r".to_vec(), true, false));
        assert_eq!(lines[1].1, "b\u{2028}c".as_bytes());
        assert_eq!(lines[2], (3, b"".to_vec(), true, false));
        assert_eq!(lines[3], (4, b"last".to_vec(), false, false));
    }

    #[test]
    fn a_line_beyond_the_buffer_is_whole_and_the_next_one_counts_on() {
        let mut text = vec![b'x'; BUFFER * 2 + 7];
        text.extend(b"\nshort\n");
        let lines = split(&text);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].1.len(), BUFFER * 2 + 7);
        assert_eq!(lines[1], (2, b"short".to_vec(), true, false));
    }

    #[test]
    fn nul_bytes_are_clipped_however_many() {
        let mut text = vec![0; BUFFER * 3];
        text.extend(b"{}\n");
        text.extend(vec![0; BUFFER * 2]);
        let lines = split(&text);
        assert_eq!(lines[0], (1, b"{}".to_vec(), true, true));
        assert_eq!(lines[1], (2, b"".to_vec(), false, true));
    }

    #[test]
    fn h09_lone_surrogates_become_the_replacement_character() {
        let mended = |s: &str| String::from_utf8(mend(s.as_bytes()).into_owned()).unwrap();
        assert_eq!(mended(r#""a\ud83d\u2026""#), r#""a\ufffd\u2026""#);
        assert_eq!(mended(r#""\ud83d\ude00 \ude00""#), r#""\ud83d\ude00 \ufffd""#);
        assert_eq!(mended(r#""\\ud83d \\\ud83d""#), r#""\\ud83d \\\ufffd""#);
        assert_eq!(mended(r#""\ud83d"#), r#""\ufffd"#);
        assert!(matches!(mend(br#""\ud83d\ude00""#), Cow::Borrowed(_)));
    }

    #[test]
    fn a_message_that_does_not_fit_keeps_its_place() {
        let line = br#"{"type":"message","id":"b","parent_id":"a","timestamp":"t","message":{"role":"robot"}}"#;
        let Record::Misfit(entry) = record(line, false) else { panic!("{:?}", record(line, false)) };
        assert_eq!((entry.id.as_str(), entry.parent_id.as_deref()), ("b", Some("a")));
        assert!(matches!(record(b"{\"type\":\"mess", false), Record::Bad));
        assert!(matches!(record(b"[1,2]", false), Record::Bad));
        assert!(matches!(record(b" \r", false), Record::Blank));
    }
}
