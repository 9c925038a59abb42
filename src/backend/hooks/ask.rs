//! What extensions may change of a turn: their answers back in the agent's own types.
//!
//! The runtime of the scripts has checked the answers (`Extensions::ask`); whatever still doesn't fit changes nothing.

use super::{Scripts, shape};
use crate::agent::{
    Afterwards, AgentEvent, Fields, Hooks, Point, ToolEnd,
    compact::{Asked, Before},
};
use crate::backend::HookCall;
use crate::conversation::Message;
use crate::provider::ToolChoice;
use crate::tool::Outcome;
use futures_util::{FutureExt, future::BoxFuture};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

impl Scripts {
    /// Asks the handlers of an event; the data comes back with what they changed.
    pub fn ask(&self, event: &'static str, data: Value) -> BoxFuture<'static, Value> {
        self.extensions.ask(HookCall { event, data: self.signed(data) })
    }
}

impl Hooks for Scripts {
    fn listens(&self, point: Point) -> bool {
        self.extensions.listens(match point {
            Point::SystemPrompt => "system_prompt",
            Point::Context => "context",
            Point::BeforeRequest => "before_request",
            Point::ToolEnd => "tool_end",
            Point::CompactBefore => "compact_before",
        })
    }

    fn hear(&self, event: &AgentEvent) -> Option<Afterwards> {
        let news = self.news(event);
        if news.is_empty() {
            return None;
        }
        let extensions = self.extensions.clone();
        Some(Box::new(move || news.into_iter().for_each(|hook| extensions.emit(hook))))
    }

    fn system_prompt(&self, parts: Vec<String>) -> BoxFuture<'static, Vec<String>> {
        let whole = parts.join("\n\n");
        let asked = self.ask("system_prompt", json!({"text": whole}));
        async move {
            match field::<String>(&mut asked.await, "text") {
                Some(text) if text != whole => vec![text],
                _ => parts,
            }
        }
        .boxed()
    }

    fn context(&self, messages: Vec<Message>) -> BoxFuture<'static, Vec<Message>> {
        let shaped: Vec<Value> = messages.iter().map(shape::message).collect();
        let asked = self.ask("context", json!({"messages": shaped}));
        async move { field(&mut asked.await, "messages").unwrap_or(messages) }.boxed()
    }

    fn before_request(&self, fields: Fields) -> BoxFuture<'static, Fields> {
        let asked = self.ask("before_request", of_fields(&fields));
        async move { to_fields(asked.await, fields) }.boxed()
    }

    fn tool_end(&self, end: ToolEnd) -> BoxFuture<'static, Outcome> {
        let ToolEnd { call, outcome, took_ms } = end;
        let mut data = shape::call(&call);
        data.extend(shape::outcome(&outcome));
        data.insert("took_ms".into(), took_ms.into());
        let asked = self.ask("tool_end", data.into());
        async move {
            let mut data = asked.await;
            Outcome {
                parts: field(&mut data, "content").unwrap_or(outcome.parts),
                is_error: field(&mut data, "is_error").unwrap_or(outcome.is_error),
                details: field(&mut data, "details").or(outcome.details),
            }
        }
        .boxed()
    }

    fn compact_before(&self, asked: Asked) -> BoxFuture<'static, Before> {
        let answered = self.ask("compact_before", of_asked(asked));
        async move {
            let mut answer = answered.await;
            if answer["cancel"] == true {
                let reason = field(&mut answer, "reason").unwrap_or_else(|| "an extension does not want it".to_owned());
                return Before::Cancel(reason);
            }
            field(&mut answer, "summary").map_or(Before::Go, Before::Use)
        }
        .boxed()
    }
}

fn of_asked(asked: Asked) -> Value {
    let messages: Vec<Value> = asked.messages.iter().map(|e| shape::entry(&e.id, &e.message).into()).collect();
    let mut data = json!({"messages": messages, "tokens_before": asked.tokens_before});
    if let Some(fields) = data.as_object_mut() {
        shape::set(fields, "first_kept_id", asked.first_kept_id.map(Value::from));
        shape::set(fields, "focus", asked.focus.map(Value::from));
    }
    data
}

fn field<T: DeserializeOwned>(data: &mut Value, name: &str) -> Option<T> {
    serde_json::from_value(data.get_mut(name)?.take()).ok()
}

fn of_fields(fields: &Fields) -> Value {
    let choice = match &fields.tool_choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"tool": name}),
    };
    let headers: Map<String, Value> = fields.headers.iter().map(|(k, v)| (k.clone(), v.clone().into())).collect();
    let mut data = json!({"model": fields.model, "thinking": fields.thinking, "tool_choice": choice,
        "extra": fields.extra, "headers": headers});
    if let (Some(data), Some(max)) = (data.as_object_mut(), fields.max_tokens) {
        data.insert("max_tokens".into(), max.into());
    }
    data
}

fn to_fields(mut data: Value, fields: Fields) -> Fields {
    let tool_choice = match data.get("tool_choice") {
        Some(Value::String(word)) if word == "auto" => ToolChoice::Auto,
        Some(Value::String(word)) if word == "none" => ToolChoice::None,
        Some(Value::String(word)) if word == "required" => ToolChoice::Required,
        Some(choice) => choice["tool"].as_str().map_or(fields.tool_choice, |n| ToolChoice::Tool(n.to_owned())),
        None => fields.tool_choice,
    };
    let headers = field::<Map<String, Value>>(&mut data, "headers").unwrap_or_default();
    let text = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    Fields {
        model: fields.model,
        max_tokens: field(&mut data, "max_tokens"),
        thinking: field(&mut data, "thinking").unwrap_or(fields.thinking),
        tool_choice,
        extra: field(&mut data, "extra").unwrap_or(fields.extra),
        headers: headers.into_iter().filter_map(text).collect(),
    }
}
