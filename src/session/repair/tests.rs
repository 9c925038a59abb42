use super::*;
use serde_json::json;

/// A history in short: `u:text`, `a:text/c1/c2` (calls), `r:c1=out/c2!bad` (results, then texts after `/t:`).
fn parse(text: &str) -> Vec<(String, Message)> {
    let message = |word: &str| {
        let (role, rest) = word.split_once(':').unwrap();
        let block = |part: &str| match (role, part.split_once('=')) {
            ("a", Some((_, id))) => Block::tool_use(id, "std.shell", json!({})),
            ("r", Some((id, out))) => Block::tool_result(id, vec![Part::text(out)], false),
            _ => Block::text(part.trim_matches('_')),
        };
        let blocks = rest.split('/').map(block).collect();
        Message::new(if role == "a" { Role::Assistant } else { Role::User }, blocks)
    };
    text.split(' ').enumerate().map(|(i, word)| (i.to_string(), message(word))).collect()
}

fn show(messages: &[(String, Message)]) -> String {
    let block = |b: &Block| match b {
        Block::Text { text, .. } => text.clone(),
        Block::ToolUse { id, .. } => format!("c={id}"),
        Block::ToolResult { tool_use_id, content, is_error, .. } => match is_error {
            true => format!("{tool_use_id}!"),
            false => format!("{tool_use_id}={}", Part::joined(content)),
        },
        other => format!("{other:?}"),
    };
    let message = |(id, m): &(String, Message)| {
        let role = if m.role == Role::Assistant { "a" } else { "u" };
        format!("{id}{role}:{}", m.blocks.iter().map(block).collect::<Vec<_>>().join("/"))
    };
    messages.iter().map(message).collect::<Vec<_>>().join(" ")
}

fn repaired(text: &str) -> String {
    show(&history(parse(text)))
}

#[test]
fn a_whole_history_stays() {
    assert_eq!(repaired("u:q a:c=1/c=2 r:1=x/2=y a:end"), "0u:q 1a:c=1/c=2 2u:1=x/2=y 3a:end");
}

#[test]
fn h02_a_call_without_a_result_gets_one() {
    assert_eq!(repaired("u:q a:c=1"), "0u:q 1a:c=1 1+resultsu:1!");
    assert_eq!(repaired("u:q a:c=1/c=2 r:2=y u:next"), "0u:q 1a:c=1/c=2 2u:1!/2=y 3u:next");
    let synthetic = &history(parse("a:c=1"))[1].1.blocks[0];
    assert_eq!(*synthetic, Block::tool_result("1", vec![Part::text("interrupted before it finished")], true));
}

#[test]
fn results_come_directly_after_and_in_order() {
    assert_eq!(repaired("a:c=1/c=2 r:2=y/1=x"), "0a:c=1/c=2 1u:1=x/2=y");
    assert_eq!(repaired("a:c=1 u:steer r:1=x"), "0a:c=1 2u:1=x 1u:steer");
    assert_eq!(repaired("a:c=1 a:more r:1=x u:q"), "0a:c=1 2u:1=x 1a:more 3u:q");
    assert_eq!(repaired("a:c=1 r:steer/1=x"), "0a:c=1 1u:1=x/steer");
    assert_eq!(repaired("a:c=1/c=2 r:1=x r:2=y"), "0a:c=1/c=2 1u:1=x/2=y");
}

#[test]
fn second_results_go() {
    assert_eq!(repaired("a:c=1 r:1=x r:1=again"), "0a:c=1 1u:1=x");
}

#[test]
fn r01_results_whose_call_is_lost_are_told_of_without_their_words() {
    let repaired = |text: &str| repaired(text).replace(LOST, "LOST");
    assert_eq!(repaired("u:q r:0=x/9=z a:end"), "0u:q 1u:LOST 2a:end");
    assert_eq!(repaired("r:0=x a:c=1 r:1=x r:9=z u:q"), "0u:LOST 1a:c=1 2u:1=x 3u:LOST 4u:q");
    assert_eq!(repaired("a:c=1 r:9=z/1=x/steer"), "0a:c=1 1u:1=x/LOST/steer");
}

#[test]
fn h13_call_ids_used_again_are_told_apart() {
    assert_eq!(repaired("u:q a:c=b r:b=one u:q a:c=b r:b=two"), "0u:q 1a:c=b 2u:b=one 3u:q 4a:c=b_2 5u:b_2=two");
    assert_eq!(repaired("a:c=b u:q a:c=b r:b=two"), "0a:c=b 0+resultsu:b! 1u:q 2a:c=b_2 3u:b_2=two");
    assert_eq!(
        repaired("a:c=b_2 r:b_2=x a:c=b r:b=y a:c=b r:b=z"),
        "0a:c=b_2 1u:b_2=x 2a:c=b 3u:b=y 4a:c=b_3 5u:b_3=z"
    );
    assert_eq!(repaired("a:c=b/c=b r:b=x/b=y"), "0a:c=b 1u:b=x");
}

#[test]
fn empty_texts_vanish_for_the_model() {
    assert_eq!(repaired("u:q a:__ u:_ a:_/end"), "0u:q 3a:end");
}

proptest::proptest! {
    #[test]
    fn every_call_has_exactly_one_result_directly_after_it(words in proptest::collection::vec(
        proptest::sample::select(vec!["u:q", "a:c=1", "a:c=1/c=2", "a:c=2/t", "r:1=x", "r:2=y/1=x", "r:t/2=y", "a:_", "a:c=3/c=3"]), 1..12,
    )) {
        let out = history(parse(&words.join(" ")));
        let mut seen = HashSet::new();
        for (index, (_, message)) in out.iter().enumerate() {
            let calls: Vec<String> = message.calls().map(|(id, ..)| id.to_owned()).collect();
            proptest::prop_assert!(calls.iter().all(|id| seen.insert(id.clone())));
            let next = out.get(index + 1).map(|(_, m)| m.blocks.as_slice()).unwrap_or_default();
            let results: Vec<String> = next.iter().filter_map(|b| match b {
                Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.clone()),
                _ => None,
            }).collect();
            proptest::prop_assert_eq!(calls, results);
        }
        proptest::prop_assert_eq!(history(out.clone()), out);
    }
}
