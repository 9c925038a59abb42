//! Sending, steering, stopping, leaving.

use super::*;

#[test]
fn enter_sends_and_steers() {
    let mut d = Desk::new();
    assert_eq!(d.submit("hello").sent(), [prompt("hello")]);
    assert_eq!(d.draft(), "");
    d.phase(Phase::Turn);
    assert_eq!(d.submit("left please").sent(), [steer("left please")]);
    assert_eq!(d.submit("   ").sent(), Vec::<String>::new(), "blanks are no prompt");
    d.phase(Phase::Compaction).keys("ctrl-u");
    assert_eq!(d.submit("and right").sent(), [steer("and right")], "also while a turn compacts");
}

#[test]
fn t12_a_burst_is_one_draft() {
    let mut d = Desk::new();
    d.bytes(b"line1\rline2\rline3");
    assert_eq!((d.sent(), d.draft()), (vec![], "line1\nline2\nline3".into()));
    assert_eq!(d.wait(300).bytes(b"\r").sent(), [prompt("line1\nline2\nline3")]);
}

#[test]
fn t14_a_paste_with_an_end_mark_sends_nothing() {
    let mut d = Desk::new();
    d.bytes(b"\x1b[200~a\x1b[201~\rrm -rf x\x1b[201~");
    assert_eq!((d.sent(), d.draft()), (vec![], "a\nrm -rf x".into()));
}

#[test]
fn t23_only_a_plain_enter_sends() {
    for newline in [b"\x1b[13;2u".as_slice(), b"\x1b[27;2;13~", b"\x1b\r", b"\n"] {
        let mut d = Desk::new();
        d.type_text("UPPER").bytes(newline);
        assert_eq!(d.submit("LOWER").sent(), [prompt("UPPER\nLOWER")]);
    }
    let mut d = Desk::new();
    d.type_text("UPPER").keys("\\ enter");
    assert_eq!(d.submit("LOWER").sent(), [prompt("UPPER\nLOWER")]);
}

#[test]
fn steering_that_comes_too_late_becomes_a_prompt() {
    let mut d = Desk::new();
    d.phase(Phase::Turn).submit("left");
    d.sent.retain(|e| matches!(e, Effect::Send(..)));
    d.phase(Phase::Idle).refuse(Code::InvalidRequest, "no turn is running");
    assert_eq!(d.sent(), [steer("left"), prompt("left")]);
}

#[test]
fn a_prompt_that_comes_too_early_becomes_steering_and_nothing_is_lost() {
    let mut d = Desk::new();
    d.submit("one").sent();
    d.submit("two").refuse(Code::Busy, "a turn is running");
    assert_eq!(d.sent(), [prompt("two"), steer("two")]);
    let purpose = Purpose::Steer { draft: crate::tui::app::editor::Draft::of_text("two"), again: true };
    d.type_text("three");
    d.tell(Message::Reply(purpose, Err(BackendError::new(Code::InvalidRequest, "no turn is running"))));
    assert_eq!((d.sent(), d.draft(), d.hint()), (vec![], "two\nthree".into(), "no turn is running"));
}

#[test]
fn escape_interrupts_and_queued_text_comes_back() {
    let mut d = Desk::new();
    d.phase(Phase::Turn).type_text("new").keys("esc");
    assert_eq!(d.reply(Ok(Reply::Returned(vec!["one".into(), "two".into()]))).sent(), ["Abort"]);
    assert_eq!(d.draft(), "one\ntwo\nnew");
    assert_eq!(d.phase(Phase::Idle).keys("esc esc").sent(), Vec::<String>::new());
}

#[test]
fn t29_a_key_with_an_escape_prefix_does_not_interrupt() {
    let mut d = Desk::new();
    d.phase(Phase::Turn).bytes(b"\x1b\x1b[A");
    assert_eq!((d.sent(), d.hint()), (vec![], "nothing is queued"), "it is Alt-Up");
    assert_eq!(d.bytes(b"\x1bx").sent(), Vec::<String>::new());
}

#[test]
fn tab_queues_a_follow_up_during_a_turn_only() {
    let mut d = Desk::new();
    assert_eq!(d.type_text("then").keys("tab").sent(), Vec::<String>::new());
    d.phase(Phase::Turn).keys("tab");
    assert_eq!(d.sent(), ["FollowUp { text: \"then\" }"]);
    assert_eq!(d.refuse_line(), "then");
}

