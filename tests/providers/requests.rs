//! What is sent: histories as strict servers accept them.

use super::{
    bodies::{of_chat, of_responses, sent},
    harness::{request, spec},
};
use panto::{
    config::{
        Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
        Quirks,
    },
    conversation::{Block, Extra, Message, ModelRef, Part, Role, Thinking, ToolSpec},
    provider::{ModelSpec, Request, ToolChoice},
};
use serde_json::{Value, json};

const ALL: [Dialect; 3] = [AnthropicMessages, OpenaiChat, OpenaiResponses];

fn written_by(model: &str, blocks: Vec<Block>) -> Message {
    Message { model: Some(model.into()), ..Message::assistant(blocks) }
}

fn assistant(blocks: Vec<Block>) -> Message {
    written_by("env:bench", blocks)
}

fn results(results: &[(&str, &str)]) -> Message {
    let result = |(id, text): &(&str, &str)| Block::tool_result(*id, vec![Part::text(*text)], false);
    Message::new(Role::User, results.iter().map(result).collect())
}

fn call(id: &str) -> Block {
    Block::tool_use(id, "std_shell", json!({"command": "true"}))
}

fn body(dialect: Dialect, messages: Vec<Message>) -> Value {
    sent(dialect, &request(spec(), messages))
}

/// (call ids, ids of results), in order.
fn ids(dialect: Dialect, body: &Value) -> (Vec<String>, Vec<String>) {
    let (list, call, result) = match dialect {
        AnthropicMessages => ("/messages", "/id", "/tool_use_id"),
        OpenaiChat => ("/messages", "/id", "/tool_call_id"),
        OpenaiResponses => ("/input", "/call_id", "/call_id"),
    };
    let (mut calls, mut results) = (vec![], vec![]);
    let id = |v: &Value, at: &str| v.pointer(at).and_then(Value::as_str).expect("an id").to_owned();
    for m in body.pointer(list).and_then(Value::as_array).expect("a list") {
        let inner = m["content"].as_array().cloned().unwrap_or_default();
        for part in inner.iter().chain(m["tool_calls"].as_array().into_iter().flatten()).chain([m]) {
            match part["type"].as_str() {
                Some("tool_use" | "function" | "function_call") => calls.push(id(part, call)),
                Some("tool_result" | "function_call_output") => results.push(id(part, result)),
                _ if part["role"] == "tool" => results.push(id(part, result)),
                _ => {}
            }
        }
    }
    (calls, results)
}

#[test]
fn h01_every_call_has_its_result_directly_after_it() {
    let history = vec![
        Message::user("go"),
        assistant(vec![call("a"), call("b")]),
        results(&[("b", "B")]),
        Message::user("go on"),
    ];
    for dialect in ALL {
        let body = body(dialect, history.clone());
        assert_eq!(ids(dialect, &body), (vec!["a".into(), "b".into()], vec!["a".into(), "b".into()]), "{body}");
    }
}

#[test]
fn h04_blank_text_is_left_out() {
    let history = vec![
        Message::user("hi"),
        assistant(vec![Block::text("\n\n"), call("a")]),
        results(&[("a", "")]),
        assistant(vec![Block::text(" ")]),
        Message::new(Role::User, vec![Block::text("go on"), Block::text("")]),
    ];
    let chat = &body(OpenaiChat, history.clone())["messages"];
    assert_eq!(chat[1]["content"], "", "neither null nor absent");
    assert_eq!(chat[2], json!({"role": "tool", "tool_call_id": "a", "content": ""}));
    assert_eq!(chat[3], json!({"role": "user", "content": "go on"}));
    let anthropic = &body(AnthropicMessages, history)["messages"];
    assert_eq!(anthropic[1]["content"].as_array().map(Vec::len), Some(1));
    assert_eq!(anthropic[2]["content"].as_array().map(Vec::len), Some(2), "result and prompt in one message");
}

#[test]
fn h05_reasoning_is_echoed_where_it_is_wanted() {
    let thinking = || Block::thinking("think", None);
    let history = vec![
        Message::user("old"),
        assistant(vec![thinking(), Block::text("done")]),
        Message::user("new"),
        assistant(vec![thinking(), call("a")]),
        results(&[("a", "x")]),
    ];
    let quirks = Quirks { echo_reasoning: Some(true), ..Quirks::default() };
    let flagged = sent(OpenaiChat, &request(ModelSpec { quirks, ..spec() }, history.clone()));
    assert_eq!(flagged["messages"][1].get("reasoning_content"), None, "only those of the turn that goes on");
    assert_eq!(flagged["messages"][3]["reasoning_content"], "think");
    assert!(!body(OpenaiChat, history).to_string().contains("think\""));
}

