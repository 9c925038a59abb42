use super::*;
use crate::conversation::{Block, Message, ModelRef, Part};
use serde_json::json;
use std::sync::Arc;

/// `s`ystem, `u`ser, `a`ssistant, `c`all and its `r`esult, each with 40 tokens of text or so.
fn history(kinds: &str) -> Vec<Entry> {
    let words = "word ".repeat(32);
    let message = |kind: char| match kind {
        's' => Message::system(&words),
        'u' => Message::user(&words),
        'a' => Message::assistant(vec![Block::text(&words)]),
        'c' => Message::assistant(vec![Block::tool_use("1", "std.read", json!({"path": words}))]),
        'r' => Message::new(Role::User, vec![Block::tool_result("1", vec![Part::text(&words)], false)]),
        other => unreachable!("{other}"),
    };
    kinds.chars().enumerate().map(|(n, k)| Entry { id: n.to_string(), message: Arc::new(message(k)) }).collect()
}

/// How many messages of a history become a summary.
fn old(kinds: &str, keep: u64) -> Option<usize> {
    plan(&history(kinds), |_| false, keep).map(|p| p.old.len())
}

#[test]
fn recent_tokens_and_the_last_turn_stay_whole() {
    assert_eq!(old("uauaua", 1), Some(4), "the last turn stays, however few tokens are to");
    assert_eq!(old("uauaua", 100), Some(3), "about 100 tokens are the last three messages");
    assert_eq!(old("uaucrcrcra", 1), Some(2), "a long last turn is not divided");
    assert_eq!(old("uauaua", 100_000), None);
    assert_eq!(old("ucrcra", 1), None, "one turn is no history");
    assert_eq!(old("", 1), None);
}

#[test]
fn calls_and_results_stay_together() {
    for keep in 1..500 {
        let Some(plan) = plan(&history("ucrcrcrauaua"), |_| false, keep) else { continue };
        assert!(!plan.kept[0].message.has_results(), "{keep}");
        assert!(plan.old.last().is_none_or(|e| e.message.calls().next().is_none()), "{keep}");
    }
}

#[test]
fn steering_does_not_begin_a_turn() {
    assert_eq!(old("uaucruauaa", 1), Some(7));
    assert_eq!(old("uaucrucra", 1), Some(2));
}

#[test]
fn system_messages_stay_and_an_earlier_summary_alone_is_nothing_to_sum_up() {
    let plan_of = |keep| plan(&history("suaua"), |e| e.id == "1", keep);
    let parts = plan_of(1).expect("a plan");
    assert_eq!((parts.system.len(), parts.old.len(), parts.kept.len()), (1, 2, 2));
    let after = parts.apply(Entry { id: "x".into(), message: Arc::new(Message::user("summary")) });
    assert_eq!(after.iter().map(|e| e.id.as_str()).collect::<Vec<_>>(), ["0", "x", "3", "4"]);
    assert!(plan(&history("uua"), |e| e.id == "0", 1).is_none());
}

#[test]
fn the_request_offers_no_tools_and_holds_what_happened_without_ballast() {
    let mut history = history("ucraua");
    history[2].message =
        Arc::new(Message::new(Role::User, vec![Block::tool_result("1", vec![Part::text("x".repeat(50_000))], true)]));
    let plan = plan(&history, |_| false, 1).expect("a plan");
    let request = plan.notes(&ModelSpec::unknown(ModelRef::new("p", "m")), Some("the parser"), "s").request();
    let text = request.messages[0].text();
    assert!(request.tools.is_empty() && request.messages.len() == 1);
    assert!(text.contains("[call of std.read]") && text.contains("[error]") && text.contains("the parser"), "{text}");
    assert!(text.len() < 10_000, "{}", text.len());
}

/// How a turn that goes on is divided: ids of what stays, and what the user wants, by the first letters.
fn divided(kinds: &str, keep: u64) -> Option<(String, usize)> {
    let plan = divide(&history(kinds), |e| e.id == "0" && kinds.starts_with('s'), keep)?;
    let kept: Vec<&str> = plan.kept.iter().map(|e| e.id.as_str()).collect();
    Some((kept.join(" "), plan.completed(String::new()).matches("word word").count().min(1)))
}

#[test]
fn a_turn_that_alone_is_too_long_is_divided_between_rounds() {
    assert_eq!(divided("ucrcrcr", 1), Some(("5 6".into(), 1)), "the last round stays, and the prompt in words");
    assert_eq!(divided("ucrcrcr", 100), Some(("3 4 5 6".into(), 1)));
    assert_eq!(divided("uaucrcr", 1), Some(("5 6".into(), 1)));
    assert_eq!(divided("ucr", 1), None, "one round is not divided");
    assert_eq!(divided("u", 1), None);
    assert_eq!(divided("", 1), None);
}

#[test]
fn a_turn_that_is_divided_again_still_knows_what_is_wanted() {
    let mut whole = history("ucrcr");
    let plan = divide(&whole, |_| false, 1).expect("a plan");
    let summary = Entry { id: "x".into(), message: Arc::new(Message::user(plan.completed("NOTES".into()))) };
    whole = plan.apply(summary);
    whole.extend(history("cr"));
    let again = divide(&whole, |e| e.id == "x", 1).expect("a second plan");
    assert_eq!(again.old.len(), 3);
    let text = again.completed("MORE".into());
    assert!(text.starts_with("MORE") && !text.contains("NOTES") && text.contains("word word"), "{text}");
}

#[test]
fn what_is_replaced_is_what_the_plan_says() {
    let mut whole = history("suaua");
    let parts = plan(&whole, |_| false, 1).expect("a plan");
    let summary = Entry { id: "x".into(), message: Arc::new(Message::user("summary")) };
    let first = parts.kept[0].id.clone();
    let ids = |history: &[Entry]| history.iter().map(|e| e.id.clone()).collect::<Vec<_>>();
    replace(&mut whole, Some(&first), summary.clone());
    assert_eq!(ids(&whole), ids(&parts.apply(summary)));
}
