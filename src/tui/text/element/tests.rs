//! Elements on pages of several widths.

use super::*;
use crate::tui::text::Highlighter;
use crate::tui::theme::{ColorDepth, Themes};
use serde_json::{Value, json};

fn at(value: Value, width: usize, ambiguous: Ambiguous) -> Vec<String> {
    let theme = Themes::shipped().load("dark", ColorDepth::True).expect("a theme");
    let highlighter = Highlighter::new();
    let page = Page { width, theme: &theme, ambiguous, highlighter: &highlighter };
    let element = Element::from_json(&value, "element").expect("an element");
    let rows = rows(&element, &page);
    assert!(rows.iter().all(|row| row.width(ambiguous) <= width), "{width}: {rows:?}");
    rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn shown(value: Value, width: usize) -> Vec<String> {
    at(value, width, Ambiguous::Narrow)
}

#[test]
fn each_kind_has_its_look() {
    assert_eq!(shown(json!("one two three"), 8), ["one two", "three"]);
    assert_eq!(shown(json!({"type": "line", "text": "one two three"}), 8), ["one two…"]);
    let list = json!({"type": "list", "items": ["a b c d", {"type": "list", "items": ["in"], "ordered": true}]});
    assert_eq!(shown(list, 8), ["• a b c", "  d", "• 1. in"]);
    let table = json!({"type": "table", "header": ["n", "what"], "rows": [[1, "x"], [22, "y"]], "align": ["right"]});
    assert_eq!(shown(table, 20), [" n │ what", "───┼─────", " 1 │ x", "22 │ y"]);
    assert_eq!(shown(json!({"type": "table", "rows": [["a", "b"]]}), 20), ["a │ b"]);
    assert_eq!(shown(json!({"type": "gauge", "value": 0.5, "width": 4, "label": "half"}), 30), ["██░░  50%  half"]);
    assert_eq!(shown(json!({"type": "gauge", "value": 0.999, "width": 4}), 30), ["███░  99%"]);
    assert_eq!(
        shown(json!({"type": "key_value", "pairs": [["a", "one two"], ["long", "x"]]}), 10),
        ["a     one", "      two", "long  x"]
    );
    assert_eq!(shown(json!({"type": "row", "children": ["a\nb", "c"]}), 10), ["a  c", "b"]);
    assert_eq!(shown(json!({"type": "column", "children": ["a", "b"], "gap": 1}), 10), ["a", "", "b"]);
    assert_eq!(shown(json!({"type": "rule", "title": "t"}), 10), ["── t ─────"]);
    assert_eq!(shown(json!({"type": "code", "text": "x = 1\n", "language": "lua"}), 10), ["x = 1"]);
    assert_eq!(shown(json!({"type": "markdown", "text": "# h\n\n- i"}), 10).first().map(String::as_str), Some("h"));
    assert!(shown(json!({"type": "diff", "text": "@@ -1 +1 @@\n-a\n+b\n"}), 20).join("|").contains("1 - a|1 + b"));
}

#[test]
fn a_row_that_is_too_wide_shrinks_or_becomes_a_column() {
    let row = json!({"type": "row", "children": ["one two three", "x"], "gap": 1});
    assert_eq!(shown(row.clone(), 9), ["one two x", "three"]);
    assert_eq!(shown(row, 2), shown(json!(["one two three\nx"]), 2));
}

#[test]
fn what_is_hostile_is_shown_and_does_nothing() {
    let hostile = "a\x1b]0;pwn\x07\x1b[31mb\u{202e}c\x00";
    for kind in ["text", "line", "code", "diff", "markdown"] {
        let text = shown(json!({"type": kind, "text": hostile}), 60).join("");
        assert!(!text.contains('\x1b') && !text.contains("pwn") && !text.contains('\u{202e}'), "{kind}: {text}");
    }
    let table = json!({"type": "table", "header": [hostile], "rows": [[hostile]]});
    assert!(!shown(table, 60).join("").contains('\x1b'));
}

#[test]
fn no_width_breaks_anything() {
    let all = json!([
        "words 你好 and — more", {"type": "list", "items": ["a", ["b", {"type": "rule"}]], "ordered": true},
        {"type": "table", "header": ["h"], "rows": [["你好", "x", "y"]]}, {"type": "gauge", "value": 1, "label": "①"},
        {"type": "key_value", "pairs": [["名", "值"]]}, {"type": "row", "children": ["a", "b", {"type": "rule"}]},
        {"type": "rule", "title": "标题"}, {"type": "code", "text": "if x then\n\tend", "language": "lua"},
        {"type": "diff", "text": "@@ -1 +1 @@\n-a\n+b"}, {"type": "markdown", "text": "> q\n\n| a |\n|---|\n| b |"},
    ]);
    for width in 0..40 {
        at(all.clone(), width, Ambiguous::Narrow);
        at(all.clone(), width, Ambiguous::Wide);
    }
}

#[test]
fn a_long_element_is_cut_with_a_mark() {
    let rows = shown(json!("x\n".repeat(20_000)), 20);
    assert_eq!(rows.len(), TALLEST + 1);
    assert_eq!(rows.last().map(String::as_str), Some("… 15000 more lines"));
}