#[test]
fn h06_thinking_is_replayed_as_it_came() {
    let said = || {
        let extra = Extra::new();
        let redacted = Block::Thinking { text: String::new(), signature: None, redacted: Some("D==".into()), extra };
        vec![
            Block::thinking("t é", Some("S+/=".into())),
            redacted,
            Block::thinking("", Some("E".into())),
            Block::text("so"),
            call("a"),
        ]
    };
    let history = |model| vec![Message::user("q"), written_by(model, said()), results(&[("a", "x")])];
    let own = body(AnthropicMessages, history("env:bench"));
    let blocks = own["messages"][1]["content"].as_array().expect("blocks").clone();
    assert_eq!(
        blocks[..4],
        [
            json!({"type": "thinking", "thinking": "t é", "signature": "S+/="}),
            json!({"type": "redacted_thinking", "data": "D=="}),
            json!({"type": "thinking", "thinking": "", "signature": "E"}),
            json!({"type": "text", "text": "so"}),
        ]
    );
    for model in ["other:bench", "env:claude-1"] {
        let foreign = body(AnthropicMessages, history(model));
        let kinds: Vec<_> =
            foreign["messages"][1]["content"].as_array().expect("blocks").iter().map(|b| b["type"].clone()).collect();
        assert_eq!(kinds, ["text", "tool_use"]);
    }
    assert!(!body(OpenaiChat, history("env:bench")).to_string().contains("S+/="));
}

#[test]
fn h06_a_message_does_not_end_with_thinking() {
    let history = vec![
        Message::user("q"),
        assistant(vec![Block::text("so"), Block::thinking("half", None)]),
        Message::user("on"),
        assistant(vec![Block::thinking("half", Some("S".into()))]),
        Message::user("and on"),
    ];
    let body = body(AnthropicMessages, history);
    let roles: Vec<_> = body["messages"].as_array().expect("messages").iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "user"], "{body}");
    assert!(!body.to_string().contains("half"));
}

