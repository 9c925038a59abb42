//! Plain output: to a pipe byte by byte, to a terminal without anything that a terminal would obey.

use std::borrow::Cow;

/// The text with control characters and bidi controls shown as `�`; line breaks and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_harmful) {
        text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect::<String>().into()
    } else {
        text.into()
    }
}

fn is_harmful(c: char) -> bool {
    let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    bidi || c.is_control() && !matches!(c, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn only_what_a_terminal_would_obey_is_replaced() {
        assert_eq!(harmless("plain äöü 🌍\n\ttab"), "plain äöü 🌍\n\ttab");
        assert_eq!(
            harmless("a\u{1b}]52;c;x\u{7}b\u{9b}2J\u{202e}c\r"),
            "a\u{fffd}]52;c;x\u{fffd}b\u{fffd}2J\u{fffd}c\u{fffd}"
        );
    }
}
