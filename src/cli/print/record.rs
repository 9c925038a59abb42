//! What a run of print mode was, gathered from events: the object that json formats end with.

use crate::backend::{ContentPart, Event, Item, ItemBody};
use crate::conversation::{StopReason, Usage};
use serde::Serialize;

/// The answer so far.
#[derive(Debug, Default)]
pub struct Record {
    session_id: String,
    text: String,
    stop_reason: Option<StopReason>,
    usage: Usage,
    turns: u32,
}

/// `{"type":"result",…}` of cli.md; `error` says what failed.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    r#type: &'static str,
    text: &'a str,
    session_id: &'a str,
    stop_reason: Option<StopReason>,
    is_error: bool,
    usage: Usage,
    cost: Option<f64>,
    turns: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Record {
    pub fn note(&mut self, event: &Event) {
        match event {
            Event::SessionOpened(session) => self.session_id.clone_from(&session.id),
            Event::ItemFinished(item) => self.finish(item),
            _ => {}
        }
    }

    fn finish(&mut self, item: &Item) {
        let ItemBody::Assistant { content, stop_reason, usage, .. } = &item.body else { return };
        let text = |part: &ContentPart| if let ContentPart::Text { text } = part { Some(text.clone()) } else { None };
        self.text = content.iter().filter_map(text).collect();
        self.stop_reason = *stop_reason;
        self.turns += 1;
        if let Some(usage) = usage {
            self.usage.add(usage);
        }
    }

    /// The last answer was cut by the output limit.
    pub fn is_truncated(&self) -> bool {
        self.stop_reason == Some(StopReason::Length)
    }

    /// The text of the last answer.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn summary<'a>(&'a self, error: Option<&'a str>) -> Summary<'a> {
        let stop_reason = if error.is_some() { Some(StopReason::Error) } else { self.stop_reason };
        Summary {
            r#type: "result",
            text: &self.text,
            session_id: &self.session_id,
            stop_reason,
            is_error: error.is_some(),
            usage: self.usage,
            cost: self.usage.cost,
            turns: self.turns,
            error,
        }
    }
}
