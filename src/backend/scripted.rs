//! Providers that extensions bring: presets, which are asked over HTTP like all others, and dialects that a script speaks.

use super::Extensions;
use crate::config::{Network, ProviderConfig};
use crate::conversation::{StopReason, Usage};
use crate::provider::{
    self, Added, Backoff, ErrorKind, EventStream, Provider, ProviderError, Providers, Request, StreamEvent, ToolChoice,
    answer::Answer,
};
use futures_util::{StreamExt, stream, stream::BoxStream};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::VecDeque, sync::Arc, time::Duration};

/// A provider that an extension has registered.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderDecl {
    pub name: String,
    /// As `[providers.NAME]` would say it.
    pub config: ProviderConfig,
    /// A script speaks for it (`Extensions::stream`).
    pub scripted: bool,
    /// The extension it comes from.
    pub origin: String,
}

/// What a script says of the answer, step by step. The order is free, but for `stop`, which is the last.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ScriptedEvent {
    /// A piece of text.
    Text { text: String },
    /// A piece of thinking; `signature` goes back to the same provider with it.
    Thinking { text: String, signature: Option<String> },
    /// A whole call.
    ToolCall { id: Option<String>, name: String, input: Value },
    /// Tokens so far; the last word counts.
    Usage {
        #[serde(default)]
        input: u64,
        #[serde(default)]
        output: u64,
        #[serde(default)]
        cache_read: u64,
        #[serde(default)]
        cache_write: u64,
        reasoning: Option<u64>,
    },
    /// The end: `stop`, `length` or `tool_use`; what is nothing of these counts as `stop`.
    Stop { reason: Option<String> },
    /// The end, badly. `kind` says whether trying again may help (`ErrorKind` in snake case, else `bad_request`).
    Error { message: String, kind: Option<String>, status: Option<u16>, retry_after: Option<f64> },
}

/// Makes what extensions have registered choosable, and nothing else that they had.
pub fn offer_providers(providers: &Providers, extensions: &Arc<dyn Extensions>, network: &Network) {
    let added = extensions.providers().into_iter().map(|decl| {
        let scripted = Scripted {
            extensions: extensions.clone(),
            name: decl.name.clone(),
            network: network.clone(),
            backoff: Backoff::default(),
        };
        let speaks: Option<Arc<dyn Provider>> = if decl.scripted { Some(Arc::new(scripted)) } else { None };
        Added { name: decl.name, config: decl.config, speaks }
    });
    providers.set_added(added.collect());
}

struct Scripted {
    extensions: Arc<dyn Extensions>,
    name: String,
    network: Network,
    backoff: Backoff,
}

impl Provider for Scripted {
    fn stream(&self, request: Request) -> EventStream {
        let (extensions, name) = (self.extensions.clone(), self.name.clone());
        provider::retried(&self.network, &self.backoff, move || {
            let events = extensions.stream(&name, plain(&request));
            answered(name.clone(), Answer::new(&request.model), events)
        })
    }
}

/// Dropping it drops the script's stream, which ends the script.
fn answered(name: String, answer: Answer, events: BoxStream<'static, ScriptedEvent>) -> EventStream {
    let state = (events, answer, VecDeque::new());
    Box::pin(stream::unfold(state, move |(mut events, mut answer, mut out)| {
        let name = name.clone();
        async move {
            while out.is_empty() && !answer.ended() {
                let mut fresh = Vec::new();
                match events.next().await {
                    Some(event) => take(&name, &mut answer, event, &mut fresh),
                    // It has returned without a word about the end: what it said is the answer.
                    None => answer.complete(StopReason::Stop, &mut fresh),
                }
                out.extend(fresh);
            }
            out.pop_front().map(|event| (event, (events, answer, out)))
        }
    }))
}

fn take(provider: &str, answer: &mut Answer, event: ScriptedEvent, out: &mut Vec<StreamEvent>) {
    answer.begin(out);
    match event {
        ScriptedEvent::Text { text } => answer.text(text, out),
        ScriptedEvent::Thinking { text, signature } => {
            answer.thinking(text, out);
            if let Some(signature) = signature {
                answer.sign(&signature, out);
            }
        }
        ScriptedEvent::ToolCall { id, name, input } => {
            let call = answer.open_call(out);
            answer.name_call(call, id.as_deref(), Some(&name), out);
            let input = if input.as_array().is_some_and(Vec::is_empty) { json!({}) } else { input };
            answer.arguments(call, &input.to_string(), out);
            answer.close_call(call, out);
        }
        ScriptedEvent::Usage { input, output, cache_read, cache_write, reasoning } => {
            answer.usage = Usage { input, output, cache_read, cache_write, reasoning, cost: None };
        }
        ScriptedEvent::Stop { reason } => {
            let reason = match reason.as_deref() {
                Some("length") => StopReason::Length,
                Some("tool_use") => StopReason::ToolUse,
                _ => StopReason::Stop,
            };
            answer.complete(reason, out);
        }
        ScriptedEvent::Error { message, kind, status, retry_after } => {
            let kind = kind.and_then(|k| ErrorKind::named(&k)).unwrap_or(ErrorKind::BadRequest);
            let retry_after = retry_after.and_then(|s| Duration::try_from_secs_f64(s).ok());
            let error = ProviderError::new(kind, format!("{provider}: {message}"));
            answer.fail(ProviderError { status, retry_after, ..error }, out);
        }
    }
}

/// A request as scripts see it.
fn plain(request: &Request) -> Value {
    let messages: Vec<Value> = request.messages.iter().map(|m| json!({"role": m.role, "blocks": m.blocks})).collect();
    let tool =
        |t: &crate::conversation::ToolSpec| json!({"name": t.name, "description": t.description, "schema": t.schema});
    let choice = match &request.tool_choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"tool": name}),
    };
    let model = &request.model;
    json!({
        "model": model.reference.model,
        "provider": model.reference.provider,
        "system": request.system.join("\n\n"),
        "messages": messages,
        "tools": request.tools.iter().map(tool).collect::<Vec<_>>(),
        "tool_choice": choice,
        "thinking": request.thinking.name(),
        "max_tokens": request.max_tokens.map_or(model.output, |most| most.min(model.output)),
        "session_id": request.session_id,
    })
}
