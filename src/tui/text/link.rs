//! Addresses in rows: where a row's words lead to, for terminals that can follow (OSC 8).
//!
//! An address is never part of a row's text. It is one of a few kinds (web pages, files of this machine), bounded, and
//! plain ASCII, so that nothing in it can be a control character: what has other characters is percent-encoded, and what
//! had something to hide is none.

use super::{Row, sanitize};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::{ops::Range, sync::Arc};

/// Bytes of the longest address that leads somewhere: what terminals take.
const LONGEST: usize = 2000;
/// Characters that no address has. The percent sign stays: most of those that are met are encoded already.
const ODD: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'}').add(b'|');

/// Bytes of a row, and where they lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub bytes: Range<u32>,
    pub target: Arc<str>,
}

/// The address as it may be handed to a terminal; none for those that lead nowhere.
pub fn target(address: &str) -> Option<Arc<str>> {
    let known = ["https://", "http://", "file:///"].iter().any(|scheme| {
        let begin = address.get(..scheme.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)) && address.len() > scheme.len()
    });
    let odd = address.contains(char::is_control) || sanitize::exact(address) != address;
    if !known || odd || address.len() > LONGEST {
        return None;
    }
    let encoded = utf8_percent_encode(address, ODD).to_string();
    (encoded.len() <= LONGEST).then(|| encoded.into())
}

/// Makes links of the addresses that stand in the row and are none yet.
pub fn mark(row: &mut Row) {
    for range in addresses(row.text()) {
        let free =
            row.links().iter().all(|l| l.bytes.end as usize <= range.start || range.end <= l.bytes.start as usize);
        if let Some(target) = row.text().get(range.clone()).filter(|_| free).and_then(target) {
            row.link(range, target);
        }
    }
}

/// Where the addresses of web pages stand in a text, without the marks of the sentence around them.
fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = vec![];
    for at in memchr::memmem::find_iter(text.as_bytes(), "://") {
        let Some(start) = ["https", "http"].iter().find_map(|s| text[..at].ends_with(s).then(|| at - s.len())) else {
            continue;
        };
        let amid = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        if amid || found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let end = at + "://".len() + length(&text[at + "://".len()..]);
        if end > at + "://".len() {
            found.push(start..end);
        }
    }
    found
}

/// Bytes of an address's rest: up to what ends it, a bracket that it did not open among that.
fn length(rest: &str) -> usize {
    let picture = |c: char| ('\u{2400}'..='\u{2426}').contains(&c);
    let ends = |c: char| {
        picture(c) || c.is_whitespace() || c.is_control() || "<>\"`|\\^{}「」『』（），。；！？、│»".contains(c)
    };
    let mut open = vec![];
    let within = |(_, c): &(usize, char)| match c {
        '(' | '[' => {
            open.push(if *c == '(' { ')' } else { ']' });
            true
        }
        ')' | ']' => open.pop() == Some(*c),
        c => !ends(*c),
    };
    let end = rest.char_indices().take_while(within).last().map_or(0, |(at, c)| at + c.len_utf8());
    let address = &rest[..rest.floor_char_boundary(end.min(LONGEST))];
    address.trim_end_matches(|c| ".,;:!?'*_~([".contains(c)).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn marked(text: &str) -> Vec<String> {
        let mut row = Row::styled(text, Style::new());
        mark(&mut row);
        row.links().iter().map(|l| l.target.to_string()).collect()
    }

    #[test]
    fn only_web_pages_and_files_here_lead_anywhere() {
        for address in ["https://a.b/c?d=1#e", "HTTP://a", "file:///home/x%20y"] {
            assert_eq!(target(address).as_deref(), Some(address));
        }
        let nowhere =
            ["javascript:alert(1)", "ssh://a", "file://host/share", "https://", "a", "", "//x", "data:text/html,x"];
        nowhere.iter().for_each(|address| assert_eq!(target(address), None, "{address}"));
    }

    #[test]
    fn t02_an_address_is_plain_and_bounded() {
        for hidden in [
            "https://a\x1b]8;;http://b\x07",
            "https://a\u{202e}b",
            "https://a\u{9c}b",
            "https://a\nb",
            "https://a\u{200b}",
        ] {
            assert_eq!(target(hidden), None, "{hidden:?}");
        }
        assert_eq!(target("https://a/漢 \"x").as_deref(), Some("https://a/%E6%BC%A2%20%22x"));
        assert_eq!(target(&format!("https://{}", "a".repeat(3000))), None);
        assert_eq!(target(&format!("https://{}", "漢".repeat(600))), None, "too long once it is encoded");
    }

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        assert_eq!(
            marked("see https://a.b/c. And (http://d/e_(f)), «xhttp://no», http://"),
            ["https://a.b/c", "http://d/e_(f)"]
        );
        assert_eq!(
            marked("[https://a/b](x) \"https://c\" https://d/?u=https://e"),
            ["https://a/b", "https://c", "https://d/?u=https://e"]
        );
        assert_eq!(marked("ssh://a ://b"), Vec::<String>::new());
        assert_eq!(marked("␛]8;;http://a␇b"), ["http://a"], "what is shown of a control character is no part of it");
    }
}
