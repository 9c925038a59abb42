//! Models over the wire: a `Request` goes in, one uniform stream of `StreamEvent`s comes out, whatever the dialect.
//!
//! The order of events for one answer is providers.md's: `MessageStart → (BlockStart → Delta* → BlockComplete)* →
//! MessageComplete`, or `Failed`. `Retrying` means: forget what this stream gave so far, a fresh `MessageStart` follows
//! after the wait. Dropping the stream closes the connection.

pub mod answer;
mod anthropic_messages;
mod auth;
mod backoff;
mod catalogue;
pub mod check;
pub mod dialect;
mod error;
pub mod faux;
mod history;
mod http;
mod lenient;
mod openai_chat;
mod openai_responses;
mod refusal;
mod retry;
mod room;
mod stop;

pub use auth::Place;
pub use backoff::Backoff;
pub use catalogue::{Added, DefaultModel, KeyRow, Listed, LoggedIn, Providers, Refreshed, ResolveError, Resolved};
pub use error::{ErrorKind, ProviderError};

use crate::config::{Network, Quirks};
use crate::conversation::{Block, Message, ModelRef, Price, StopReason, Thinking, ToolSpec, Usage};
use crate::util::picture::Limits;
use futures_util::Stream;
use serde_json::{Map, Value};
use std::{pin::Pin, time::Duration};

/// What is known of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    pub reference: ModelRef,
    /// For people; the id where no better name is known.
    pub name: String,
    /// Tokens of the window.
    pub context: u64,
    /// Tokens of one answer.
    pub output: u64,
    /// Takes pictures.
    pub images: bool,
    /// How large a picture may be.
    pub picture: Limits,
    /// Levels that the model has, lowest first; never empty.
    pub thinking: Vec<Thinking>,
    pub price: Option<Price>,
    pub quirks: Quirks,
}

impl ModelSpec {
    /// The stated defaults of a model that no catalogue knows (config.md).
    pub fn unknown(reference: ModelRef) -> Self {
        ModelSpec {
            name: reference.model.clone(),
            reference,
            context: 128_000,
            output: 8_192,
            images: false,
            picture: Limits::default(),
            thinking: vec![Thinking::Off, Thinking::Low, Thinking::Medium, Thinking::High],
            price: None,
            quirks: Quirks::default(),
        }
    }

    /// The model with a window of another size.
    pub fn with_window(mut self, tokens: u64) -> Self {
        self.context = tokens;
        self.output = self.output.min(tokens / 2);
        self
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    /// Any tool, but one.
    Required,
    /// This one, by wire name.
    Tool(String),
}

/// One request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    pub model: ModelSpec,
    /// The system prompt's parts, in order; system messages of `messages` come after them.
    pub system: Vec<String>,
    /// The history, repaired (each call has its result directly after it). Tool names are wire names.
    pub messages: Vec<Message>,
    /// In a stable order, wire names.
    pub tools: Vec<ToolSpec>,
    pub thinking: Thinking,
    pub tool_choice: ToolChoice,
    /// Less than the model's own limit, where given.
    pub max_tokens: Option<u64>,
    /// Tokens that it takes of the window, as far as known; 0: unknown.
    pub tokens: u64,
    /// Further fields of the body, at its top; they win over the dialect's own.
    pub extra: Map<String, Value>,
    /// Further headers; they win over configured ones. What is no legal header is left out.
    pub headers: Vec<(String, String)>,
    /// Names the session to prompt caches and to scripted providers.
    pub session_id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    Text,
    Thinking,
    ToolUse,
    /// Anything else a provider returns as a whole block.
    Other,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolHead {
    pub id: String,
    pub name: String,
}

/// One step of an answer. Indexes count the blocks of the message from 0.
#[derive(Debug, Clone)]
pub enum StreamEvent {
    MessageStart,
    BlockStart {
        index: usize,
        kind: BlockKind,
        tool: Option<ToolHead>,
    },
    /// Text, thinking or the JSON of a call's input, as it arrives.
    Delta {
        index: usize,
        text: String,
    },
    BlockComplete {
        index: usize,
        block: Block,
    },
    /// The end: the whole message (its usage, stop reason and model set).
    MessageComplete {
        message: Message,
        usage: Usage,
        stop_reason: StopReason,
    },
    /// The end, badly: what had arrived, without half calls.
    Failed {
        error: ProviderError,
        partial: Message,
    },
    /// The attempt failed; the next begins after `wait`.
    Retrying {
        attempt: u32,
        of: u32,
        wait: Duration,
        error: ProviderError,
    },
}

/// The events of one request. Exactly one `MessageComplete` or `Failed` comes, as the last.
pub type EventStream = Pin<Box<dyn Stream<Item = StreamEvent> + Send>>;

/// A server (or a script) that answers requests.
pub trait Provider: Send + Sync {
    fn stream(&self, request: Request) -> EventStream;
}

/// Runs attempts as HTTP providers do: one that fails in a way that may pass is followed by another.
pub fn retried(
    network: &Network,
    backoff: &Backoff,
    attempt: impl Fn() -> EventStream + Send + 'static,
) -> EventStream {
    retry::retrying(retry::Policy::of(network), backoff.clone(), attempt)
}
