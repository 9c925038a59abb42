use super::*;
use crate::conversation::{Block, Message};
use Dialect::{AnthropicMessages, OpenaiChat, OpenaiResponses};
use serde_json::json;

/// The faults of a body with these messages (or input items), as lines.
fn faults(dialect: Dialect, list: Value) -> Vec<String> {
    let body = match dialect {
        OpenaiResponses => json!({"model": "m", "store": false, "input": list}),
        _ => json!({"model": "m", "max_tokens": 9000, "messages": list}),
    };
    check(dialect, &body).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn finds(dialect: Dialect, list: Value, what: &str) {
    let found = faults(dialect, list);
    assert!(found.iter().any(|fault| fault.contains(what)), "{what:?} is not among {found:?}");
}

fn user() -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": "q"}]})
}

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "ls", "input": {}})
}

fn tool_result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id})
}

fn said(role: &str, content: Value) -> Value {
    json!({"role": role, "content": content})
}

fn called(id: &str) -> Value {
    let call = json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    json!({"role": "assistant", "content": "", "tool_calls": [call]})
}

fn answered(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": ""})
}

#[test]
fn what_strict_servers_take() {
    let round = json!([
        user(),
        said("assistant", json!([tool_use("a"), tool_use("b")])),
        said("user", json!([tool_result("a"), tool_result("b")]))
    ]);
    assert_eq!(faults(AnthropicMessages, round), [""; 0]);
    assert_eq!(faults(OpenaiChat, json!([user(), called("a"), answered("a")])), [""; 0]);
    let items = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "X"},
        {"type": "function_call", "call_id": "a", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": ""},
    ]);
    assert_eq!(faults(OpenaiResponses, items), [""; 0]);
}

#[test]
fn h01_h02_results_come_directly_after_their_calls() {
    finds(OpenaiChat, json!([user(), called("a"), user()]), "messages[2]: the results of a are missing");
    finds(OpenaiChat, json!([user(), called("a")]), "the end: the results of a are missing");
    finds(OpenaiChat, json!([user(), answered("a")]), "not due");
    finds(
        OpenaiChat,
        json!([user(), called("a"), answered("a"), answered("a")]),
        "messages[3]: a result of \"a\", which is not due",
    );
    let late = said("user", json!([{"type": "text", "text": "x"}, tool_result("a")]));
    finds(
        AnthropicMessages,
        json!([user(), said("assistant", json!([tool_use("a")])), late]),
        "results of a are missing",
    );
    let call = json!({"type": "function_call", "call_id": "a", "name": "ls", "arguments": "{}"});
    finds(OpenaiResponses, json!([call]), "results of a are missing");
}

#[test]
fn h04_nothing_is_empty() {
    finds(
        AnthropicMessages,
        json!([said("user", json!([{"type": "text", "text": " \n"}]))]),
        "without anything to read",
    );
    finds(AnthropicMessages, json!([user(), said("assistant", json!([])), user()]), "the content is empty");
    finds(OpenaiChat, json!([said("user", json!(""))]), "the content is empty");
    finds(OpenaiChat, json!([user(), said("assistant", json!("")), user()]), "the content is empty");
}

#[test]
fn roles_alternate_where_they_have_to() {
    finds(AnthropicMessages, json!([user(), user()]), "messages[1]: the role is \"user\", but assistant is due");
    finds(AnthropicMessages, json!([said("assistant", json!([{"type": "text", "text": "a"}]))]), "user is due");
    assert_eq!(faults(OpenaiChat, json!([user(), user()])), [""; 0]);
}

#[test]
fn h13_ids_are_unique_and_in_shape() {
    let twice = json!([user(), called("a"), answered("a"), called("a"), answered("a")]);
    finds(OpenaiChat, twice, "messages[3]: the call id \"a\" is used twice");
    finds(OpenaiChat, json!([user(), called(&"x".repeat(41))]), "not as the server wants it");
    finds(
        AnthropicMessages,
        json!([user(), said("assistant", json!([tool_use("bash:0")]))]),
        "not as the server wants it",
    );
}

#[test]
fn h06_signatures() {
    let thinking = json!({"type": "thinking", "thinking": "t", "signature": "S"});
    let body = json!({"messages": [user(), said("assistant", json!([thinking, {"type": "text", "text": "x"}]))]});
    let history = |text: &str| [Message::assistant(vec![Block::thinking(text, Some("S".into()))])];
    assert_eq!(intact(AnthropicMessages, &body, &history("t")), []);
    assert_eq!(intact(AnthropicMessages, &body, &history("T")).len(), 1, "the text was changed");
    assert_eq!(intact(AnthropicMessages, &body, &[]).len(), 1, "nobody ever gave it out");
    finds(AnthropicMessages, json!([user(), said("assistant", json!([thinking])), user()]), "ends with thinking");
    let unsigned = json!([{"type": "thinking", "thinking": "t", "signature": ""}, {"type": "text", "text": "x"}]);
    finds(AnthropicMessages, json!([user(), said("assistant", unsigned), user()]), "without its signature");
    finds(OpenaiResponses, json!([{"type": "reasoning", "summary": [], "encrypted_content": "X"}]), "lacks the item");
}

#[test]
fn h11_sizes_of_pictures() {
    let picture = |mime: &str, size: usize| {
        let source = json!({"type": "base64", "media_type": mime, "data": "A".repeat(size)});
        json!([said("user", json!([{"type": "image", "source": source}]))])
    };
    assert_eq!(faults(AnthropicMessages, picture("image/png", 9)), [""; 0]);
    finds(AnthropicMessages, picture("image/png", 6 << 20), "a picture of 6 MB, more than 5");
    finds(AnthropicMessages, picture("image/tiff", 9), "a picture of type \"image/tiff\"");
    let url = format!("data:image/png;base64,{}", "A".repeat(6 << 20));
    let part = json!({"type": "image_url", "image_url": {"url": url}});
    finds(OpenaiChat, json!([said("user", json!([part]))]), "more than 5");
    finds(OpenaiChat, json!([said("user", json!("x".repeat(33 << 20)))]), "the body: has 33 MiB");
}

#[test]
fn arguments_names_and_tools() {
    let mut cut = called("a");
    cut["tool_calls"][0]["function"]["arguments"] = json!("{\"pa");
    finds(OpenaiChat, json!([user(), cut, answered("a")]), "not a JSON object");
    let mut dotted = called("a");
    dotted["tool_calls"][0]["function"]["name"] = json!("std.read");
    finds(OpenaiChat, json!([user(), dotted, answered("a")]), "the tool name \"std.read\"");
    let tool = json!({"name": "ls", "input_schema": {"type": "object"}});
    let body = json!({"model": "m", "max_tokens": 1, "messages": [user()], "tools": [tool, tool]});
    assert_eq!(check(AnthropicMessages, &body)[0].to_string(), "tools[1]: is declared twice");
}
