//! A request → the body of a messages call.

use super::thinking;
use crate::conversation::ToolSpec;
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
    max_tokens: u64,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

/// A content block, and whether a prompt cache ends behind it.
#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

const CACHE: Option<CacheControl> = Some(CacheControl { r#type: "ephemeral" });

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Map<String, Value>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

impl<'a> From<Content<'a>> for Block<'a> {
    fn from(content: Content<'a>) -> Self {
        Block { content, cache_control: None }
    }
}

pub fn encode(request: &Request) -> Vec<u8> {
    let history = History::of(request, IdRule::Word(64));
    let wanted = request.max_tokens.map_or(request.model.output, |max| max.min(request.model.output));
    let max_tokens = request.within_window(wanted).max(1);
    let forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    // Thinking and a forced tool exclude each other.
    let thinking = if forced { thinking::Fields::default() } else { thinking::fields(request, &history, max_tokens) };
    let body = Body {
        model: &request.model.reference.model,
        max_tokens,
        stream: true,
        system: system(&history),
        messages: messages(&history),
        tools: tools(&request.tools),
        tool_choice: tool_choice(request),
        thinking: thinking.thinking,
        output_config: thinking.output_config,
    };
    serde_json::to_vec(&body).expect("a request is plain data")
}

fn system<'a>(history: &'a History<'a>) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block> = history.system.iter().map(|t| Content::Text { text: (*t).into() }.into()).collect();
    if let Some(last) = blocks.last_mut() {
        last.cache_control = CACHE;
    }
    blocks
}

fn tools(specs: &[ToolSpec]) -> Vec<Tool<'_>> {
    let tool = |(n, spec)| {
        let ToolSpec { name, description, schema }: &ToolSpec = spec;
        let cache_control = CACHE.filter(|_| n + 1 == specs.len());
        Tool { name, description, input_schema: schema, cache_control }
    };
    specs.iter().enumerate().map(tool).collect()
}

fn tool_choice(request: &Request) -> Option<Value> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!({"type": "none"})),
        ToolChoice::Required => Some(json!({"type": "any"})),
        ToolChoice::Tool(name) => Some(json!({"type": "tool", "name": name})),
    }
}

/// Neighbours of one role are merged, results first; the first message is the user's.
fn messages<'a>(history: &'a History<'a>) -> Vec<Message<'a>> {
    let mut out: Vec<Message<'a>> = Vec::new();
    for item in &history.items {
        let (role, content) = match item {
            Item::User(pieces) => (Role::User, pieces.iter().map(piece).collect()),
            Item::Results(results) => (Role::User, results.iter().map(result).collect()),
            Item::Assistant(spoken) => (Role::Assistant, assistant(spoken)),
        };
        if content.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            None if role == Role::Assistant => {
                let text = "(the conversation goes on)".into();
                out.push(Message { role: Role::User, content: vec![Content::Text { text }.into()] });
                out.push(Message { role, content });
            }
            _ => out.push(Message { role, content }),
        }
    }
    for message in out.iter_mut().rev().filter(|m| m.role == Role::User).take(2) {
        if let Some(last) = message.content.last_mut() {
            last.cache_control = CACHE;
        }
    }
    out
}

fn piece<'a>(piece: &'a Piece<'a>) -> Block<'a> {
    let content = match piece {
        Piece::Text(text) => Content::Text { text: text.as_ref().into() },
        Piece::Image { mime, data } => Content::Image { source: Source { r#type: "base64", media_type: mime, data } },
    };
    content.into()
}

fn result<'a>(result: &'a Answered<'a>) -> Block<'a> {
    Content::ToolResult {
        tool_use_id: &result.id,
        content: result.pieces.iter().map(piece).collect(),
        is_error: result.is_error,
    }
    .into()
}

fn assistant<'a>(spoken: &'a Spoken<'a>) -> Vec<Block<'a>> {
    let block = |said: &'a Said<'a>| {
        Some(match said {
            Said::Text(text) => Content::Text { text: (*text).into() },
            Said::Thinking { redacted: Some(data), .. } => Content::RedactedThinking { data },
            // Sealed reasoning of Responses has fields of its own and is nothing for this dialect.
            Said::Thinking { wire: Some(_), .. } => return None,
            Said::Thinking { text, signature, .. } => Content::Thinking { thinking: text, signature: (*signature)? },
            Said::Call { id, name, input, .. } => Content::ToolUse { id, name, input },
        })
    };
    spoken.said.iter().filter_map(|said| block(said).map(Block::from)).collect()
}