impl Desk {
    /// The follow-up is refused: what stands in the editor then.
    fn refuse_line(&mut self) -> String {
        let purpose = Purpose::Line(crate::tui::app::editor::Draft::of_text("then"));
        self.tell(Message::Reply(purpose, Err(BackendError::new(Code::InvalidRequest, "no"))));
        self.draft()
    }
}

#[test]
fn x17_ctrl_c_cancels_the_tool_and_does_not_count() {
    let mut d = Desk::new();
    d.phase(Phase::Turn).tool().type_text("draft").keys("ctrl-c");
    assert_eq!(d.sent(), ["CancelTools { call_id: None }"]);
    assert_eq!(d.draft(), "draft", "the draft stays");
    let mut d = Desk::new();
    d.phase(Phase::Compaction).keys("ctrl-c");
    assert_eq!(d.sent(), ["CancelTools { call_id: None }"], "a turn goes on without its compaction");
    let mut d = Desk::new();
    d.phase(Phase::Turn).tool().keys("ctrl-c").sent();
    d.event(Event::SessionOpened(Arc::new(session(Phase::Idle)))).keys("ctrl-c");
    assert_eq!(d.sent(), Vec::<String>::new(), "the cancel was not the first of two");
    assert_eq!(d.keys("ctrl-c").sent(), ["Quit(0)"]);
}

#[test]
fn ctrl_c_clears_then_quits_within_a_second() {
    let mut d = Desk::new();
    d.type_text("draft").keys("ctrl-c");
    assert_eq!((d.draft().as_str(), d.hint()), ("", ""));
    d.keys("ctrl-c");
    assert!(d.hint().contains("again"));
    d.wait(1100).tick();
    assert_eq!(d.hint(), "", "the hint goes with its second");
    d.keys("ctrl-c").wait(1400).keys("ctrl-c");
    assert_eq!(d.sent(), Vec::<String>::new());
    assert_eq!(d.keys("ctrl-c").sent(), ["Quit(0)"]);
}

#[test]
fn another_key_between_two_ctrl_c_disarms() {
    let mut d = Desk::new();
    assert_eq!(d.keys("ctrl-c left ctrl-c").sent(), Vec::<String>::new());
}

#[test]
fn ctrl_d_quits_when_empty_and_idle() {
    let mut d = Desk::new();
    d.type_text("ab").keys("ctrl-a ctrl-d");
    assert_eq!((d.draft().as_str(), d.sent()), ("b", vec![]));
    d.keys("ctrl-d").phase(Phase::Turn).keys("ctrl-d");
    assert_eq!(d.sent(), Vec::<String>::new());
    assert_eq!(d.phase(Phase::Idle).keys("ctrl-d").sent(), ["Quit(0)"]);
}

#[test]
fn shell_lines() {
    let mut d = Desk::new();
    assert_eq!(d.submit("!echo hi").sent(), ["Shell { line: \"echo hi\", to_model: true }"]);
    assert_eq!(d.submit("!!echo hi").sent(), ["Shell { line: \"echo hi\", to_model: false }"]);
    d.phase(Phase::Turn);
    assert_eq!(d.submit("!ls").sent(), ["Shell { line: \"ls\", to_model: true }"]);
}

#[test]
fn the_prompt_of_the_command_line_is_sent_at_once() {
    let mut d = Desk::with(Setup { prompt: Some("first words".into()), ..setup() });
    assert_eq!(d.sent(), [prompt("first words")]);
    d.event(Event::SessionOpened(Arc::new(session(Phase::Idle))));
    assert_eq!(d.sent(), Vec::<String>::new(), "once");
}

#[test]
fn an_idle_program_has_no_deadline() {
    let mut d = Desk::new();
    assert_eq!(d.app.deadline(d.now), None);
    d.phase(Phase::Turn);
    assert!(d.app.deadline(d.now).is_some());
    d.phase(Phase::Idle);
    assert_eq!(d.app.deadline(d.now), None);
}

#[test]
fn escape_stops_a_shell_line_outside_of_a_turn() {
    let mut d = Desk::new();
    d.tool();
    assert!(d.screen().contains("running · Esc interrupt"), "{}", d.screen());
    assert_eq!(d.keys("esc").sent(), ["CancelTools { call_id: None }"]);
}

#[test]
fn ctrl_b_sends_a_running_call_to_the_background_and_is_left_without_one() {
    let mut d = Desk::new();
    d.type_text("ab").keys("ctrl-b").type_text("x");
    assert!(d.sent().is_empty());
    assert_eq!(d.app.editor.draft().expanded(), "axb");
    d.phase(Phase::Turn).tool().keys("ctrl-b");
    assert_eq!(d.sent(), ["BackgroundTools { call_id: None }"]);
}
