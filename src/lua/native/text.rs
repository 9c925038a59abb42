//! Bytes of unknown origin as text that may be shown and sent.

use crate::util::text::width;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes at the end that begin a UTF-8 sequence without completing it.
pub fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let need = match bytes[bytes.len() - back] {
            0x80..=0xBF => continue,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if need > back { back } else { 0 };
    }
    0
}

/// Whether bytes (the first kilobytes of a file) are something else than text. UTF-16 with its mark counts as text.
pub fn is_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return false;
    }
    let odd = |b: &&u8| matches!(b, 0x01..=0x06 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    bytes.contains(&0) || bytes.iter().filter(odd).count() * 10 > bytes.len()
}

/// UTF-16 with a byte order mark as UTF-8; none for anything else.
pub fn from_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Valid UTF-8 that survives JSON and any screen: other bytes become U+FFFD, control characters but tab and line ends the
/// pictures of themselves (`␀`).
pub fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.bytes().any(|b| is_control(b as char)) {
        return text.into_owned();
    }
    text.chars().map(|c| if is_control(c) { picture(c) } else { c }).collect()
}

fn is_control(c: char) -> bool {
    (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || c == '\x7F'
}

fn picture(c: char) -> char {
    match c {
        '\x7F' => '\u{2421}',
        c => char::from_u32(0x2400 + c as u32).unwrap_or('\u{FFFD}'),
    }
}

/// Output of a program as a terminal would have left it: escape sequences gone, what a carriage return or a backspace
/// wrote over replaced, the rest as in `clean`.
pub fn settle(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.bytes().any(|b| is_control(b as char) || b == b'\r') {
        return text.into_owned();
    }
    let text = strip(&text);
    let lines = text.split_inclusive('\n').map(settle_line);
    clean(lines.collect::<String>().as_bytes())
}

fn settle_line(line: &str) -> String {
    let (body, end) = match line.strip_suffix('\n') {
        Some(body) => (body.strip_suffix('\r').unwrap_or(body), &line[body.strip_suffix('\r').unwrap_or(body).len()..]),
        None => (line, ""),
    };
    // What a later part doesn't reach stays on a real terminal; progress bars overwrite themselves fully.
    let last = body.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    let mut out = String::with_capacity(line.len());
    for c in last.chars() {
        match c {
            '\x08' => _ = out.pop(),
            c => out.push(c),
        }
    }
    out + end
}

/// Text without its escape sequences (CSI, OSC and other strings, two-character ones).
pub fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1B') {
        out.push_str(&rest[..at]);
        rest = after_escape(&rest[at + 1..]);
    }
    out + rest
}

fn after_escape(text: &str) -> &str {
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, '[')) => match chars.find(|(_, c)| matches!(c, '\x40'..='\x7E')) {
            Some((at, end)) => &text[at + end.len_utf8()..],
            None => "",
        },
        Some((_, ']' | 'P' | '^' | '_' | 'X')) => match text.find(['\x07', '\x1B']) {
            Some(at) if text.as_bytes()[at] == 0x07 => &text[at + 1..],
            Some(at) => text[at + 1..].strip_prefix('\\').unwrap_or(&text[at..]),
            None => "",
        },
        // Intermediates, then one final character.
        Some((_, ' '..='/')) => match chars.find(|(_, c)| matches!(c, '0'..='~')) {
            Some((at, end)) => &text[at + end.len_utf8()..],
            None => "",
        },
        Some((_, c)) => &text[c.len_utf8()..],
        None => "",
    }
}

/// Lines of at most `columns` columns, broken between words where that is possible.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrap_line(line, columns.max(1))).collect()
}

