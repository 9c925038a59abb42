//! The tree, the list of earlier prompts, and the way back.

use super::*;
use crate::backend::{ContentPart, Node, Outline, Point};
use crate::conversation::Role;
use crate::tui::keymap::Context;

fn node(id: &str, parent: Option<&str>, role: Role, text: &str, active: bool) -> Node {
    Node {
        id: id.into(),
        parent_id: parent.map(str::to_owned),
        kind: "message".into(),
        role: Some(role),
        text: text.into(),
        said: true,
        prompt: role == Role::User,
        calls: false,
        results: false,
        timestamp: String::new(),
        label: None,
        active,
        children: 0,
    }
}

/// q1 – a1 – (q2 – a2) and (q3 – call – results – a3): the session stands behind a3, a2 was left last.
fn outline() -> Outline {
    let mut nodes = vec![
        node("q1", None, Role::User, "first question", true),
        node("a1", Some("q1"), Role::Assistant, "first answer", true),
        node("q2", Some("a1"), Role::User, "second question", false),
        node("a2", Some("q2"), Role::Assistant, "second answer", false),
        node("q3", Some("a1"), Role::User, "third question", true),
        node("c3", Some("q3"), Role::Assistant, "std.read x.rs", true),
        node("r3", Some("c3"), Role::User, "→ text of x", true),
        node("a3", Some("r3"), Role::Assistant, "third answer", true),
    ];
    (nodes[5].said, nodes[5].calls) = (false, true);
    (nodes[6].said, nodes[6].prompt, nodes[6].results) = (false, false, true);
    Outline { nodes, tip: Some("a3".into()), left: Some("a2".into()) }
}

fn said(d: &mut Desk) {
    let content = vec![ContentPart::Text { text: "first question".into() }];
    d.event(Event::ItemFinished(Arc::new(Item { id: "q1".into(), body: ItemBody::User { content } })));
}

fn tree() -> Desk {
    let mut d = Desk::new();
    said(&mut d);
    d.submit("/tree").reply(Ok(Reply::Tree(Box::new(outline()))));
    assert_eq!(d.sent(), ["Tree"]);
    d
}

fn branch(to: Point, summary: &str) -> String {
    format!("Branch {{ to: {to:?}, summary: {summary} }}")
}

/// The answer to a command that was looked at already.
fn branched(d: &mut Desk, purpose: Purpose, prompt: &str) {
    d.tell(Message::Reply(purpose, Ok(Reply::Branched { prompt: Some(prompt.into()) })));
}

fn rows(d: &Desk) -> Vec<String> {
    let inside = |l: &str| l.split_once('│').map(|(_, rest)| rest.trim_end_matches('│').trim().to_owned());
    let screen = d.screen();
    let rows = screen.lines().filter(|l| ["●", "○", "·"].iter().any(|m| l.contains(&format!("{m} "))));
    rows.filter_map(inside).filter(|l| !l.starts_with("Enter")).collect()
}

#[test]
fn the_active_branch_goes_straight_down_and_others_are_indented() {
    let mut d = tree();
    let want = [
        "● first question",
        "○ first answer",
        "├─● second question",
        "│ ○ second answer  ◁ left last",
        "● third question",
        "○ third answer  ◀ here",
    ];
    assert_eq!(rows(&d), want, "{}", d.screen());
    d.keys("tab");
    assert_eq!(rows(&d).len(), 8, "everything: {}", d.screen());
    d.keys("tab");
    assert_eq!(rows(&d), ["● first question", "● third question"], "{}", d.screen());
}

#[test]
fn the_filter_keeps_the_shape_of_the_tree() {
    let mut d = tree();
    d.type_text("ANSWER sec");
    assert_eq!(rows(&d), ["○ second answer  ◁ left last"]);
    d.keys("ctrl-u").type_text("question");
    assert_eq!(rows(&d), ["● first question", "├─● second question", "● third question"]);
    d.keys("esc");
    assert_eq!((d.sent().len(), d.app.context()), (0, Context::Main));
}

