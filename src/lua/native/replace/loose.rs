//! Looking past what a model gets wrong most often: white space at line ends, typographic quotes and dashes, indentation.

use super::Near;

/// Longer texts are not searched for something similar.
const SIMILAR_LINES: usize = 20_000;
const SIMILAR_LENGTH: usize = 400;
/// Below this, lines have nothing to do with each other.
const SIMILAR: f64 = 0.6;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A line and where it begins.
struct Line<'a> {
    at: usize,
    bytes: &'a [u8],
}

fn lines(text: &[u8]) -> Vec<Line<'_>> {
    let mut at = 0;
    text.split_inclusive(|&c| c == b'\n')
        .map(|line| {
            let start = at;
            at += line.len();
            Line { at: start, bytes: line }
        })
        .collect()
}

/// Runs of whole lines that equal those of `wanted` but for white space at line ends and typographic characters.
pub fn windows(text: &[u8], wanted: &[u8]) -> Vec<(usize, usize)> {
    let closed = wanted.ends_with(b"\n");
    let span = |there: &[Line]| {
        let last = there.last().expect("a window has lines");
        let end = if closed { last.bytes } else { last.bytes.strip_suffix(b"\n").unwrap_or(last.bytes) };
        let mark = if there[0].bytes.starts_with(BOM) && !wanted.starts_with(BOM) { BOM.len() } else { 0 };
        (there[0].at + mark, last.at + end.len())
    };
    alike(&lines(text), wanted, canonical).into_iter().map(span).collect()
}

/// The runs of lines whose keys are those of `wanted`.
fn alike<'a, 'b>(there: &'b [Line<'a>], wanted: &[u8], key: impl Fn(&[u8]) -> Vec<u8>) -> Vec<&'b [Line<'a>]> {
    let wanted: Vec<Vec<u8>> = lines(wanted).iter().map(|l| key(l.bytes)).collect();
    if wanted.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let keys: Vec<Vec<u8>> = there.iter().map(|l| key(l.bytes)).collect();
    let starts = (0..(keys.len() + 1).saturating_sub(wanted.len())).filter(|&i| keys[i..].starts_with(&wanted));
    starts.map(|i| &there[i..i + wanted.len()]).collect()
}

fn canonical(line: &[u8]) -> Vec<u8> {
    let line = line.strip_prefix(BOM).unwrap_or(line).trim_ascii_end();
    match std::str::from_utf8(line) {
        Ok(text) if !text.is_ascii() => text.chars().map(plain).collect::<String>().trim_end().as_bytes().to_vec(),
        _ => line.to_vec(),
    }
}

/// The ASCII character that a typographic one stands for.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{00A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        c => c,
    }
}

fn without_white_space(line: &[u8]) -> Vec<u8> {
    canonical(line).into_iter().filter(|c| !c.is_ascii_whitespace()).collect()
}

/// Where the passage might have been meant.
pub fn nearest(text: &[u8], wanted: &[u8]) -> Option<Near> {
    let there = lines(text);
    if let Some(window) = alike(&there, wanted, without_white_space).first() {
        let line = there.partition_point(|l| l.at < window[0].at) + 1;
        let text = window.iter().flat_map(|l| l.bytes).copied().collect();
        return Some(Near { line, text, white_space: true });
    }
    most_similar(&there, wanted)
}

fn most_similar(there: &[Line], wanted: &[u8]) -> Option<Near> {
    let first = lines(wanted).into_iter().map(|l| l.bytes.trim_ascii()).find(|l| !l.is_empty())?;
    let first = String::from_utf8_lossy(first).into_owned();
    if first.len() > SIMILAR_LENGTH || there.len() > SIMILAR_LINES {
        return None;
    }
    let close = |length: usize| length.abs_diff(first.len()) * 5 <= first.len().max(length) * 2;
    let scored = there.iter().enumerate().filter_map(|(i, line)| {
        let line = line.bytes.trim_ascii();
        let score =
            close(line.len()).then(|| strsim::normalized_levenshtein(&first, &String::from_utf8_lossy(line)))?;
        (score >= SIMILAR).then_some((score, i))
    });
    // Of equally similar ones the first.
    let (_, i) = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let text = there[i].bytes.trim_ascii_end().to_vec();
    Some(Near { line: i + 1, text, white_space: false })
}
