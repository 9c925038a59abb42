//! Keys on a draft.

use super::*;

fn editor() -> Editor {
    Editor::new(Fold { lines: 10, chars: 1000 }, Ambiguous::Narrow)
}

fn with(text: &str) -> Editor {
    let mut e = editor();
    e.insert(text);
    e
}

#[test]
fn clusters_are_one_piece() {
    let mut e = with("a👨‍👩‍👧e\u{301}");
    e.delete_back();
    assert_eq!(e.text(), "a👨‍👩‍👧");
    e.left();
    assert_eq!(e.before_caret(), "a");
    e.delete_next();
    assert_eq!(e.text(), "a");
}

#[test]
fn t13_a_long_paste_is_a_mark_and_sent_whole() {
    let pasted = (0..123).map(|i| format!("row {i} ä")).collect::<Vec<_>>().join("\n");
    let mut e = with("see ");
    e.paste(&pasted);
    e.insert(" please");
    assert_eq!(e.text(), "see [pasted #1, 123 lines] please");
    assert_eq!(e.draft().expanded(), format!("see {pasted} please"));
}

#[test]
fn folding_begins_above_the_limits() {
    let fold = Fold { lines: 10, chars: 1000 };
    assert!(!fold.applies(&"x\n".repeat(9)));
    assert!(fold.applies(&"x\n".repeat(10)), "11 lines");
    assert!(!fold.applies(&"é".repeat(1000)));
    assert!(fold.applies(&"é".repeat(1001)));
}

#[test]
fn a_mark_is_one_piece() {
    let mut e = with("a");
    e.paste(&"x".repeat(2000));
    e.insert("b");
    e.left();
    e.left();
    assert_eq!(e.before_caret(), "a");
    e.right();
    e.delete_back();
    assert_eq!(e.text(), "ab");
    e.undo();
    assert_eq!(e.draft().expanded(), format!("a{}b", "x".repeat(2000)), "undo brings the paste back");
}

#[test]
fn the_caret_never_rests_inside_a_mark() {
    let mut e = with("0123456789\n");
    e.paste(&"x".repeat(2000));
    assert!(e.up());
    e.line_start();
    e.right();
    e.right();
    assert!(e.down());
    assert_eq!(e.after_caret(), "");
}

#[test]
fn what_is_put_back_stands_before_the_new_draft() {
    let mut e = editor();
    e.paste(&"old\n".repeat(20));
    let old = e.take();
    e.paste(&"new\n".repeat(20));
    let whole = format!("{}\n{}", "old\n".repeat(20), "new\n".repeat(20));
    e.put_back(old);
    assert_eq!(e.text(), "[pasted #1, 21 lines]\n[pasted #2, 21 lines]");
    assert_eq!(e.draft().expanded(), whole);
}

#[test]
fn up_and_down_go_by_rows_of_the_screen() {
    let mut e = with("abcdefghij");
    e.set_columns(4);
    assert_eq!(e.layout().caret, (2, 2));
    assert!(e.up());
    assert_eq!(e.before_caret(), "abcdef");
    assert!(e.up());
    assert!(!e.up());
    assert!(e.down() && e.down() && !e.down());
}

#[test]
fn t24_the_caret_on_wide_text() {
    let mut e = with("你好x");
    assert_eq!(e.layout().caret, (0, 5));
    e.set_columns(4);
    assert_eq!(e.layout().caret, (1, 1));
    e.set_columns(5);
    assert_eq!(e.layout().caret, (1, 0), "behind a full row it stands on the next");
}

#[test]
fn control_characters_stay_out() {
    assert_eq!(with("a\x1b[2Jb\tc\nd").text(), "a[2Jb\tc\nd");
}

#[test]
fn any_width_lays_out_everything() {
    for width in 1..12 {
        let mut e = with("你好 — wide\n\n\tx👨‍👩‍👧");
        e.set_columns(width);
        let layout = e.layout();
        let all: String = layout.rows.iter().map(|r| &e.lines()[r.line][r.bytes.clone()]).collect();
        assert_eq!(all, e.lines().concat(), "width {width}");
        assert!(layout.caret.0 < layout.rows.len());
    }
}

#[test]
fn words_go_around_marks() {
    let mut e = with("one ");
    e.paste(&"x".repeat(2000));
    e.insert("  ");
    e.word_left();
    assert_eq!(e.before_caret(), "one ");
    e.word_right();
    assert_eq!(e.after_caret(), "  ");
    e.line_end();
    e.delete_word_back();
    assert_eq!(e.text(), "one ");
}