#[test]
fn h07_reasoning_details_and_extra_fields_come_back() {
    let delta = json!({
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "X", "id": "r1", "index": 0}],
        "tool_calls": [{"index": 0, "id": "c1", "function": {"name": "ls", "arguments": "{}"},
                        "extra_content": {"google": {"thought_signature": "SIG"}}}],
    });
    let message = of_chat(&[delta]);
    let history = |model: &str| {
        vec![Message::user("q"), Message { model: Some(model.into()), ..message.clone() }, results(&[("c1", "x")])]
    };
    let own = body(OpenaiChat, history("env:bench"));
    let details = json!([{"type": "reasoning.encrypted", "data": "X", "id": "r1", "index": 0}]);
    assert_eq!(own["messages"][1]["reasoning_details"], details);
    assert_eq!(own["messages"][1]["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "SIG");
    let foreign = body(OpenaiChat, history("other:bench")).to_string();
    assert!(!foreign.contains("SIG") && !foreign.contains("reasoning_details"), "{foreign}");
}

#[test]
fn h07_fragments_of_reasoning_details_are_put_together() {
    let piece = |text: &str| json!({"reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0}]});
    let message = of_chat(&[piece("a"), piece("b")]);
    assert_eq!(message.extra["reasoning_details"], json!([{"type": "reasoning.text", "text": "ab", "index": 0}]));
}

#[test]
fn h10_nul_in_a_result() {
    let history = vec![Message::user("q"), assistant(vec![call("a")]), results(&[("a", "a\0b")])];
    for dialect in ALL {
        assert!(body(dialect, history.clone()).to_string().contains("a\\u0000b"));
    }
}

#[test]
fn h13_reused_ids_are_unique_on_the_wire() {
    let round = |text: &str| [assistant(vec![call("bash:0")]), results(&[("bash:0", text)])];
    let first = [&[Message::user("q")][..], &round("one")].concat();
    let both = [&first[..], &round("two")].concat();
    for dialect in ALL {
        let (calls, results) = ids(dialect, &body(dialect, both.clone()));
        assert_eq!(calls, results);
        assert_ne!(calls[0], calls[1]);
        assert_eq!(ids(dialect, &body(dialect, first.clone())).0[0], calls[0], "earlier messages keep their bytes");
    }
    let long = "x".repeat(90);
    let history = vec![Message::user("q"), assistant(vec![call(&long)]), results(&[(&long, "x")])];
    for (dialect, most) in [(OpenaiChat, 40), (OpenaiResponses, 64), (AnthropicMessages, 64)] {
        let (calls, results) = ids(dialect, &body(dialect, history.clone()));
        assert!(calls[0].len() <= most && calls == results, "{calls:?}");
    }
}

#[test]
fn r54_r56_the_shapes_of_a_round() {
    let mut request = request(
        spec(),
        vec![
            Message::system("later"),
            Message::user("q"),
            assistant(vec![Block::text("so"), call("a")]),
            Message::new(Role::User, vec![Block::tool_result("a", vec![Part::text("no")], true)]),
        ],
    );
    request.system = vec!["one".into(), "two".into()];
    let schema = json!({"type": "object", "properties": {"z": {}, "a": {}}});
    request.tools = vec![ToolSpec { name: "std_shell".into(), description: "d".into(), schema: schema.clone() }];
    let anthropic = sent(AnthropicMessages, &request);
    let texts: Vec<_> = anthropic["system"].as_array().expect("blocks").iter().map(|b| b["text"].clone()).collect();
    assert_eq!(texts, ["one", "two", "later"]);
    assert_eq!(anthropic["tools"][0]["input_schema"].to_string(), schema.to_string(), "verbatim");
    assert_eq!(anthropic["messages"][1]["content"][1]["input"], json!({"command": "true"}));
    assert_eq!(anthropic["messages"][2]["content"][0]["is_error"], true);
    let chat = sent(OpenaiChat, &request);
    assert_eq!(chat["messages"][0], json!({"role": "system", "content": "one\n\ntwo\n\nlater"}));
    assert_eq!(chat["messages"][2]["tool_calls"][0]["function"]["arguments"], r#"{"command":"true"}"#);
    assert_eq!(chat["messages"][3], json!({"role": "tool", "tool_call_id": "a", "content": "no"}));
    assert_eq!(chat["tools"][0]["function"]["parameters"].to_string(), schema.to_string());
    assert_eq!(chat["stream_options"], json!({"include_usage": true}));
    let responses = sent(OpenaiResponses, &request);
    assert_eq!(responses["instructions"], "one\n\ntwo\n\nlater");
    assert_eq!((&responses["store"], &responses["stream"]), (&json!(false), &json!(true)));
    assert_eq!(responses["input"][3], json!({"type": "function_call_output", "call_id": "a", "output": "no"}));
}

#[test]
fn prompt_caches_are_marked_four_times_at_most() {
    let mut request = request(spec(), vec![]);
    request.system = vec!["one".into(), "two".into()];
    let tool = |name: &str| ToolSpec { name: name.into(), description: "d".into(), schema: json!({"type": "object"}) };
    request.tools = vec![tool("a"), tool("b")];
    for n in 0..4 {
        request.messages.extend([Message::user(format!("q{n}")), assistant(vec![Block::text("a")])]);
    }
    request.messages.push(Message::user("last"));
    let body = sent(AnthropicMessages, &request);
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    let marked = |v: &Value| v["cache_control"] == json!({"type": "ephemeral"});
    assert!(marked(&body["system"][1]) && marked(&body["tools"][1]));
    assert!(marked(&body["messages"][8]["content"][0]) && marked(&body["messages"][6]["content"][0]));
    assert!(!sent(OpenaiChat, &request).to_string().contains("cache"));
}

#[test]
fn pictures_go_to_models_that_take_them() {
    let picture = Block::Image { mime: "image/png".into(), data: "AAAA".into(), extra: Extra::new() };
    let shown = Part::Image { mime: "image/png".into(), data: "BBBB".into() };
    let history = vec![
        Message::new(Role::User, vec![Block::text("look"), picture]),
        assistant(vec![call("a")]),
        Message::new(Role::User, vec![Block::tool_result("a", vec![shown], false)]),
    ];
    for dialect in ALL {
        let blind = body(dialect, history.clone()).to_string();
        assert!(!blind.contains("AAAA") && !blind.contains("BBBB") && blind.contains("this model takes none"));
        let seeing = sent(dialect, &request(ModelSpec { images: true, ..spec() }, history.clone())).to_string();
        assert!(seeing.contains("AAAA") && seeing.contains("BBBB"), "{seeing}");
    }
    let big = Block::Image { mime: "image/png".into(), data: "A".repeat(6 << 20), extra: Extra::new() };
    let history = vec![Message::new(Role::User, vec![big])];
    let body = sent(AnthropicMessages, &request(ModelSpec { images: true, ..spec() }, history)).to_string();
    assert!(body.len() < 1000 && body.contains("larger than 5 MB"), "h11");
}

fn thinking(model: ModelSpec, level: Thinking) -> Request {
    Request { thinking: level, ..request(model, vec![Message::user("q")]) }
}

#[test]
fn levels_of_thinking() {
    let known = |id: &str| ModelSpec { reference: ModelRef::new("openai", id), ..spec() };
    let high = thinking(known("gpt-5"), Thinking::High);
    assert_eq!(sent(OpenaiChat, &high)["reasoning_effort"], "high");
    assert_eq!(sent(OpenaiResponses, &high)["reasoning"]["effort"], "high");
    assert_eq!(sent(OpenaiResponses, &high)["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(sent(OpenaiResponses, &high)["prompt_cache_key"], "session");
    let off = thinking(spec(), Thinking::Off);
    for (dialect, field) in
        [(OpenaiChat, "reasoning_effort"), (OpenaiResponses, "reasoning"), (AnthropicMessages, "thinking")]
    {
        assert_eq!(sent(dialect, &off).get(field), None);
    }
    assert_eq!(sent(OpenaiChat, &off).get("prompt_cache_key"), None);
    // What an unknown server does anyway is not asked for.
    let quirks = Quirks { medium_is_default: Some(true), ..Quirks::default() };
    let unknown = |level| thinking(ModelSpec { quirks: quirks.clone(), ..spec() }, level);
    assert_eq!(sent(OpenaiChat, &unknown(Thinking::Medium)).get("reasoning_effort"), None);
    assert_eq!(sent(OpenaiChat, &unknown(Thinking::Max))["reasoning_effort"], "high", "clamped");
}

#[test]
fn an_answer_is_not_longer_than_what_the_window_leaves() {
    let spec = ModelSpec { context: 100_000, output: 64_000, ..spec() };
    let longest = |dialect, tokens, max_tokens| {
        let request = Request { tokens, max_tokens, ..thinking(spec.clone(), Thinking::Off) };
        let body = sent(dialect, &request);
        let fields = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        fields.iter().find_map(|field| body.get(field)?.as_u64())
    };
    // The count may be off by a twentieth, and a floor stays.
    for (tokens, most) in [(0, 64_000), (20_000, 64_000), (60_000, 37_000), (98_000, 1_024), (200_000, 1_024)] {
        assert_eq!(longest(AnthropicMessages, tokens, None), Some(most), "{tokens}");
        for dialect in [OpenaiChat, OpenaiResponses] {
            assert_eq!(longest(dialect, tokens, None), None, "the server's own limit");
            assert_eq!(longest(dialect, tokens, Some(64_000)), Some(most), "{tokens}");
        }
    }
    assert_eq!(longest(AnthropicMessages, 98_000, Some(500)), Some(500), "less than the floor was wanted");
}

#[test]
fn budgets_of_thinking() {
    for (output, level, budget) in
        [(64_000, Thinking::Medium, 10_240), (8_192, Thinking::High, 6_144), (2_000, Thinking::Low, 1_500)]
    {
        let body = sent(AnthropicMessages, &thinking(ModelSpec { output, ..spec() }, level));
        assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": budget}));
        assert_eq!(body["max_tokens"], output);
    }
    let tiny = sent(AnthropicMessages, &thinking(ModelSpec { output: 1_024, ..spec() }, Thinking::High));
    assert_eq!(tiny.get("thinking"), None);
    let adaptive = ModelSpec { reference: ModelRef::new("anthropic", "claude-opus-4-7"), ..spec() };
    let body = sent(AnthropicMessages, &thinking(adaptive, Thinking::Low));
    assert_eq!((&body["thinking"]["type"], &body["output_config"]["effort"]), (&json!("adaptive"), &json!("low")));
    let forced = Request { tool_choice: ToolChoice::Required, ..thinking(spec(), Thinking::High) };
    assert_eq!(sent(AnthropicMessages, &forced).get("thinking"), None);
    let amid = vec![Message::user("q"), assistant(vec![call("a")]), results(&[("a", "x")])];
    assert_eq!(body_of(amid).get("thinking"), None, "the turn began without thinking");
}

fn body_of(messages: Vec<Message>) -> Value {
    body(AnthropicMessages, messages)
}

#[test]
fn sealed_reasoning_goes_back_to_responses_only() {
    let events = [
        json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1",
               "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "SEAL"}}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": {"type": "function_call", "id": "fc_1",
               "call_id": "c1", "name": "ls", "arguments": "{}"}}),
        json!({"type": "response.completed", "response": {}}),
    ];
    let message = of_responses(&events);
    let history = vec![Message::user("q"), message, results(&[("c1", "x")])];
    let summary = json!([{"type": "summary_text", "text": "t"}]);
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "SEAL"});
    assert_eq!(body(OpenaiResponses, history.clone())["input"][1], item);
    for dialect in [OpenaiChat, AnthropicMessages] {
        assert!(!body(dialect, history.clone()).to_string().contains("SEAL"));
    }
    let signed = vec![
        Message::user("q"),
        assistant(vec![Block::thinking("t", Some("SIG".into())), call("a")]),
        results(&[("a", "x")]),
    ];
    assert!(!body(OpenaiResponses, signed).to_string().contains("SIG"));
}