#[test]
fn an_answer_is_gone_on_from_and_a_prompt_is_edited() {
    let mut d = tree();
    d.keys("up up enter");
    assert!(d.sent().is_empty(), "first it is asked whether to sum up");
    assert!(d.screen().contains("4 messages stay"), "{}", d.screen());
    d.keys("enter");
    assert_eq!(d.sent(), [branch(Point::At("a2".into()), "None")]);
    d.submit("/tree").reply(Ok(Reply::Tree(Box::new(outline())))).keys("up enter n");
    assert_eq!(d.sent()[1..], [branch(Point::Before("q3".into()), "None")]);
    branched(&mut d, Purpose::Branch(Point::Before("q3".into())), "third question\nas it was");
    assert_eq!(d.draft(), "third question\nas it was");
    assert!(d.hint().contains("/back or Ctrl-X b"), "{}", d.hint());
}

#[test]
fn a_call_is_gone_on_from_behind_its_results() {
    let mut d = tree();
    d.keys("tab up up enter n");
    assert_eq!(d.sent(), [branch(Point::At("r3".into()), "None")]);
}

#[test]
fn where_the_session_stands_nothing_happens() {
    let mut d = tree();
    d.keys("enter");
    assert!(d.sent().is_empty());
    assert!(d.hint().contains("stands there already"), "{}", d.hint());
}

#[test]
fn a_summary_is_made_when_it_is_wanted_and_says_what_matters() {
    let mut d = tree();
    d.keys("up up enter y");
    assert_eq!(d.sent(), [branch(Point::At("a2".into()), "Some(BranchSummary { focus: None })")]);
    d.submit("/tree").reply(Ok(Reply::Tree(Box::new(outline())))).keys("up up enter f").type_text("the parser");
    d.keys("enter");
    let focus = "Some(BranchSummary { focus: Some(\"the parser\") })";
    assert_eq!(d.sent()[1..], [branch(Point::At("a2".into()), focus)]);
    for leave in ["up up enter esc", "up up enter f esc"] {
        d.submit("/tree").reply(Ok(Reply::Tree(Box::new(outline())))).keys(leave);
        assert_eq!(d.sent(), ["Tree"], "{leave}: nothing has changed");
        assert_eq!(d.app.context(), Context::Main);
    }
}

#[test]
fn esc_esc_lists_the_prompts_and_the_chosen_one_comes_to_be_edited() {
    let mut d = Desk::new();
    assert!(d.keys("esc esc").sent().is_empty(), "nothing was said yet");
    said(&mut d);
    d.keys("esc");
    assert!(d.hint().contains("Esc again"), "{}", d.hint());
    d.wait(1100).tick().keys("esc");
    assert!(d.sent().is_empty(), "too late");
    d.keys("esc").reply(Ok(Reply::Tree(Box::new(outline()))));
    assert_eq!(d.sent(), ["Tree"]);
    assert_eq!(rows(&d), ["● first question", "● third question"]);
    d.keys("up enter");
    assert_eq!(d.sent(), [branch(Point::Before("q1".into()), "None")], "the quick way asks nothing");
    d.type_text("draft");
    branched(&mut d, Purpose::Branch(Point::Before("q1".into())), "first question");
    assert_eq!(d.draft(), "first question");
    d.keys("up");
    assert_eq!(d.draft(), "draft", "nothing is lost");
}

#[test]
fn esc_esc_leaves_a_draft_and_a_turn_alone() {
    let mut d = Desk::new();
    said(&mut d);
    d.type_text("draft").keys("esc esc");
    assert_eq!((d.sent().len(), d.draft().as_str()), (0, "draft"));
    d.keys("ctrl-u").phase(Phase::Turn).keys("esc");
    d.phase(Phase::Idle).keys("esc");
    assert_eq!(d.sent(), ["Abort"], "the Esc that interrupts is none of the two");
    d.keys("a backspace esc");
    assert_eq!(d.sent().len(), 0, "another key between them");
    d.keys("esc").reply(Ok(Reply::Tree(Box::new(outline())))).keys("esc");
    assert_eq!((d.sent(), d.app.context()), (vec!["Tree".to_owned()], Context::Main));
}

