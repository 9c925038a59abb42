//! What others may change of a turn on its way, beside the `Gate` of its calls: the system prompt, the messages, the
//! fields of a request, the result of a call.
//!
//! The turn asks whether anybody listens before it copies anything, and drops what it waits for when it is aborted.

use super::{
    AgentEvent, Called,
    compact::{Asked, Before},
};
use crate::conversation::{Message, Thinking};
use crate::provider::ToolChoice;
use crate::tool::Outcome;
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value};
use std::future::ready;

/// Where a turn can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    SystemPrompt,
    Context,
    BeforeRequest,
    ToolEnd,
    CompactBefore,
}

/// What a request says beside its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    /// `provider:model`; it stays what it is.
    pub model: String,
    pub max_tokens: Option<u64>,
    pub thinking: Thinking,
    /// A tool is named by its canonical name.
    pub tool_choice: ToolChoice,
    /// Further fields of the body.
    pub extra: Map<String, Value>,
    pub headers: Vec<(String, String)>,
}

/// A call that has ended.
#[derive(Debug, Clone)]
pub struct ToolEnd {
    pub call: Called,
    /// As the tool gave it, before it is capped.
    pub outcome: Outcome,
    /// Milliseconds.
    pub took_ms: u64,
}

/// What is to be done when an event is out.
pub type Afterwards = Box<dyn FnOnce() + Send>;

/// Whoever may change a turn. What a method is not interested in it gives back as it came.
pub trait Hooks: Send + Sync {
    /// Whether somebody listens at this moment; costs next to nothing.
    fn listens(&self, point: Point) -> bool;
    /// Sees an event of the turn just before it goes out; what it wants to tell of it, it tells afterwards, so that
    /// whoever hears that finds the event on its way.
    fn hear(&self, event: &AgentEvent) -> Option<Afterwards>;
    /// Asked once a turn, before its first request.
    fn system_prompt(&self, parts: Vec<String>) -> BoxFuture<'static, Vec<String>>;
    /// Asked before each request; the history stays what it is.
    fn context(&self, messages: Vec<Message>) -> BoxFuture<'static, Vec<Message>>;
    fn before_request(&self, fields: Fields) -> BoxFuture<'static, Fields>;
    /// Asked about calls that ended by themselves or were refused, not about those that were cancelled.
    fn tool_end(&self, end: ToolEnd) -> BoxFuture<'static, Outcome>;
    /// Asked before a summary is written.
    fn compact_before(&self, asked: Asked) -> BoxFuture<'static, Before>;
}

/// Nobody listens.
pub struct Unhooked;

impl Hooks for Unhooked {
    fn listens(&self, _: Point) -> bool {
        false
    }

    fn hear(&self, _: &AgentEvent) -> Option<Afterwards> {
        None
    }

    fn system_prompt(&self, parts: Vec<String>) -> BoxFuture<'static, Vec<String>> {
        ready(parts).boxed()
    }

    fn context(&self, messages: Vec<Message>) -> BoxFuture<'static, Vec<Message>> {
        ready(messages).boxed()
    }

    fn before_request(&self, fields: Fields) -> BoxFuture<'static, Fields> {
        ready(fields).boxed()
    }

    fn tool_end(&self, end: ToolEnd) -> BoxFuture<'static, Outcome> {
        ready(end.outcome).boxed()
    }

    fn compact_before(&self, _: Asked) -> BoxFuture<'static, Before> {
        ready(Before::Go).boxed()
    }
}
