use super::*;
use crate::tui::{
    text::{Ambiguous, Highlighter},
    theme::{ColorDepth, Theme, Themes},
};

const DIFF: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -9,4 +9,4 @@ fn x()\n same\n-let a = one(b);\n+let a = two(b);\n\n-gone\n+++i\n\\ No newline\n";

fn with<T>(width: usize, look: impl FnOnce(&Page, &Theme) -> T) -> T {
    let theme = Themes::shipped().load("dark", ColorDepth::True).expect("a theme");
    let highlighter = Highlighter::new();
    look(&Page { width, theme: &theme, ambiguous: Ambiguous::Narrow, highlighter: &highlighter }, &theme)
}

fn lines(unified: &str, width: usize) -> Vec<String> {
    with(width, |page, _| rows(unified, page).iter().map(|r| r.text().to_owned()).collect())
}

#[test]
fn lines_have_numbers_and_signs() {
    assert_eq!(
        lines(DIFF, 80),
        [
            "--- a/x.rs",
            "+++ b/x.rs",
            "@@ -9,4 +9,4 @@ fn x()",
            " 9   same",
            "10 - let a = one(b);",
            "10 + let a = two(b);",
            "11   ",
            "12 - gone",
            "12 + ++i",
            "\\ No newline",
        ]
    );
    assert_eq!(counts(DIFF), (2, 2));
}

#[test]
fn only_the_words_that_changed_are_emphasised() {
    with(80, |page, theme| {
        let rows = rows(DIFF, page);
        let word = theme.style(Role::DiffAdded).patch(theme.style(Role::DiffAddedWord));
        let emphasised: Vec<&str> = rows[5].spans().filter(|(_, s)| *s == word).map(|(t, _)| t).collect();
        assert_eq!(emphasised, ["two"]);
        let plain = theme.style(Role::DiffRemoved);
        assert!(rows[7].spans().skip(1).all(|(_, style)| style == plain), "`gone` and `++i` have nothing in common");
    });
}

#[test]
fn long_lines_are_wrapped_under_their_text() {
    assert_eq!(
        lines("@@ -1 +1 @@\n-abcdef\n+\tx\n", 8),
        ["@@ -1 +1", " @@", "1 - abcd", "    ef", "1 +     ", "    x"]
    );
}

#[test]
fn what_is_no_diff_is_shown_as_it_is() {
    assert_eq!(lines("hello\n@@ nonsense @@\n+x", 80), ["hello", "@@ nonsense @@", "+x"]);
    assert_eq!(lines("", 80), [""; 0]);
    assert_eq!(lines("@@ -1,99999999999999999999 +1 @@\n+x", 80).len(), 2);
}

#[test]
fn a_wide_page_has_both_sides() {
    let diff = "@@ -9,4 +19,5 @@ fn x()\n same\n-let a = one(b);\n-gone\n+let a = two(b);\n end\n+new\n+more\n";
    let side = |old: &str, new: &str| format!("{old:<57} │ {new}");
    assert_eq!(
        lines(diff, 118),
        [
            "@@ -9,4 +19,5 @@ fn x()".into(),
            side(" 9   same", "19   same"),
            side("10 - let a = one(b);", "20 + let a = two(b);"),
            side("11 - gone", ""),
            side("12   end", "21   end"),
            side("", "22 + new"),
            side("", "23 + more"),
        ]
    );
    assert_eq!(lines(diff, 117)[2], "10 - let a = one(b);");
    assert_eq!(lines("@@ -1 +1,2 @@\n a\n+b\n", 200)[2], "2 + b", "nothing stands on the other side");
    with(118, |page, theme| {
        let (old, new) = (theme.style(Role::DiffRemoved), theme.style(Role::DiffAdded));
        let rows = rows(diff, page);
        let spans: Vec<_> = rows[2].spans().collect();
        assert!(spans.contains(&("one", old.patch(theme.style(Role::DiffRemovedWord)))), "{spans:?}");
        assert!(spans.contains(&("two", new.patch(theme.style(Role::DiffAddedWord)))), "{spans:?}");
    });
    let long = format!("@@ -1 +1 @@\n-{}\n+{}\n", "a".repeat(80), "漢".repeat(70));
    with(120, |page, _| {
        for row in rows(&long, page) {
            assert!(row.width(page.ambiguous) <= 120, "{row:?}");
        }
    });
}
