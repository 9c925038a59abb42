//! Questions.

use super::*;
use crate::backend::{Approval, Asker, SessionTarget, TrustQuestion};
use crate::tui::keymap::Context;

fn approval(id: &str) -> Arc<Approval> {
    Arc::new(Approval {
        id: id.into(),
        call_id: None,
        asker: Asker { kind: "main".into(), job_id: None, name: "main".into() },
        tool_name: "std.shell".into(),
        input: serde_json::json!({"command": "rm -rf x"}),
        reason: "it deletes".into(),
        rule: "std.shell(rm *)".into(),
        diff: None,
        command: Some("rm -rf x\x1b[2J".into()),
        created_at: String::new(),
    })
}

#[test]
fn approvals_wait_in_one_queue() {
    let mut d = Desk::new();
    d.event(Event::ApprovalRequested(approval("1"))).event(Event::ApprovalRequested(approval("2"))).wait(1000);
    let screen = d.screen();
    assert!(screen.contains("main asks: std.shell (and 1 more)") && screen.contains("rm -rf x"), "{screen}");
    d.keys("y");
    assert_eq!(d.sent(), ["Approve { approval_id: \"1\", answer: Once }"]);
    d.keys("esc");
    assert_eq!(d.sent(), ["Approve { approval_id: \"2\", answer: NoAndInterrupt }"]);
    assert_eq!(d.app.context(), Context::Main);
}

#[test]
fn digits_and_the_marked_answer() {
    let mut d = Desk::new();
    d.event(Event::ApprovalRequested(approval("1"))).keys("2");
    assert_eq!(d.sent(), ["Approve { approval_id: \"1\", answer: Session }"]);
    d.event(Event::ApprovalRequested(approval("2"))).keys("enter");
    assert_eq!(d.sent(), ["Approve { approval_id: \"2\", answer: No }"], "the cautious answer is marked");
}

#[test]
fn what_is_being_typed_is_no_answer() {
    let mut d = Desk::new();
    d.keys("o k a").event(Event::ApprovalRequested(approval("1"))).keys("y");
    assert_eq!(d.sent(), Vec::<String>::new());
    d.bytes(b"yes\r");
    assert_eq!(d.sent(), Vec::<String>::new(), "nor is text thrown at the program");
    assert_eq!(d.wait(400).keys("y").sent(), ["Approve { approval_id: \"1\", answer: Once }"]);
    assert_eq!(d.draft(), "oka");
}

#[test]
fn answered_elsewhere() {
    let mut d = Desk::new();
    d.event(Event::ApprovalRequested(approval("1"))).event(Event::ApprovalClosed { approval_id: "1".into() });
    assert_eq!(d.app.context(), Context::Main);
}

#[test]
fn trust_is_asked_and_can_be_changed() {
    let question =
        TrustQuestion { folder: "/work".into(), brings: vec![".panto/extensions/spy.lua".into()], changed: false };
    let mut d = Desk::new();
    d.event(Event::TrustAsked(Arc::new(question)));
    assert!(d.screen().contains("trust this folder?") && d.screen().contains("spy.lua"));
    assert_eq!(d.keys("n").sent(), ["Trust { trust: false }"]);
    d.submit("/trust");
    assert_eq!(d.keys("t").sent(), ["Trust { trust: true }"]);
    d.submit("/trust");
    assert_eq!(d.app.context(), Context::Main);
}

fn locked_at_start() -> Desk {
    let start = Start::Locked { target: SessionTarget::Id("x".into()), message: "open in process 42".into() };
    Desk::with(Setup { start, prompt: Some("later".into()), ..setup() })
}

#[test]
fn a_locked_session_gives_a_choice() {
    let mut d = locked_at_start();
    let screen = d.screen();
    assert!(screen.contains("read-only") && screen.contains("fork") && screen.contains("42"), "{screen}");
    assert_eq!(d.sent(), Vec::<String>::new(), "the prompt waits for the choice");
    d.keys("r");
    assert_eq!(d.sent(), ["Open { target: Id(\"x\"), mode: ReadOnly }"]);
    d.event(Event::SessionOpened(Arc::new(session(Phase::Idle))));
    assert_eq!(d.sent(), [prompt("later")]);
}

#[test]
fn leaving_a_locked_session_at_the_start_ends_with_5() {
    assert_eq!(locked_at_start().keys("l").sent(), ["Quit(5)"]);
    assert_eq!(locked_at_start().keys("esc").sent(), ["Quit(5)"]);
}

#[test]
fn a_session_that_is_locked_when_it_is_picked() {
    let mut d = Desk::new();
    d.submit("/resume").reply(Ok(Reply::Sessions(vec![summary("a", "x")]))).keys("enter");
    d.refuse(Code::SessionLocked, "open in process 42").sent();
    assert_eq!(d.keys("f").sent(), ["Open { target: Path(\"/data/a.jsonl\"), mode: Fork }"]);
}

#[test]
fn the_file_of_an_edit_is_always_named() {
    let diff = |names: &str| format!("{names}@@ -1 +1 @@\n-old line\n+new line\n");
    let shown = |reason: &str, diff: String| {
        let mut d = Desk::new();
        let edit = Approval { reason: reason.into(), command: None, diff: Some(diff), ..(*approval("1")).clone() };
        d.event(Event::ApprovalRequested(Arc::new(edit)));
        d.screen()
    };
    let one = diff("--- a/src/a\n+++ b/src/a\n");
    let lines = |screen: &str, path: &str| screen.lines().filter(|line| line.contains(path)).count();
    assert_eq!(lines(&shown("mode ask", one.clone()), "│ src/a "), 1, "no one else says it");
    let told = shown("src/a: mode ask", one.clone());
    assert_eq!((lines(&told, "src/a"), lines(&told, "@@ -1")), (1, 1), "{told}");
    assert_eq!(lines(&shown("an edit of src/abc", one), "│ src/a "), 1, "another file");
    let two = diff("--- a/x\n+++ b/x\n") + &diff("--- a/y\n+++ b/y\n");
    let told = shown("mode ask", two);
    assert!(told.contains("+++ b/x") && told.contains("+++ b/y"), "{told}");
    let new = diff("--- /dev/null\n+++ b/made.rs\n");
    assert_eq!(lines(&shown("mode ask", new), "│ made.rs "), 1);
    let gone = diff("--- a/lost.rs\n+++ /dev/null\n");
    assert_eq!(lines(&shown("mode ask", gone), "│ lost.rs "), 1);
}
