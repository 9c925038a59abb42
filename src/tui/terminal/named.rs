//! The sixteen colours by their own numbers (`31`, `102`): a terminal that has no others need not know `38;5;1`, and a
//! light one may give that another shade.

/// Rewrites the colours in these bytes, of which only sequences are looked at: words stay as they are.
pub fn by_name(bytes: &mut Vec<u8>) {
    let mut found = memchr::memmem::find_iter(&*bytes, b"8;5;").peekable();
    if found.peek().is_none() {
        return;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    while let Some(at) = memchr::memmem::find(rest, b"\x1b[") {
        let (before, sequence) = rest.split_at(at + 2);
        out.extend_from_slice(before);
        let end = sequence.iter().position(|b| !matches!(b, b'0'..=b'9' | b';')).unwrap_or(sequence.len());
        let (words, after) = sequence.split_at(end);
        match after.first() {
            Some(b'm') => rename(words, &mut out),
            _ => out.extend_from_slice(words),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    *bytes = out;
}

/// `words` stand between `ESC [` and `m`.
fn rename(words: &[u8], out: &mut Vec<u8>) {
    let words: Vec<&[u8]> = words.split(|b| *b == b';').collect();
    let mut at = 0;
    while at < words.len() {
        if at > 0 {
            out.push(b';');
        }
        let (taken, name) = match words[at..] {
            [b"38", b"5", number, ..] => (3, name(30, number)),
            [b"48", b"5", number, ..] => (3, name(40, number)),
            [b"38" | b"48", b"2", _, _, _, ..] => (5, None),
            _ => (1, None),
        };
        match name {
            Some(name) => out.extend_from_slice(name.to_string().as_bytes()),
            None => out.extend_from_slice(&words[at..at + taken].join(&b';')),
        }
        at += taken;
    }
}

/// The number of a colour's own, if it is one of the sixteen; `base` is that of the first.
fn name(base: u8, number: &[u8]) -> Option<u8> {
    match std::str::from_utf8(number).ok()?.parse::<u8>().ok()? {
        n @ 0..8 => Some(base + n),
        n @ 8..16 => Some(base + 52 + n),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::by_name;

    fn named(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        by_name(&mut bytes);
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn the_sixteen_have_numbers_of_their_own_and_others_do_not() {
        assert_eq!(named("\x1b[38;5;1mred\x1b[48;5;12mblue"), "\x1b[31mred\x1b[104mblue");
        assert_eq!(named("\x1b[38;5;7;48;5;0;1m"), "\x1b[37;40;1m");
        assert_eq!(named("\x1b[38;5;208;49m"), "\x1b[38;5;208;49m");
        assert_eq!(named("\x1b[38;5;208;48;5;15m"), "\x1b[38;5;208;107m");
        assert_eq!(named("\x1b[38;2;38;5;1m\x1b[48;5;1m"), "\x1b[38;2;38;5;1m\x1b[41m");
    }

    #[test]
    fn words_and_other_sequences_stay_as_they_are() {
        for text in ["38;5;1m", "\x1b[38;5;1H", "\x1b[?8;5;1m", "a\x1b[", "\x1b[38;5", "\x1b[38;5;m", "\x1b[m 8;5;"] {
            assert_eq!(named(text), text);
        }
    }
}
