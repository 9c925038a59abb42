//! What running calls have put out so far, for faces that come while they run.

use super::{Event, Item, ItemBody, ToolStatus, runtime::Runtime};
use crate::conversation::Part;
use crate::tool::UpdateKind;
use std::{collections::HashMap, sync::Arc};

impl Runtime {
    /// A running call has put something out. What comes when it is over is of no use to anybody.
    pub fn put_out(&mut self, item_id: &str, kind: &UpdateKind) {
        let item = self.open.items.iter().rev().find(|item| item.id == item_id);
        if item.is_some_and(|item| matches!(item.body, ItemBody::Tool { status: ToolStatus::Running, .. })) {
            self.outputs.push(item_id, kind);
            self.open.touch(item_id);
        }
    }
}

/// What faces hear of an update; none of the end, which they hear with the item.
pub fn updated(item_id: &str, kind: &UpdateKind) -> Option<Event> {
    let (append, content, title) = match kind {
        UpdateKind::Title(title) => (None, None, Some(title.clone())),
        UpdateKind::Append(text) => (Some(text.clone()), None, None),
        UpdateKind::Replace(text) => (None, Some(text.clone()), None),
        UpdateKind::Finished(_) => return None,
    };
    Some(Event::ItemUpdated { item_id: item_id.to_owned(), append, content, title })
}

/// Bytes of one call's output that are kept: the newest.
const KEPT: usize = 256 << 10;

#[derive(Default)]
struct Output {
    text: String,
    title: Option<String>,
}

/// By item.
#[derive(Default)]
pub struct Outputs(HashMap<String, Output>);

impl Outputs {
    pub fn push(&mut self, item_id: &str, kind: &UpdateKind) {
        let output = match self.0.get_mut(item_id) {
            Some(output) => output,
            None => self.0.entry(item_id.to_owned()).or_default(),
        };
        match kind {
            UpdateKind::Append(more) => output.text.push_str(more),
            UpdateKind::Replace(text) => output.text.clone_from(text),
            UpdateKind::Title(title) => output.title = Some(title.clone()),
            UpdateKind::Finished(_) => {}
        }
        if output.text.len() > 2 * KEPT {
            let from = output.text.ceil_char_boundary(output.text.len() - KEPT);
            output.text.drain(..from);
        }
    }

    /// What an item has put out so far.
    pub fn of(&self, item_id: &str) -> &str {
        self.0.get(item_id).map_or("", |output| &output.text)
    }

    pub fn end(&mut self, item_id: &str) {
        self.0.remove(item_id);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The item with its output so far, if it runs.
    pub fn fill(&self, item: &Arc<Item>) -> Arc<Item> {
        let Some(output) = self.0.get(&item.id) else { return item.clone() };
        let mut item = item.clone();
        if let ItemBody::Tool { content, title, status: ToolStatus::Running, .. } = &mut Arc::make_mut(&mut item).body {
            if !output.text.is_empty() {
                *content = vec![Part::text(output.text.clone())];
            }
            if let Some(words) = &output.title {
                title.clone_from(words);
            }
        }
        item
    }
}
