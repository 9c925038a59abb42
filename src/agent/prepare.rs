//! What goes to the model: history, system prompt and tools become a request, and hooks may change it on the way.

use super::{
    Entry, Turn,
    hooks::{Fields, Point},
};
use crate::conversation::{Block, Message, ToolSpec};
use crate::provider::{Request, ToolChoice};
use crate::tool::{ToolDecl, WireNames};
use serde_json::Value;
use std::sync::Arc;

impl Turn {
    /// The next request, and the names that its answer will use.
    pub(super) async fn prepare(&mut self, first: bool) -> (Request, WireNames) {
        let hooks = self.shop.hooks.clone();
        if first && hooks.listens(Point::SystemPrompt) {
            self.system = hooks.system_prompt(self.system.clone()).await;
        }
        let mut messages = (self.repair)(self.history.clone());
        if hooks.listens(Point::Context) {
            messages = self.repaired(hooks.context(messages).await);
        }
        let mut fields = Fields {
            model: self.model.reference.to_string(),
            max_tokens: None,
            thinking: self.thinking,
            tool_choice: self.tool_choice.clone(),
            extra: Default::default(),
            headers: vec![],
        };
        if hooks.listens(Point::BeforeRequest) {
            fields = hooks.before_request(fields).await;
        }
        self.request_of(messages, fields)
    }

    /// Whatever a hook took out: each call has its result, and no result is without its call.
    fn repaired(&self, messages: Vec<Message>) -> Vec<Message> {
        let entry = |(n, message): (usize, Message)| Entry { id: n.to_string(), message: Arc::new(message) };
        (self.repair)(messages.into_iter().enumerate().map(entry).collect())
    }

    fn request_of(&self, mut messages: Vec<Message>, fields: Fields) -> (Request, WireNames) {
        let called = messages.iter().flat_map(|m| m.calls().map(|(_, name, _)| name.to_owned())).collect::<Vec<_>>();
        let offered = self.shop.tools.iter().map(|(d, _)| d.name.as_str());
        let names = WireNames::new(offered.chain(called.iter().map(String::as_str)));
        for block in messages.iter_mut().flat_map(|m| &mut m.blocks) {
            if let Block::ToolUse { name, .. } = block {
                *name = names.wire(name);
            }
        }
        let tool = |d: &ToolDecl| ToolSpec {
            name: names.wire(&d.name),
            description: d.description.clone(),
            schema: whole(&d.schema),
        };
        let tool_choice = match fields.tool_choice {
            ToolChoice::Tool(name) => ToolChoice::Tool(names.wire(&name)),
            other => other,
        };
        let request = Request {
            model: self.model.clone(),
            system: self.system.clone(),
            messages,
            tools: self.shop.tools.iter().map(|(d, _)| tool(d)).collect(),
            thinking: fields.thinking,
            tool_choice,
            max_tokens: fields.max_tokens,
            tokens: self.used(),
            extra: fields.extra,
            headers: fields.headers,
            session_id: self.shop.session_id.clone(),
        };
        (request, names)
    }
}

/// A schema as every provider takes it: it says that the input is an object.
fn whole(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(fields) = schema.as_object_mut().filter(|fields| !fields.contains_key("type")) {
        fields.insert("type".into(), "object".into());
    }
    schema
}
