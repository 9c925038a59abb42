//! Messages become items: what every face shows of a session.

use super::{ContentPart, Item, ItemBody, Rendered, ToolStatus};
use crate::agent::Called;
use crate::conversation::{Block, Message, Part, Role, Status};
use crate::element::Element;
use crate::session::{ShellLine, repair};
use crate::tool::Outcome;
use crate::tool::title::{Tense, title};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

/// The item of a user message; none for one that only carries results.
pub fn user(id: &str, message: &Message) -> Option<Item> {
    if let Some(line) = ShellLine::told(message) {
        return Some(shell(id, &line));
    }
    if let Some(note) = compaction_of(message).or_else(|| branch_of(message)) {
        return Some(Item { id: id.into(), body: note });
    }
    let content: Vec<ContentPart> = message.blocks.iter().filter_map(part).collect();
    (!content.is_empty()).then(|| Item { id: id.into(), body: ItemBody::User { content } })
}

/// The item of an assistant message.
pub fn assistant(id: &str, message: &Message, error: Option<String>) -> Item {
    let took = |n: usize| message.metadata.as_ref()?.pointer(&format!("/panto/thinking_ms/{n}"))?.as_u64();
    let content = message.blocks.iter().enumerate().filter_map(|(n, b)| match part(b)? {
        ContentPart::Thinking { text, .. } => Some(ContentPart::Thinking { text, took_ms: took(n) }),
        other => Some(other),
    });
    let body = ItemBody::Assistant {
        content: content.collect(),
        status: message.status.unwrap_or(Status::Complete),
        stop_reason: message.stop_reason,
        model: message.model.clone().unwrap_or_default(),
        usage: message.usage,
        error,
        title: None,
    };
    Item { id: id.into(), body }
}

fn part(block: &Block) -> Option<ContentPart> {
    match block {
        Block::Text { text, .. } => Some(ContentPart::Text { text: text.clone() }),
        Block::Thinking { text, .. } if text.is_empty() => None,
        Block::Thinking { text, .. } => Some(ContentPart::Thinking { text: text.clone(), took_ms: None }),
        Block::ToolUse { id, name, input, .. } => {
            Some(ContentPart::ToolCall { id: id.clone(), name: name.clone(), input: input.clone() })
        }
        Block::Image { mime, data, .. } => Some(ContentPart::Image { mime: mime.clone(), data: data.clone() }),
        Block::ToolResult { .. } | Block::Other(_) => None,
    }
}

/// A call that has begun, as an item.
pub fn running_tool(call: &Called) -> Item {
    let body = ItemBody::Tool {
        tool_call_id: call.call_id.clone(),
        tool_name: call.name.clone(),
        parent: call.parent.clone(),
        input: call.input.clone(),
        content: vec![],
        details: None,
        status: ToolStatus::Running,
        is_error: false,
        title: call.title.clone(),
        took_ms: None,
        rendered: None,
    };
    Item { id: call.item_id.clone(), body }
}

/// What a finished call gave, beside what its item has already.
pub struct Finished {
    pub content: Vec<Part>,
    pub details: Option<Value>,
    pub is_error: bool,
    pub took_ms: Option<u64>,
}

/// A call that has ended, as an item.
pub fn finished_tool(call: &Called, end: Finished) -> Item {
    let status = if end.is_error { ToolStatus::Error } else { ToolStatus::Complete };
    let body = ItemBody::Tool {
        tool_call_id: call.call_id.clone(),
        tool_name: call.name.clone(),
        parent: call.parent.clone(),
        input: call.input.clone(),
        rendered: own_look(end.details.as_ref()),
        content: end.content,
        details: end.details,
        status,
        is_error: end.is_error,
        title: call.title.clone(),
        took_ms: end.took_ms,
    };
    Item { id: call.item_id.clone(), body }
}

/// What a tool wants shown instead of its content (`display`): an element, or any value as text. One that is no element
/// is shown as it is, so that its author sees why.
pub fn own_look(details: Option<&Value>) -> Option<Rendered> {
    let display = details?.get("display").filter(|display| !display.is_null())?;
    let element = match display {
        Value::Object(_) | Value::Array(_) => Element::from_json(display, "display"),
        plain => {
            Element::from_json(&Value::String(plain.as_str().map_or_else(|| plain.to_string(), str::to_owned)), "")
        }
    };
    let shown = |e: crate::element::ElementError| Element::from_json(&Value::String(e.to_string()), "").ok();
    element.map_or_else(shown, Some).map(Arc::new)
}