#[test]
fn labels_are_given_in_the_tree() {
    let mut d = tree();
    d.keys("up up ctrl-r").type_text("good idea").keys("enter");
    assert_eq!(d.sent(), ["Label { entry_id: \"a2\", label: \"good idea\" }"]);
    d.tell(Message::Reply(Purpose::Labelled, Ok(Reply::Done)));
    let mut labelled = outline();
    labelled.nodes[3].label = Some("good idea".into());
    d.reply(Ok(Reply::Tree(Box::new(labelled))));
    assert!(d.screen().contains("○ [good idea] second answer"), "{}", d.screen());
    d.keys("ctrl-r ctrl-u").type_text("other").keys("esc enter n");
    assert_eq!(d.sent()[1..], [branch(Point::At("a2".into()), "None")], "the mark stayed, the label was not given");
}

#[test]
fn a_fork_begins_at_the_marked_point() {
    let mut d = tree();
    d.keys("up ctrl-f");
    assert_eq!(d.sent(), ["ForkAt { to: Before(\"q3\") }"]);
    branched(&mut d, Purpose::Forked, "third question");
    assert_eq!(d.draft(), "third question");
}

#[test]
fn back_goes_to_the_branch_that_was_left() {
    let mut d = Desk::new();
    d.submit("/back").keys("ctrl-x b").refuse(Code::NotFound, "there is no other branch to go back to");
    assert_eq!(d.sent(), vec![branch(Point::Left, "None"); 2]);
    assert!(d.hint().contains("no other branch"));
}

#[test]
fn esc_gives_up_what_leads_to_another_point() {
    let mut d = Desk::new();
    said(&mut d);
    d.submit("/back").keys("esc");
    assert_eq!(d.sent(), [branch(Point::Left, "None"), "Abort".into()]);
    d.tell(Message::Reply(
        Purpose::Branch(Point::Left),
        Err(BackendError::new(Code::InvalidRequest, "stopped: the session stands where it stood")),
    ));
    assert!(d.hint().contains("stands where it stood"), "{}", d.hint());
    d.keys("esc esc");
    assert!(!d.sent().contains(&"Abort".to_owned()), "there is nothing to give up any more");
}

#[test]
fn during_a_turn_the_tree_can_be_looked_at() {
    let mut d = tree();
    d.phase(Phase::Turn).keys("up up enter");
    assert!(d.sent().is_empty());
    assert!(d.hint().contains("a turn is running"), "{}", d.hint());
    d.phase(Phase::Idle);
    assert_eq!(d.hint(), "", "it goes with the turn");
}

#[test]
fn back_takes_a_prompt_that_was_not_changed_out_of_the_editor() {
    let left =
        |d: &mut Desk| d.tell(Message::Reply(Purpose::Branch(Point::Left), Ok(Reply::Branched { prompt: None })));
    let mut d = Desk::new();
    branched(&mut d, Purpose::Branch(Point::Before("q3".into())), "third question");
    assert_eq!(d.draft(), "third question");
    left(&mut d);
    assert_eq!(d.draft(), "");
    branched(&mut d, Purpose::Branch(Point::Before("q3".into())), "third question");
    d.keys("x");
    left(&mut d);
    assert_eq!(d.draft(), "third questionx", "what was typed is a draft");
}

#[test]
fn the_filter_marks_the_nearest_match() {
    let mut d = tree();
    let marked = |d: &Desk| d.app.open.picker.as_ref().and_then(|p| Some(p.tree()?.node(p.stop()?.at)?.id.clone()));
    d.keys("up up up");
    assert_eq!(marked(&d).as_deref(), Some("q2"));
    d.type_text("third");
    assert_eq!(marked(&d).as_deref(), Some("q3"), "not the last one");
}

#[test]
fn a_label_that_is_refused_says_so_in_the_tree() {
    let mut d = tree();
    d.keys("ctrl-r").type_text("mark").keys("enter");
    d.refuse(Code::SessionLocked, "the session is open read-only: /fork goes on in a copy");
    assert!(d.screen().contains("open read-only: /fork"), "{}", d.screen());
}
