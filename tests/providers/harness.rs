//! Asking a provider, and what came of it in a form that can be compared.

use futures_util::StreamExt;
use panto::{
    config::{Dialect, Options},
    conversation::{Block, Message, ModelRef, StopReason, Thinking, Usage},
    provider::{
        BlockKind, ErrorKind, EventStream, ModelSpec, ProviderError, Providers, Request, Resolved, StreamEvent,
        ToolChoice,
    },
};
use serde_json::Value;
use std::{collections::HashMap, path::Path, sync::Arc};

/// Providers in an environment of their own.
pub fn providers(options: &Options, env: &[(&str, &str)]) -> Providers {
    providers_in(Path::new("/nowhere"), options, env)
}

/// The same with a data folder, for keys that are kept and what servers tell of their models.
pub fn providers_in(data: &Path, options: &Options, env: &[(&str, &str)]) -> Providers {
    let env: HashMap<String, String> = env.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    Providers::new(options, Arc::new(move |name| env.get(name).cloned()), &data.join("auth.json"))
}

/// No second attempts, so that a failure is seen at once.
pub fn once() -> Options {
    let mut options = Options::default();
    options.network.retries = 0;
    options
}

pub fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::AnthropicMessages => "anthropic_messages",
        Dialect::OpenaiChat => "openai_chat",
        Dialect::OpenaiResponses => "openai_responses",
    }
}

/// `env:bench` at this URL.
pub fn ad_hoc(options: &Options, dialect: Dialect, url: &str) -> Resolved {
    let env = [("PANTO_BASE_URL", url), ("PANTO_API_KEY", "sk-test"), ("PANTO_DIALECT", dialect_name(dialect))];
    providers(options, &env).resolve("env:bench").unwrap_or_else(|e| panic!("{e}"))
}

pub fn spec() -> ModelSpec {
    ModelSpec::unknown(ModelRef::new("env", "bench"))
}

pub fn request(model: ModelSpec, messages: Vec<Message>) -> Request {
    Request {
        model,
        system: vec![],
        messages,
        tools: vec![],
        thinking: Thinking::Medium,
        tool_choice: ToolChoice::Auto,
        max_tokens: None,
        tokens: 0,
        extra: Default::default(),
        headers: vec![],
        session_id: "session".into(),
    }
}

pub fn ask(resolved: &Resolved) -> EventStream {
    resolved.provider.stream(request(resolved.spec.clone(), vec![Message::user("hi")]))
}

/// What came of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Texts of the blocks, thinking in `<…>`.
    pub prose: Vec<String>,
    /// Name and input.
    pub calls: Vec<(String, Value)>,
    pub stop: Option<StopReason>,
    pub failed: Option<ErrorKind>,
    pub retries: usize,
    pub usage: Usage,
    pub error: Option<ProviderError>,
    pub message: Option<Message>,
}

/// Reads an answer to its end, and sees to it that its events are in the agreed order.
pub async fn outcome(stream: EventStream) -> Outcome {
    of_events(&stream.collect::<Vec<_>>().await)
}

pub fn of_events(events: &[StreamEvent]) -> Outcome {
    let mut blocks: Vec<Seen> = Vec::new();
    let (mut begun, mut retries, mut end) = (false, 0, None);
    for event in events {
        assert!(end.is_none(), "an event after the end: {event:?}");
        match event {
            StreamEvent::MessageStart => assert!(!std::mem::replace(&mut begun, true), "a second start"),
            StreamEvent::BlockStart { index, kind, tool } => {
                assert!(begun && *index == blocks.len(), "{event:?}");
                assert_eq!(tool.is_some(), *kind == BlockKind::ToolUse);
                blocks.push(Seen::default());
            }
            StreamEvent::Delta { index, text } => {
                assert!(!text.is_empty() && !blocks[*index].done, "{event:?}");
                blocks[*index].said += text;
            }
            StreamEvent::BlockComplete { index, block } => blocks[*index].complete(block),
            StreamEvent::Retrying { .. } => {
                (begun, retries) = (false, retries + 1);
                blocks.clear();
            }
            StreamEvent::MessageComplete { .. } | StreamEvent::Failed { .. } => end = Some(event.clone()),
        }
    }
    let mut outcome = Outcome { retries, ..Outcome::default() };
    match end.expect("an end") {
        StreamEvent::MessageComplete { message, usage, stop_reason } => {
            assert!(blocks.iter().all(|b| b.done), "a block was not completed");
            assert_eq!(message.blocks.len(), blocks.len());
            assert_eq!(message.stop_reason, Some(stop_reason));
            (outcome.stop, outcome.usage) = (Some(stop_reason), usage);
            outcome.message = Some(message);
        }
        StreamEvent::Failed { error, partial } => {
            assert_eq!(partial.calls().count(), 0, "a call in a partial message");
            (outcome.failed, outcome.error) = (Some(error.kind), Some(error));
            outcome.message = Some(partial);
        }
        _ => unreachable!("only these end an answer"),
    }
    let message = outcome.message.clone().unwrap_or_else(|| Message::assistant(vec![]));
    outcome.prose = message.blocks.iter().filter_map(prose).collect();
    outcome.calls = message.calls().map(|(_, name, input)| (name.to_owned(), input.clone())).collect();
    outcome
}

#[derive(Default)]
struct Seen {
    said: String,
    done: bool,
}

impl Seen {
    fn complete(&mut self, block: &Block) {
        assert!(!std::mem::replace(&mut self.done, true), "completed twice");
        if let Block::Text { text, .. } | Block::Thinking { text, redacted: None, .. } = block {
            assert_eq!(*text, self.said, "the deltas are the block");
        }
        // Where they are an object: what was cut off is marked, and what was said again counts once.
        if let (Block::ToolUse { input, .. }, Ok(said @ Value::Object(_))) = (block, serde_json::from_str(&self.said)) {
            assert_eq!(*input, said, "the deltas are the call's input");
        }
    }
}

fn prose(block: &Block) -> Option<String> {
    match block {
        Block::Text { text, .. } => Some(text.clone()),
        Block::Thinking { text, .. } => Some(format!("<{text}>")),
        _ => None,
    }
}
