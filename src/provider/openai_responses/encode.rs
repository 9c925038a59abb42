//! A request → the body of a Responses call.

use crate::conversation::ToolSpec;
use crate::provider::{
    Request, ToolChoice,
    history::{Answered, History, IdRule, Item as Past, Piece, Said, Spoken},
    openai_chat::effort,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    input: Vec<Item<'a>>,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// Absent means true here, and schemas of tools are not written for that.
    strict: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    Reasoning {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Value>,
        summary: Cow<'a, Value>,
        encrypted_content: &'a str,
    },
    FunctionCall {
        call_id: &'a str,
        name: &'a str,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Output<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(&'a str),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    InputText { text: &'a str },
    OutputText { text: &'a str },
    InputImage { image_url: String },
}

pub fn encode(request: &Request) -> Vec<u8> {
    let provider = request.model.reference.provider.as_str();
    let history = History::of(request, IdRule::Any(64));
    let body = Body {
        model: &request.model.reference.model,
        instructions: history.system_text(),
        input: history.items.iter().flat_map(items).collect(),
        stream: true,
        store: false,
        include: if thinks(request) { vec!["reasoning.encrypted_content"] } else { vec![] },
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: tool_choice(request),
        reasoning: effort(request).map(|effort| json!({"effort": effort, "summary": "auto"})),
        max_output_tokens: request.max_tokens.map(|wanted| request.within_window(wanted)),
        prompt_cache_key: (provider == "openai").then_some(request.session_id.as_str()),
    };
    serde_json::to_vec(&body).expect("a request is plain data")
}

/// Whether the model reasons, so that the sealed reasoning is worth asking for.
fn thinks(request: &Request) -> bool {
    use crate::conversation::Thinking::Off;
    let level = request.thinking.clamp_to(&request.model.thinking);
    request.model.quirks.no_thinking != Some(true) && (level != Off || !request.model.thinking.contains(&Off))
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    Tool {
        r#type: "function",
        name: &spec.name,
        description: &spec.description,
        parameters: &spec.schema,
        strict: false,
    }
}

fn tool_choice(request: &Request) -> Option<Value> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => Some(json!({"type": "function", "name": name})),
    }
}

fn items<'a>(past: &'a Past<'a>) -> Vec<Item<'a>> {
    match past {
        Past::User(pieces) => vec![Item::Message { role: "user", content: pieces.iter().map(input).collect() }],
        Past::Assistant(spoken) => assistant(spoken),
        Past::Results(results) => results.iter().map(output).collect(),
    }
}

fn input<'a>(piece: &'a Piece<'a>) -> Part<'a> {
    match piece {
        Piece::Text(text) => Part::InputText { text },
        Piece::Image { mime, data } => Part::InputImage { image_url: format!("data:{mime};base64,{data}") },
    }
}

fn assistant<'a>(spoken: &'a Spoken<'a>) -> Vec<Item<'a>> {
    let item = |said: &'a Said<'a>| match said {
        Said::Text(text) => Some(Item::Message { role: "assistant", content: vec![Part::OutputText { text }] }),
        Said::Thinking { text, signature, wire, .. } => reasoning(text, (*signature)?, *wire),
        Said::Call { id, name, input, .. } => {
            let arguments = serde_json::to_string(input).expect("a map of JSON is JSON");
            Some(Item::FunctionCall { call_id: id, name, arguments })
        }
    };
    words_first(spoken.said.iter().filter_map(item).collect())
}

/// What was said goes before the calls of the same message, since only their results may follow them; reasoning stays
/// before the item that it led to.
fn words_first(items: Vec<Item<'_>>) -> Vec<Item<'_>> {
    let (mut words, mut calls, mut led) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Reasoning { .. } => led.push(item),
            Item::FunctionCall { .. } => calls.extend(led.drain(..).chain([item])),
            _ => words.extend(led.drain(..).chain([item])),
        }
    }
    words.extend(calls);
    words
}

/// Reasoning goes back sealed. The signature of another dialect's thinking is no seal: that lacks the item's fields.
fn reasoning<'a>(text: &str, sealed: &'a str, wire: Option<&'a Map<String, Value>>) -> Option<Item<'a>> {
    let wire = wire?;
    let summary = || match text {
        "" => json!([]),
        text => json!([{"type": "summary_text", "text": text}]),
    };
    let summary = wire.get("summary").map_or_else(|| Cow::Owned(summary()), Cow::Borrowed);
    Some(Item::Reasoning { id: wire.get("id"), summary, encrypted_content: sealed })
}

fn output<'a>(result: &'a Answered<'a>) -> Item<'a> {
    let output = match &result.pieces[..] {
        [] => Output::Text(""),
        [Piece::Text(text)] => Output::Text(text),
        pieces => Output::Parts(pieces.iter().map(input).collect()),
    };
    Item::FunctionCallOutput { call_id: &result.id, output }
}
