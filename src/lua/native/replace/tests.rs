use super::*;
use proptest::prelude::*;

fn changed(text: &str, old: &str, new: &str) -> String {
    let replaced = replace(text.as_bytes(), old.as_bytes(), new.as_bytes(), false);
    String::from_utf8(replaced.expect("it is replaced").text).unwrap()
}

fn refused(text: &str, old: &str, new: &str) -> Refusal {
    replace(text.as_bytes(), old.as_bytes(), new.as_bytes(), false).unwrap_err()
}

#[test]
fn x07_crlf_is_found_and_kept() {
    assert_eq!(changed("a\r\nb\r\nc\r\n", "a\nb", "a\nB"), "a\r\nB\r\nc\r\n");
    assert_eq!(changed("a\r\nb\r\n", "a\r\nb", "x\ny"), "x\r\ny\r\n");
    assert_eq!(changed("a\r\nb", "b", "b\nc\n"), "a\r\nb\r\nc\r\n");
    assert_eq!(changed("a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n"), "x\ny\n");
}

#[test]
fn x08_only_touched_lines_change() {
    assert_eq!(changed("1\n2\r\n3\n4\n", "4", "four"), "1\n2\r\n3\nfour\n");
    assert_eq!(changed("1\n2\r\n3\n4\n", "1\n2\n3\n", "0\n1\n2\n3\n"), "0\n1\n2\r\n3\n4\n");
    assert_eq!(changed("1\n2\r\n3\n", "1\n2\n3\n", "1\n2\nnew\n3\n"), "1\n2\r\nnew\n3\n");
    assert_eq!(changed("1\r\n2\n3\r\n", "2\n", ""), "1\r\n3\r\n");
}

#[test]
fn line_ends_can_be_changed_on_purpose() {
    assert_eq!(changed("a\nb\n", "a\n", "a\r\n"), "a\r\nb\n");
}

#[test]
fn x10_what_is_not_clear_is_refused() {
    assert_eq!(refused("x=1\ny=2\nx=1\n", "x=1", "x=9"), Refusal::Ambiguous { lines: vec![1, 3] });
    assert_eq!(refused("x=1\n", "zzz", "q"), Refusal::NotFound { near: None });
    assert_eq!(refused("x=1\n", "x", "x"), Refusal::NoChange);
    assert_eq!(refused("a\r\nb\n", "a\nb", "a\r\nb"), Refusal::NoChange);
    assert_eq!(refused("x", "", "y"), Refusal::Empty);
    let all = replace(b"x=1\ny=2\nx=1\n", b"x=1", b"x=9", true).unwrap();
    assert_eq!((all.text, all.count, all.lines), (b"x=9\ny=2\nx=9\n".to_vec(), 2, vec![1, 3]));
}

#[test]
fn x12_other_bytes_stay() {
    let text = b"const x = 1;\n// caf\xe9\n";
    let replaced = replace(text, b"x = 1", b"x = 2", false).unwrap();
    assert_eq!(replaced.text, b"const x = 2;\n// caf\xe9\n");
}

#[test]
fn bom_and_a_missing_last_line_end_stay() {
    assert_eq!(changed("\u{feff}a 1\n", "a 1", "a 2"), "\u{feff}a 2\n");
    assert_eq!(changed("\u{feff}a 1 \nb\n", "a 1\nb", "a 2"), "\u{feff}a 2\n");
    assert_eq!(changed("a\nb", "b", "c"), "a\nc");
}

#[test]
fn white_space_at_line_ends_is_looked_past() {
    assert_eq!(changed("if x {  \n\ty()\t\n}\n", "if x {\n\ty()\n}", "z"), "z\n");
    assert_eq!(changed("say(\u{201C}hi\u{201D})\nb\n", "say(\"hi\")\n", "c\n"), "c\nb\n");
    let twice = refused("a \nb\na\t\nb\n", "a\nb", "c");
    assert_eq!(twice, Refusal::Ambiguous { lines: vec![1, 3] });
}

#[test]
fn other_indentation_is_told_not_guessed() {
    let near = refused("x\n    if a:\n        b()\n", "if a:\n    b()\n", "c");
    let text = b"    if a:\n        b()\n".to_vec();
    assert_eq!(near, Refusal::NotFound { near: Some(Near { line: 2, text, white_space: true }) });
}

#[test]
fn the_most_similar_line_is_told() {
    let near = refused("fn one() {}\nfn count_words(text: &str) {}\n", "fn count_word(text: &str) {\n  body", "c");
    let text = b"fn count_words(text: &str) {}".to_vec();
    assert_eq!(near, Refusal::NotFound { near: Some(Near { line: 2, text, white_space: false }) });
}

proptest! {
    /// Bytes outside of the replaced passage never change.
    #[test]
    fn the_rest_stays(before in "[a-c\r\n]{0,12}", after in "[a-c\r\n]{0,12}", new in "[d-f\n]{0,6}") {
        let text = format!("{before}XYZ{after}");
        let replaced = replace(text.as_bytes(), b"XYZ", new.as_bytes(), false).unwrap().text;
        prop_assert!(replaced.starts_with(before.as_bytes()) && replaced.ends_with(after.as_bytes()));
    }

    /// Texts with one kind of line end keep to it.
    #[test]
    fn uniform_ends_stay_uniform(lines in proptest::collection::vec("[a-c]{0,3}", 1..6), new in "[d-f\n]{0,8}") {
        let text = format!("X\r\n{}\r\n", lines.join("\r\n"));
        let replaced = replace(text.as_bytes(), b"X", new.as_bytes(), false).unwrap().text;
        let crlf = memmem::find_iter(&replaced, b"\r\n").count();
        prop_assert_eq!(crlf, memchr::memchr_iter(b'\n', &replaced).count());
    }
}
