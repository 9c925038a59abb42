//! What is searched for, as a pattern: words with blanks, line breaks or marks of markdown between them. Case counts once
//! a capital is typed.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use std::ops::Range;

/// Between two words: `**two** words` and a line break are found as well.
const BETWEEN: &str = r"[*_`~]*\s+(?:>\s+)?[*_`~]*";

#[derive(Debug, Clone)]
pub struct Pattern(RegexMatcher);

impl Pattern {
    /// None for a query of blanks.
    pub fn new(query: &str) -> Option<Pattern> {
        let words: Vec<String> = query.split_whitespace().map(escaped).collect();
        let pattern = words.join(BETWEEN);
        // Whatever is escaped is a pattern; only one of megabytes is refused, and finds nothing.
        let matcher = RegexMatcherBuilder::new().case_smart(true).build(&pattern).ok()?;
        (!words.is_empty()).then_some(Pattern(matcher))
    }

    /// The matches in a text, in order, until `each` says no.
    pub fn each(&self, text: &str, mut each: impl FnMut(Range<usize>) -> bool) {
        // The matcher's error is "never".
        let _ = self.0.find_iter(text.as_bytes(), |found| each(found.start()..found.end()));
    }

    pub fn all(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = vec![];
        self.each(text, |range| {
            found.push(range);
            true
        });
        found
    }
}

fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, text: &str) -> usize {
        Pattern::new(query).map_or(0, |p| p.all(text).len())
    }

    #[test]
    fn small_letters_find_both_and_a_capital_only_itself() {
        assert_eq!(found("needle", "Needle needle NEEDLE"), 3);
        assert_eq!(found("Needle", "Needle needle NEEDLE"), 1);
    }

    #[test]
    fn words_are_found_over_line_ends_and_markup() {
        assert_eq!(found("two words", "two  words, two\nwords, **two** words, > two\n> words"), 4);
        assert_eq!(found("two words", "twowords"), 0);
    }

    #[test]
    fn signs_mean_themselves() {
        assert_eq!(found("a.b(c)[0] $x^*", "a.b(c)[0] $x^* axb(c)[0] $x^*"), 1);
        assert_eq!(found(r"\d", r"7 \d"), 1);
        assert_eq!(found("  ", "  "), 0);
    }
}