/// The tool that shell lines of the user's are run by.
pub const SHELL: &str = "std.shell";

/// A shell line of the user's that begins, as a call.
pub fn shell_call(id: &str, line: &ShellLine) -> Called {
    Called {
        item_id: id.to_owned(),
        parent: None,
        call_id: id.to_owned(),
        name: SHELL.into(),
        input: serde_json::json!({"command": line.line}),
        title: line.typed(),
    }
}

/// One that has ended: the same live and from a file.
pub fn shell(id: &str, line: &ShellLine) -> Item {
    let end = Finished {
        content: vec![Part::text(line.output.clone())],
        details: line.details.clone(),
        is_error: line.is_error,
        took_ms: line.took_ms,
    };
    finished_tool(&shell_call(id, line), end)
}

/// The same, as the turn tells it.
pub fn ended_tool(call: &Called, outcome: Outcome, took: Duration) -> Item {
    let end = Finished {
        content: outcome.parts,
        details: outcome.details,
        is_error: outcome.is_error,
        took_ms: u64::try_from(took.as_millis()).ok(),
    };
    finished_tool(call, end)
}

/// Whether an item is a shell line: no answer called it.
pub fn is_shell(item: &Item) -> bool {
    matches!(&item.body, ItemBody::Tool { tool_call_id, tool_name, .. } if *tool_call_id == item.id && tool_name == SHELL)
}

fn compaction_of(message: &Message) -> Option<ItemBody> {
    let about = message.metadata.as_ref()?.pointer("/panto/compaction")?;
    let before = about["tokens_before"].as_u64().map(|n| format!(" (the context had {n} tokens)")).unwrap_or_default();
    let summary = about["summary"].as_str().unwrap_or_default();
    let text = format!("from here on the model knows a summary of what came before{before}\n{summary}");
    Some(ItemBody::Note { kind: "compaction".into(), text })
}

fn branch_of(message: &Message) -> Option<ItemBody> {
    let summary = message.metadata.as_ref()?.pointer("/panto/branch/summary")?.as_str()?;
    let text = format!("the model knows a summary of the branch that was left\n{summary}");
    Some(ItemBody::Note { kind: "branch".into(), text })
}

/// All items of a history, in order. Calls become items of their own, with their results.
#[derive(Default)]
pub struct Shown {
    items: Vec<Arc<Item>>,
    /// Calls without a result yet, by their ids.
    open: HashMap<String, usize>,
    called: HashSet<String>,
}

impl Shown {
    pub fn message(&mut self, id: &str, message: &Message) {
        match message.role {
            Role::System => {}
            Role::User => {
                self.settle(id, message);
                self.items.extend(user(id, message).map(Arc::new));
            }
            Role::Assistant => {
                self.items.push(Arc::new(assistant(id, message, None)));
                message.calls().enumerate().for_each(|(n, call)| self.call(format!("{id}.{n}"), call));
            }
        }
    }

    /// A shell line that the model was not told of.
    pub fn shell(&mut self, id: &str, line: &ShellLine) {
        self.items.push(Arc::new(shell(id, line)));
    }

    /// What has no result yet is running.
    pub fn so_far(self) -> Vec<Arc<Item>> {
        self.items
    }

    /// What has no result will have none.
    pub fn end(mut self) -> Vec<Arc<Item>> {
        for index in self.open.into_values() {
            interrupt(&mut self.items[index]);
        }
        self.items
    }

    fn call(&mut self, item_id: String, (call_id, name, input): (&str, &str, &Value)) {
        if let Some(earlier) = self.open.insert(call_id.to_owned(), self.items.len()) {
            // The result that may come is the later one's.
            interrupt(&mut self.items[earlier]);
        }
        self.called.insert(call_id.to_owned());
        let call = Called {
            item_id,
            parent: None,
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            input: input.clone(),
            title: title(None, name, input, Tense::Done),
        };
        self.items.push(Arc::new(running_tool(&call)));
    }