fn wrap_line(line: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut current, mut used) = (Vec::new(), String::new(), 0);
    for word in line.split_word_bounds() {
        let blank = word.trim().is_empty();
        if used + width(word) > columns && !current.is_empty() {
            lines.push(std::mem::take(&mut current).trim_end().to_owned());
            used = 0;
            if blank {
                continue;
            }
        }
        if blank && current.is_empty() && !lines.is_empty() {
            continue;
        }
        for grapheme in word.graphemes(true) {
            let wide = width(grapheme);
            if used + wide > columns && !current.is_empty() {
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            current.push_str(grapheme);
            used += wide;
        }
    }
    lines.push(current.trim_end().to_owned());
    lines
}

/// Longer names are compared with nothing: the time that takes grows with both lengths.
const COMPARED: usize = 256;

/// The names most like a word, best first; case and an extension count for little.
pub fn nearest(word: &str, mut names: Vec<String>, most: usize) -> Vec<String> {
    if word.chars().nth(COMPARED).is_some() {
        return Vec::new();
    }
    names.retain(|name| name.chars().nth(COMPARED).is_none());
    let plain = |name: &str| name.to_lowercase();
    let stem = |name: &str| {
        name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem }).to_owned()
    };
    let word = plain(word);
    let score = |name: &str| {
        let name = plain(name);
        let stems = strsim::normalized_damerau_levenshtein(&stem(&word), &stem(&name)) - 0.05;
        strsim::normalized_damerau_levenshtein(&word, &name).max(stems)
    };
    let mut scored: Vec<(f64, String)> = names.into_iter().map(|name| (score(&name), name)).collect();
    scored.retain(|(score, _)| *score >= 0.6);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h10_control_characters_are_pictures() {
        assert_eq!(clean(b"a\0b\tc\r\n\xff\x1b"), "a\u{2400}b\tc\r\n\u{FFFD}\u{241B}");
        assert_eq!(settle(b"a\0b"), "a\u{2400}b");
    }

    #[test]
    fn terminal_output_settles() {
        assert_eq!(settle(b"\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]0;t\x07\x1b(B!"), "red link!");
        assert_eq!(settle(b" 10%\r 50%\r100%\ndone\r\nab\x08c\n"), "100%\ndone\r\nac\n");
        assert_eq!(settle(b"cut \x1b[3"), "cut ");
        assert_eq!(settle("ü\r".as_bytes()), "ü");
    }

    #[test]
    fn binary_or_not() {
        assert!(is_binary(&(0..=255).collect::<Vec<u8>>()));
        assert!(!is_binary(b"caf\xe9 \x1b[1mx\x1b[0m\n"));
        assert!(!is_binary(b""));
        assert_eq!(from_utf16(b"\xff\xfea\0\xe9\0").as_deref(), Some("aé"));
    }

    #[test]
    fn nearest_names() {
        let names = ["main.rs", "Main.rs", "man.rs", "other.txt", "main.py"].map(String::from).to_vec();
        assert_eq!(nearest("main.rs", names.clone(), 2), ["main.rs", "Main.rs"]);
        assert_eq!(nearest("othr.txt", names.clone(), 3), ["other.txt"]);
        assert!(nearest("zzz", names, 3).is_empty());
        let (fits, long) = ("x".repeat(COMPARED), "x".repeat(COMPARED + 1));
        assert_eq!(nearest(&fits, vec![long.clone(), fits.clone()], 2), [fits]);
        assert!(nearest(&long, vec![long.clone()], 1).is_empty());
    }

    #[test]
    fn wrapping() {
        assert_eq!(wrap("the quick brown fox", 9), ["the quick", "brown fox"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        // With work that grows with the square of its length this takes minutes.
        let long = "word ".repeat(50_000);
        assert_eq!(wrap(&long, usize::MAX / 2), [long.trim_end()]);
    }

    #[test]
    fn unfinished_characters() {
        assert_eq!(unfinished("aä".as_bytes()), 0);
        assert_eq!(unfinished(b"a\xc3"), 1);
        assert_eq!(unfinished(b"\xf0\x9f\x98"), 3);
        assert_eq!(unfinished(b"\xff"), 0);
    }
}
