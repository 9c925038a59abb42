//! Whole sessions: nothing is lost and nothing applied twice, whatever happens while they come.

use super::*;
use crate::backend::Level;

fn notice(text: &str) -> Value {
    json!({"level": Level::Info, "text": text})
}

#[test]
fn what_is_heard_before_the_answer_is_part_of_it_and_what_follows_follows() {
    let mut desk = Desk::new();
    let (wanted, opening, mut answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let (id, params) = desk.asked("attach");
    assert_eq!(params, json!({"session_id": "s"}));
    desk.event("s", "session_changed", json!({"session": session("s", 1, 9)}));
    desk.event("s", "assistant_delta", delta("two", "before"));
    desk.event("s", "notice", notice("kept"));
    desk.event("other", "assistant_delta", delta("two", "foreign"));
    assert!(desk.told().is_empty() && answer.try_recv().is_err());
    desk.respond(id, Ok(json!({"session": whole("s", 1, &["one", "two"])})));
    desk.event("s", "session_opened", json!({"session": session("s", 1, 10)}));
    desk.event("s", "assistant_delta", delta("two", "after"));
    assert_eq!(desk.told(), ["opened s: one two", "Info: kept", "two + after"]);
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
    desk.is_silent();
}

#[test]
fn older_items_come_page_by_page() {
    let mut desk = Desk::new();
    let (wanted, opening, _answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let mut newest = whole("s", 7, &["e", "f"]);
    newest["transcript_from"] = 4.into();
    desk.answer("attach", json!({"session": newest}));
    desk.event("s", "item_finished", json!({"item": user("g")}));
    desk.event("s", "assistant_delta", delta("c", "in the page already"));
    let page = desk.answer("read_items", json!({"items": [user("c"), user("d")], "from": 2}));
    assert_eq!(page, json!({"session_id": "s", "epoch": 7, "before": 4}));
    desk.event("s", "assistant_delta", delta("c", "more"));
    assert!(desk.told().is_empty());
    let page = desk.answer("read_items", json!({"items": [user("a"), user("b")], "from": 0}));
    assert_eq!(page["before"], 2);
    assert_eq!(desk.told(), ["opened s: a b c d e f", "finished g", "c + more"]);
}

#[test]
fn a_server_that_gives_no_older_items_is_asked_no_further() {
    let mut desk = Desk::new();
    let (wanted, opening, _answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let mut newest = whole("s", 7, &["z"]);
    newest["transcript_from"] = 4.into();
    desk.answer("attach", json!({"session": newest}));
    desk.answer("read_items", json!({"items": [], "from": 4}));
    desk.is_silent();
    assert_eq!(desk.told(), ["opened s: z"]);
}

#[test]
fn a_session_that_changes_its_life_while_it_comes_is_fetched_anew() {
    let mut desk = Desk::new();
    let (wanted, opening, mut answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let mut newest = whole("s", 7, &["z"]);
    newest["transcript_from"] = 4.into();
    desk.answer("attach", json!({"session": newest}));
    let (stale, _) = desk.asked("read_items");
    desk.event("s", "item_finished", json!({"item": user("gone")}));
    desk.event("s", "notice", notice("kept"));
    desk.event("s", "session_branched", json!({"session": session("s", 7, 20), "removed": ["z"]}));
    let (again, _) = desk.asked("attach");
    desk.respond(stale, Ok(json!({"items": [user("y")], "from": 0})));
    desk.respond(again, Ok(json!({"session": whole("s", 7, &["new"])})));
    assert_eq!(desk.told(), ["opened s: new", "Info: kept"]);
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
}

#[test]
fn a_page_of_an_epoch_that_is_over_begins_anew() {
    let mut desk = Desk::new();
    let (wanted, opening, mut answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let mut newest = whole("s", 7, &["z"]);
    newest["transcript_from"] = 4.into();
    desk.answer("attach", json!({"session": newest}));
    desk.refuse("read_items", Code::InvalidRequest);
    desk.answer("attach", json!({"session": whole("s", 8, &["all"])}));
    assert_eq!(desk.told(), ["opened s: all"]);
    assert!(matches!(answer.try_recv(), Ok(Ok(Reply::Done))));
}

#[test]
fn a_branch_is_told_with_the_whole() {
    let mut desk = Desk::seated();
    desk.event("s", "session_branched", json!({"session": session("s", 1, 20), "removed": ["one"]}));
    let (id, _) = desk.asked("attach");
    let approval = json!({"approval": {"id": "a", "asker": {"kind": "main", "name": "main"}, "tool_name": "t",
        "input": {}, "reason": "r", "rule": "x", "created_at": "t"}});
    desk.event("s", "item_started", json!({"item": user("in the whole")}));
    desk.event("s", "approval_requested", approval);
    assert!(desk.told().is_empty());
    desk.respond(id, Ok(json!({"session": whole("s", 1, &["two"])})));
    let told = desk.told();
    assert_eq!(told[0], "branched s: two without one");
    assert!(told.len() == 2 && told[1].starts_with("ApprovalRequested"), "{told:?}");
}

#[test]
fn another_life_of_the_session_is_fetched() {
    let mut desk = Desk::seated();
    desk.event("s", "session_opened", json!({"session": session("s", 1, 11)}));
    desk.is_silent();
    desk.event("s", "session_opened", json!({"session": session("s", 2, 1)}));
    desk.answer("attach", json!({"session": whole("s", 2, &["anew"])}));
    assert_eq!(desk.told(), ["opened s: anew"]);
}

#[test]
fn an_item_of_an_unknown_kind_costs_only_itself() {
    let mut desk = Desk::new();
    let (wanted, opening, _answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let mut newer = whole("s", 1, &["one", "two"]);
    newer["transcript"][0] = json!({"id": "x", "role": "hologram"});
    desk.answer("attach", json!({"session": newer}));
    assert_eq!(desk.told(), ["opened s:  two"]);
    desk.event("s", "of_a_later_version", json!({"x": 1}));
    desk.event("s", "item_started", json!({"item": 3}));
    desk.event("s", "assistant_delta", json!(null));
    assert!(desk.told().is_empty());
}

#[test]
fn an_item_that_came_in_part_is_asked_for_whole() {
    let mut desk = Desk::new();
    let (wanted, opening, _answer) = existing("s");
    desk.attachment.open(wanted, opening);
    let mut session = whole("s", 1, &["one", "two"]);
    session["transcript"][0]["cut"] = true.into();
    desk.answer("attach", json!({"session": session}));
    assert_eq!(desk.told(), ["opened s: one two"]);
    let asked = desk.answer("read_item", json!({"item": user("one")}));
    assert_eq!(asked, json!({"session_id": "s", "item_id": "one"}));
    assert_eq!(desk.told(), ["finished one"]);
    let mut item = user("three");
    item["cut"] = true.into();
    desk.event("s", "item_finished", json!({"item": item}));
    desk.refuse("read_item", Code::NotFound);
    assert_eq!(desk.told(), ["finished three"]);
}
