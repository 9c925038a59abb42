//! Renderers of extensions: what a call looks like is asked for when it begins, is updated and ends, and comes with its
//! item. Nobody waits for an answer: until it is there, and where there is none, a face shows the item as it always does.

use super::{
    Event, Extensions, Item, ItemBody, RenderCall, Rendered, ToolStatus,
    items::own_look,
    runtime::{News, Runtime},
};
use crate::conversation::Part;
use crate::tool::UpdateKind;
use serde_json::Value;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::sync::{mpsc::UnboundedSender, watch};

/// Between two looks at a call that runs.
const EVERY: Duration = Duration::from_millis(100);
/// Bytes of a running call's output that a renderer gets: the newest.
const KEPT: usize = 256 << 10;
/// Calls of an opened session that are rendered: the newest.
const HISTORY: usize = 50;

/// The running calls that somebody renders, by item. However often one changes, its task sees the newest state.
#[derive(Default)]
pub struct Renders(HashMap<String, watch::Sender<RenderCall>>);

impl Renders {
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Runtime {
    /// A call begins.
    pub fn render_started(&mut self, item: &Item) {
        let Some(call) = call_of(item) else { return };
        if self.shared.extensions.renders(&call.name) {
            let (sender, calls) = watch::channel(call);
            self.renders.0.insert(item.id.clone(), sender);
            tokio::spawn(follow(self.shared.extensions.clone(), item.id.clone(), calls, self.news.clone()));
        }
    }

    pub fn render_updated(&mut self, item_id: &str, kind: &UpdateKind) {
        let Some(calls) = self.renders.0.get(item_id) else { return };
        calls.send_modify(|call| match kind {
            UpdateKind::Title(title) => call.title.clone_from(title),
            UpdateKind::Replace(text) => newest(text).clone_into(&mut call.text),
            UpdateKind::Append(text) => {
                call.text.push_str(text);
                if call.text.len() > 2 * KEPT {
                    call.text = newest(&call.text).to_owned();
                }
            }
            UpdateKind::Finished(_) => {}
        });
    }

    /// A call has ended. The element of its last state stays until the one of its end is there.
    pub fn render_finished(&mut self, item: &mut Item) {
        let Some(call) = call_of(item) else { return };
        let before = self.open.items.iter().rev().find(|i| i.id == item.id).and_then(|i| rendered_of(i));
        match self.renders.0.remove(&item.id) {
            Some(calls) => {
                set(item, before);
                let _ = calls.send(call);
            }
            None if self.shared.extensions.renders(&call.name) => self.render_all(vec![(item.id.clone(), call)]),
            None => {}
        }
    }

    /// Renders the newest calls of the open session; what nobody renders any more goes back to its usual look.
    pub fn render_history(&mut self) {
        let tools = self.open.items.iter().rev().filter_map(|item| Some((item.id.clone(), call_of(item)?, item)));
        let (mut calls, mut bare) = (vec![], vec![]);
        for (id, call, item) in tools.filter(|(_, call, _)| call.state != RUNNING).take(HISTORY) {
            match self.shared.extensions.renders(&call.name) {
                true => calls.push((id, call)),
                false if rendered_of(item).is_some() => bare.push(id),
                false => {}
            }
        }
        bare.into_iter().for_each(|id| self.rendered(&id, None));
        self.render_all(calls);
    }

    /// One after the other.
    fn render_all(&self, calls: Vec<(String, RenderCall)>) {
        if calls.is_empty() {
            return;
        }
        let (extensions, news) = (self.shared.extensions.clone(), self.news.clone());
        tokio::spawn(async move {
            for (item_id, call) in calls {
                let element = extensions.render(call).await.map(Arc::new);
                let _ = news.send(News::Rendered { item_id, element });
            }
        });
    }

    /// An answer of a renderer; none: the usual look.
    pub fn rendered(&mut self, item_id: &str, element: Option<Rendered>) {
        let Some(item) = self.open.items.iter_mut().rev().find(|i| i.id == item_id) else { return };
        let element = element.or_else(|| own_look_of(item));
        if rendered_of(item) == element {
            return;
        }
        set(Arc::make_mut(item), element.clone());
        self.open.touch(item_id);
        self.tell(Event::ItemRendered { item_id: item_id.to_owned(), element });
    }
}

/// Renders a call's newest state, at most every so often, until it has ended.
async fn follow(
    extensions: Arc<dyn Extensions>,
    item_id: String,
    mut calls: watch::Receiver<RenderCall>,
    news: UnboundedSender<News>,
) {
    loop {
        let call = calls.borrow_and_update().clone();
        let last = call.state != RUNNING;
        let element = extensions.render(call).await.map(Arc::new);
        let told = news.send(News::Rendered { item_id: item_id.clone(), element });
        if last || told.is_err() {
            return;
        }
        tokio::time::sleep(EVERY).await;
        if calls.changed().await.is_err() {
            return;
        }
    }
}

const RUNNING: &str = "running";

fn call_of(item: &Item) -> Option<RenderCall> {
    let ItemBody::Tool { tool_call_id, tool_name, input, content, details, status, title, took_ms, .. } = &item.body
    else {
        return None;
    };
    let state = match status {
        ToolStatus::Running => RUNNING,
        ToolStatus::Complete => "done",
        ToolStatus::Error => "error",
    };
    Some(RenderCall {
        id: tool_call_id.clone(),
        name: tool_name.clone(),
        input: input.clone(),
        title: title.clone(),
        state,
        text: Part::joined(content),
        details: details.clone(),
        display: details.as_ref().and_then(|d| d.get("display")).filter(|d| **d != Value::Null).cloned(),
        took: took_ms.map(|ms| ms as f64 / 1000.0),
    })
}

fn own_look_of(item: &Item) -> Option<Rendered> {
    if let ItemBody::Tool { details, .. } = &item.body { own_look(details.as_ref()) } else { None }
}

fn rendered_of(item: &Item) -> Option<Rendered> {
    if let ItemBody::Tool { rendered, .. } = &item.body { rendered.clone() } else { None }
}

fn set(item: &mut Item, element: Option<Rendered>) {
    if let ItemBody::Tool { rendered, .. } = &mut item.body {
        *rendered = element;
    }
}

/// The end of a long text.
fn newest(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(KEPT))..]
}
