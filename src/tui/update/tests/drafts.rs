//! The draft, its history, pastes.

use super::*;

#[test]
fn up_recalls_and_down_gives_the_draft_back() {
    let mut d = Desk::new();
    d.submit("one").submit("two").sent();
    d.type_text("draft").keys("up");
    assert_eq!(d.draft(), "two");
    d.keys("up up");
    assert_eq!(d.draft(), "one");
    d.keys("down down");
    assert_eq!(d.draft(), "draft");
}

#[test]
fn earlier_runs_are_recalled() {
    let mut d = Desk::new();
    d.tell(Message::History(vec!["remember the crocodile".into()]));
    d.keys("up");
    assert_eq!(d.draft(), "remember the crocodile");
}

#[test]
fn a_recalled_command_opens_no_list() {
    let mut d = Desk::new();
    d.submit("first").submit("/usage").keys("up");
    assert_eq!((d.draft().as_str(), d.app.open.completion.is_none()), ("/usage", true));
    d.keys("up");
    assert_eq!(d.draft(), "first");
}

#[test]
fn t13_a_long_paste_is_folded_sent_whole_and_recalled() {
    let body = (0..10_001).map(|i| format!("{i} 漢字 words")).collect::<Vec<_>>().join("\n");
    let mut d = Desk::new();
    d.bytes(format!("\x1b[200~{body}\x1b[201~").as_bytes());
    assert_eq!(d.draft(), "[pasted #1, 10001 lines]");
    assert_eq!(d.wait(400).keys("enter").sent(), [prompt(&body)]);
    d.keys("up");
    assert_eq!(d.draft(), "[pasted #1, 10001 lines]");
    assert_eq!(d.keys("enter").sent(), [prompt(&body)]);
}

#[test]
fn a_short_paste_is_text() {
    let mut d = Desk::new();
    d.bytes(b"\x1b[200~two\r\nlines\x1b[201~").wait(400);
    assert_eq!((d.sent(), d.draft()), (vec![], "two\nlines".into()));
}

#[test]
fn readline_keys() {
    let mut d = Desk::new();
    d.type_text("middle wrong").keys("ctrl-w").type_text("right").keys("ctrl-a").type_text("left ").keys("ctrl-e");
    d.type_text(" end").keys("ctrl-u");
    assert_eq!(d.draft(), "");
    d.keys("ctrl-y alt-b ctrl-k");
    assert_eq!(d.draft(), "left middle right ");
    d.keys("ctrl-_");
    assert_eq!(d.draft(), "left middle right end");
}

#[test]
fn home_and_end_scroll_at_the_ends_of_the_line() {
    let mut d = Desk::new();
    d.type_text("ab").keys("home");
    assert_eq!(d.app.editor.before_caret(), "");
    d.keys("end");
    assert_eq!(d.app.editor.after_caret(), "");
    d.keys("end");
    assert!(d.app.transcript.is_following());
}

#[test]
fn a_question_mark_is_text_in_a_draft() {
    let mut d = Desk::new();
    d.keys("a ?");
    assert_eq!(d.draft(), "a?");
    assert!(d.app.open.picker.is_none());
}
