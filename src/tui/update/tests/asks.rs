//! Questions of extensions that are answered in a form.

use super::*;
use crate::backend::{Ask, AskItem, AskKind};

fn ask(id: &str, kind: AskKind) -> Arc<Ask> {
    let (extension, title, text) = ("demo".into(), format!("Question {id}"), String::new());
    Arc::new(Ask { id: id.into(), extension, title, text, kind, created_at: String::new() })
}

pub fn line(id: &str) -> Arc<Ask> {
    ask(id, AskKind::Input { default: "begun".into(), placeholder: "who?".into() })
}

pub fn list(id: &str, multi: bool) -> Arc<Ask> {
    let item = |n: usize| AskItem { label: format!("item {n}"), detail: "detail".into() };
    ask(id, AskKind::Select { items: (0..30).map(item).collect(), multi, default: vec![2] })
}

pub fn text(id: &str) -> Arc<Ask> {
    ask(id, AskKind::Edit { default: "one\ntwo".into() })
}

fn answer(id: &str, response: &str) -> String {
    format!("Answer {{ ask_id: {id:?}, response: {response} }}")
}

#[test]
fn a_form_is_edited_and_answered() {
    let mut d = Desk::new();
    d.event(Event::Asked(line("1"))).type_text(" it").keys("left left left backspace enter");
    assert_eq!(d.sent(), [answer("1", "Text(\"begu it\")")]);
    d.event(Event::Asked(list("2", false))).keys("down down enter");
    assert_eq!(d.sent(), [answer("2", "Chosen([4])")]);
    d.event(Event::Asked(list("3", true))).type_text("item 7").keys("tab enter");
    assert_eq!(d.sent(), [answer("3", "Chosen([2, 7])")]);
    d.event(Event::Asked(text("4"))).keys("up shift-enter").type_text("x").keys("enter");
    assert_eq!(d.sent(), [answer("4", "Text(\"one\\nx\\ntwo\")")]);
    d.event(Event::Asked(text("5"))).keys("esc");
    assert_eq!(d.sent(), [answer("5", "Dismissed")]);
    assert_eq!(d.draft(), "");
}

#[test]
fn a_list_without_a_match_has_no_answer() {
    let mut d = Desk::new();
    d.event(Event::Asked(list("1", false))).type_text("zzz").keys("enter");
    assert_eq!(d.sent(), Vec::<String>::new());
    d.keys("ctrl-u enter");
    assert_eq!(d.sent(), [answer("1", "Chosen([0])")]);
}

#[test]
fn the_snapshot_brings_questions_and_leaves_what_is_typed() {
    let mut d = Desk::new();
    let with = |asks| Event::SessionOpened(Arc::new(Session { asks, ..session(Phase::Idle) }));
    d.event(Event::Asked(line("1"))).type_text(" here").event(with(vec![line("1"), line("2")]));
    assert!(d.screen().contains("Question 1 (and 1 more)") && d.screen().contains("> begun here"), "{}", d.screen());
    d.event(Event::AskClosed { ask_id: "1".into() });
    assert!(d.screen().contains("Question 2 ─"), "{}", d.screen());
    d.event(with(vec![]));
    assert!(!d.screen().contains("Question"), "{}", d.screen());
}

#[test]
fn what_one_types_when_a_question_comes_up_is_no_answer() {
    let mut d = Desk::new();
    d.bytes(b"a dra").event(Event::Asked(line("1"))).bytes(b"ft\r").keys("x enter");
    assert_eq!(d.sent(), Vec::<String>::new());
    assert!(d.screen().contains("> begun"), "{}", d.screen());
    d.wait(1000).keys("enter");
    assert_eq!(d.sent(), [answer("1", "Text(\"begun\")")]);
    assert_eq!(d.draft(), "a dra");
}
