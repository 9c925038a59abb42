//! What elements are made from, and what they may cost.

use super::*;
use serde_json::{Value, json};

fn read(value: Value) -> Element {
    Element::from_json(&value, "element").unwrap()
}

fn error(value: Value) -> String {
    Element::from_json(&value, "element").unwrap_err().to_string()
}

#[test]
fn words_have_short_forms() {
    let bold = Span { text: "x".into(), role: Some(Role::Strong) };
    assert_eq!(read(json!("a\nb")), Element::Text(Line::plain("a\nb")));
    assert_eq!(read(json!({"text": "x", "role": "strong"})), Element::Text(Line(vec![bold.clone()])));
    let plain = Span { text: "a".into(), role: None };
    assert_eq!(read(json!(["a", {"text": "x", "role": "strong"}])), Element::Text(Line(vec![plain, bold.clone()])));
    assert_eq!(read(json!({"type": "line", "text": "x", "role": "strong"})), Element::Line(Line(vec![bold])));
    assert_eq!(read(json!(["a", {"type": "rule"}])).to_json()["type"], "column");
    assert_eq!(error(json!({})), "element: a span needs `text`");
}

#[test]
fn all_types_are_read_back_as_they_are() {
    let all = json!([
        {"type": "line", "text": "l"}, {"type": "text", "spans": ["t", {"text": "u", "role": "link"}]},
        {"type": "list", "items": ["a", ["b", "c"], {"type": "list", "items": {}, "ordered": true}]},
        {"type": "table", "header": ["h", "i"], "rows": [["1", {"text": "2", "role": "dim"}], [3, true]], "align": ["right"]},
        {"type": "gauge", "value": 3, "max": 4, "label": "3 of 4"}, {"type": "key_value", "pairs": [["k", "v"]]},
        {"type": "key_value", "pairs": {"b": 2, "a": 1}},
        {"type": "row", "children": ["x", "y"]}, {"type": "column", "children": ["x"], "gap": 1}, {"type": "rule"},
        {"type": "code", "text": "x = 1", "language": "lua"}, {"type": "diff", "text": "-a\n+b"},
        {"type": "markdown", "text": "# h"},
    ]);
    let element = read(all);
    let Element::Column { children, .. } = &element else { panic!("{element:?}") };
    assert_eq!(children.len(), 13);
    assert_eq!(read(element.to_json()), element);
    let through_serde: Element = serde_json::from_str(&serde_json::to_string(&element).unwrap()).unwrap();
    assert_eq!(through_serde, element);
}

#[test]
fn errors_name_the_path_and_what_was_meant() {
    let nested = json!({"type": "column", "children": ["ok", {"text": "x", "role": "acent"}]});
    assert_eq!(error(nested), "element.children[2].role: no role `acent`; did you mean `accent`?");
    assert_eq!(error(json!({"type": "lst", "items": []})), "element.type: no type `lst`; did you mean `list`?");
    assert_eq!(
        error(json!({"type": "list", "item": []})),
        "element.item: a list has no such field; it has items, ordered"
    );
    assert_eq!(error(json!({"type": "list"})), "element: a list needs `items`");
    assert_eq!(error(json!({"type": "list", "items": "x"})), "element.items: must be a list, got a string");
    assert_eq!(error(json!({"type": "table", "rows": [["a"], "b"]})), "element.rows[2]: must be a list, got a string");
    assert_eq!(error(json!({"type": "gauge", "value": "x"})), "element.value: must be a number, got a string");
    assert_eq!(
        error(json!({"type": "row", "children": [], "gap": 99})),
        "element.gap: must be a whole number from 0 to 20, got a number"
    );
    assert_eq!(error(json!({"type": "key_value", "pairs": [["a"]]})), "element.pairs[1]: must be a pair {name, value}");
    assert_eq!(error(json!(null)), "element: must be a string, got nothing");
}

#[test]
fn nesting_is_bounded() {
    let deep = (0..40).fold(json!("x"), |inner, _| json!({"type": "column", "children": [inner]}));
    assert!(error(deep).ends_with("is nested deeper than 16"));
}

#[test]
fn ten_megabytes_are_cut_with_a_mark() {
    let long = "ü".repeat(5 << 20);
    for kind in ["text", "code", "diff", "markdown"] {
        let cut = read(json!({"type": kind, "text": long})).to_json().to_string();
        assert!(cut.len() < MOST_BYTES + 1000 && cut.contains("10224 KB cut"), "{kind}: {} bytes", cut.len());
    }
}

#[test]
fn too_many_parts_are_cut_with_a_mark() {
    let items: Vec<Value> = (0..100_000).map(|n| json!(format!("item {n}"))).collect();
    let Element::List { items: kept, .. } = read(json!({"type": "list", "items": items})) else { panic!() };
    assert!(kept.len() <= MOST_PARTS + 1);
    assert_eq!(kept.last(), Some(&Element::Line(Line::of("… 92000 more", Role::Dim))));
    let rows: Vec<Value> = (0..100_000).map(|n| json!([n, n])).collect();
    let Element::Table { rows, .. } = read(json!({"type": "table", "rows": rows})) else { panic!() };
    assert!(rows.len() <= MOST_PARTS && rows.last().unwrap()[0].text().ends_with(" more"));
}
