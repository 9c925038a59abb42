//! A request → the body of a chat completion.

use crate::conversation::Thinking;
use crate::provider::{
    Request, ToolChoice,
    history::{Answered, History, IdRule, Item, Piece, Said, Spoken},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System {
        content: String,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        /// Empty beside calls without words: some servers refuse null, and others need the key.
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_details: Option<&'a Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Value>,
    },
    Tool {
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Map<String, Value> },
}

pub fn encode(request: &Request) -> Vec<u8> {
    let provider = request.model.reference.provider.as_str();
    let rule = if provider == "mistral" { IdRule::Nine } else { IdRule::Any(40) };
    let history = History::of(request, rule);
    let quirks = &request.model.quirks;
    let max_tokens = request.max_tokens.map(|wanted| request.within_window(wanted));
    let long_name = quirks.max_tokens_field.as_deref() == Some("max_completion_tokens");
    let body = Body {
        model: &request.model.reference.model,
        messages: messages(&history, quirks.echo_reasoning == Some(true)),
        stream: true,
        stream_options: (quirks.no_stream_options != Some(true)).then(|| json!({"include_usage": true})),
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: tool_choice(request),
        max_tokens: max_tokens.filter(|_| !long_name),
        max_completion_tokens: max_tokens.filter(|_| long_name),
        reasoning_effort: effort(request),
        prompt_cache_key: (provider == "openai").then_some(request.session_id.as_str()),
    };
    serde_json::to_vec(&body).expect("a request is plain data")
}

/// The level for servers that take one. What the server does by itself anyway is left out: unknown servers refuse
/// fields that they do not know.
pub(in crate::provider) fn effort(request: &Request) -> Option<&'static str> {
    let quirks = &request.model.quirks;
    let level = request.thinking.clamp_to(&request.model.thinking);
    let said = level != Thinking::Off
        && quirks.no_thinking != Some(true)
        && !(level == Thinking::Medium && quirks.medium_is_default == Some(true));
    said.then(|| level.name())
}

fn tool(spec: &crate::conversation::ToolSpec) -> Tool<'_> {
    let function = Function { name: &spec.name, description: &spec.description, parameters: &spec.schema };
    Tool { r#type: "function", function }
}

fn tool_choice(request: &Request) -> Option<Value> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

fn messages<'a>(history: &'a History<'a>, echo: bool) -> Vec<Message<'a>> {
    let mut out: Vec<_> = history.system_text().map(|content| Message::System { content }).into_iter().collect();
    for item in &history.items {
        match item {
            Item::User(pieces) => out.push(Message::User { content: content(pieces) }),
            Item::Assistant(spoken) => out.push(assistant(spoken, echo)),
            Item::Results(results) => answered(results, &mut out),
        }
    }
    out
}

fn content<'a>(pieces: &'a [Piece<'a>]) -> Content<'a> {
    if pieces.iter().all(|p| matches!(p, Piece::Text(_))) {
        return Content::Text(joined(pieces));
    }
    Content::Parts(pieces.iter().map(part).collect())
}

fn part<'a>(piece: &'a Piece<'a>) -> Part<'a> {
    match piece {
        Piece::Text(text) => Part::Text { text },
        Piece::Image { mime, data } => {
            let url = Value::String(format!("data:{mime};base64,{data}"));
            Part::ImageUrl { image_url: Map::from_iter([("url".to_owned(), url)]) }
        }
    }
}

/// The texts among the pieces, as one.
fn joined<'a>(pieces: &'a [Piece<'a>]) -> Cow<'a, str> {
    let mut texts = pieces.iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_ref()) } else { None });
    let first = texts.next().unwrap_or_default();
    texts.fold(Cow::Borrowed(first), |all, more| Cow::Owned(format!("{all}\n\n{more}")))
}

fn assistant<'a>(spoken: &'a Spoken<'a>, echo: bool) -> Message<'a> {
    let (mut texts, mut reasoning, mut tool_calls) = (Vec::new(), String::new(), Vec::new());
    for said in &spoken.said {
        match said {
            Said::Text(text) => texts.push(*text),
            Said::Thinking { text, .. } => reasoning.push_str(text),
            Said::Call { id, name, input, wire } => tool_calls.push(call(id, name, input, *wire)),
        }
    }
    Message::Assistant {
        content: match texts[..] {
            [] => "".into(),
            [one] => one.into(),
            _ => texts.concat().into(),
        },
        reasoning_content: Some(reasoning).filter(|r| echo && spoken.current && !r.is_empty()),
        reasoning_details: spoken.extra.and_then(|extra| extra.get("reasoning_details")),
        tool_calls,
    }
}

fn call(id: &str, name: &str, input: &Map<String, Value>, wire: Option<&Map<String, Value>>) -> Value {
    let arguments = serde_json::to_string(input).expect("a map of JSON is JSON");
    let mut call = json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    if let (Some(call), Some(wire)) = (call.as_object_mut(), wire) {
        for (key, value) in wire.iter().filter(|(key, _)| !["id", "type", "function"].contains(&key.as_str())) {
            call.insert(key.clone(), value.clone());
        }
    }
    call
}

/// One message a result; pictures follow in a message of the user, since a result takes text only.
fn answered<'a>(results: &'a [Answered<'a>], out: &mut Vec<Message<'a>>) {
    let mut pictures = Vec::new();
    for result in results {
        let shown: Vec<_> = result.pieces.iter().filter(|p| matches!(p, Piece::Image { .. })).map(part).collect();
        let mut content = joined(&result.pieces);
        if content.is_empty() && !shown.is_empty() {
            content = "(the picture follows)".into();
        }
        pictures.extend(shown);
        out.push(Message::Tool { tool_call_id: &result.id, content });
    }
    if !pictures.is_empty() {
        pictures.insert(0, Part::Text { text: "Pictures of the results above:" });
        out.push(Message::User { content: Content::Parts(pictures) });
    }
}