    fn settle(&mut self, id: &str, message: &Message) {
        for (n, block) in message.blocks.iter().enumerate() {
            let Block::ToolResult { tool_use_id, content, is_error, extra } = block else { continue };
            let title = extra.get("title").and_then(Value::as_str);
            let index = match self.open.remove(tool_use_id) {
                Some(index) => {
                    retitle(&mut self.items[index], title);
                    index
                }
                // A second result of a call says nothing new.
                None if self.called.contains(tool_use_id) => continue,
                None => {
                    self.items.push(Arc::new(running_tool(&lost(format!("{id}.{n}"), tool_use_id, title))));
                    self.items.len() - 1
                }
            };
            let took = extra.get("took_ms").and_then(Value::as_u64);
            finish(&mut self.items[index], content.clone(), extra.get("details").cloned(), *is_error, took);
        }
    }
}

/// What stands for the call of a result where the call's line is damaged (`session::repair` says what the model gets).
fn lost(item_id: String, call_id: &str, title: Option<&str>) -> Called {
    Called {
        item_id,
        parent: None,
        call_id: call_id.to_owned(),
        name: String::new(),
        input: Value::Object(Default::default()),
        title: format!("{}: its call is lost, the model does not see it", title.unwrap_or("a result")),
    }
}

fn retitle(item: &mut Arc<Item>, own: Option<&str>) {
    if let (ItemBody::Tool { title, .. }, Some(own)) = (&mut Arc::make_mut(item).body, own) {
        *title = own.to_owned();
    }
}

fn interrupt(item: &mut Arc<Item>) {
    finish(item, vec![Part::text(repair::INTERRUPTED)], None, true, None);
}

fn finish(item: &mut Arc<Item>, parts: Vec<Part>, more: Option<Value>, failed: bool, took: Option<u64>) {
    if let ItemBody::Tool { content, details, status, is_error, took_ms, rendered, .. } = &mut Arc::make_mut(item).body
    {
        *rendered = own_look(more.as_ref());
        (*content, *details, *is_error, *took_ms) = (parts, more, failed, took);
        *status = if failed { ToolStatus::Error } else { ToolStatus::Complete };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_tool_wants_shown_is_shown() {
        let look = |display: Value| own_look(Some(&json!({"display": display}))).map(|e| e.to_json());
        assert_eq!(
            look(json!("for people")),
            Some(Element::from_json(&json!("for people"), "").expect("text").to_json())
        );
        assert!(look(json!({"type": "rule"})).is_some());
        let wrong = look(json!({"type": "lst"})).expect("what is wrong").to_string();
        assert!(wrong.contains("display.type"), "{wrong}");
        assert_eq!((look(Value::Null), own_look(None)), (None, None));
    }

    #[test]
    fn a_history_becomes_items_with_their_results() {
        let ask = Message::user("hi");
        let answer = Message::assistant(vec![
            Block::thinking("hm", None),
            Block::tool_use("c1", "std.shell", json!({"command": "x"})),
            Block::tool_use("c2", "std.shell", json!({"command": "y"})),
        ]);
        let results = Message::new(Role::User, vec![Block::tool_result("c1", vec![Part::text("out")], false)]);
        let mut shown = Shown::default();
        [("1", &ask), ("2", &answer), ("3", &results)].iter().for_each(|(id, message)| shown.message(id, message));
        let items = shown.end();
        let ids: Vec<&str> = items.iter().map(|i| i.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "2.0", "2.1"]);
        let status = |n: usize| match &items[n].body {
            ItemBody::Tool { status, content, .. } => (*status, Part::joined(content)),
            other => panic!("{other:?}"),
        };
        assert_eq!(status(2), (ToolStatus::Complete, "out".into()));
        assert_eq!(status(3), (ToolStatus::Error, "interrupted before it finished".into()));
    }
    #[test]
    fn of_calls_with_the_same_id_none_runs_for_ever() {
        let call = || Block::tool_use("c", "std.shell", json!({}));
        let results = Message::new(Role::User, vec![Block::tool_result("c", vec![Part::text("out")], false)]);
        let mut shown = Shown::default();
        shown.message("1", &Message::assistant(vec![call(), call()]));
        shown.message("2", &results);
        shown.message("3", &Message::assistant(vec![call()]));
        shown.message("4", &Message::assistant(vec![call()]));
        let status = |item: &Arc<Item>| match &item.body {
            ItemBody::Tool { status, .. } => Some(*status),
            _ => None,
        };
        let all: Vec<ToolStatus> = shown.end().iter().filter_map(status).collect();
        assert_eq!(all, [ToolStatus::Error, ToolStatus::Complete, ToolStatus::Error, ToolStatus::Error]);
    }
}
