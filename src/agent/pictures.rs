//! Pictures on their way to the model: scaled down to what it takes, and left out where the server refuses them. Only
//! what the model gets changes; the file and the screen keep what was there.

use super::{AgentEvent, Entry, Event, Turn};
use crate::conversation::{Block, Message, Part};
use crate::provider::ProviderError;
use crate::util::picture::{self, Limits, Picture};
use std::sync::Arc;

const LEFT_OUT: &str = "was left out: the server refused it";

/// 413: it is the whole that is too large, so that what is new may stay.
const TOO_MANY_BYTES: u16 = 413;

impl Turn {
    /// Scales down what is larger than the model takes.
    pub(super) async fn fit_pictures(&mut self) -> Event {
        let limits = self.model.picture;
        let unseen = self.history.iter().filter(|e| count(&e.message) > 0 && !self.upkeep.pictures.contains(&e.id));
        let unseen: Vec<Entry> = unseen.cloned().collect();
        if unseen.is_empty() || !self.model.images {
            return Event::Fits;
        }
        self.upkeep.pictures.extend(unseen.iter().map(|e| e.id.clone()));
        let work =
            tokio::task::spawn_blocking(move || unseen.iter().filter_map(|e| changed(e, &fitted(limits))).collect());
        let fitted: Vec<Entry> = tokio::select! {
            biased;
            () = self.abort.cancelled() => return Event::Aborted,
            // One that cannot be scaled goes as it is.
            done = work => done.unwrap_or_default(),
        };
        self.change(fitted, None);
        Event::Fits
    }

    /// Makes notes of pictures after a refusal: of older ones where the request as a whole is too large, else of all,
    /// since nobody knows which it was. False: there are none.
    pub(super) fn leave_out_pictures(&mut self, refusal: &ProviderError) -> bool {
        let sent = |e: &&Entry| self.model.images && count(&e.message) > 0;
        let with: Vec<&Entry> = self.history.iter().filter(sent).collect();
        let older = with.len().saturating_sub(1);
        let those = if refusal.status == Some(TOO_MANY_BYTES) && older > 0 { &with[..older] } else { &with[..] };
        let left_out: usize = those.iter().map(|e| count(&e.message)).sum();
        let notes: Vec<Entry> = those.iter().filter_map(|e| changed(e, &|mime, _| Some(note(mime)))).collect();
        if notes.is_empty() {
            return false;
        }
        let pictures = if left_out == 1 { "a picture is".to_owned() } else { format!("{left_out} pictures are") };
        self.change(notes, Some(format!("{pictures} left out of what the model gets from now on: {refusal}")));
        true
    }

    /// The model gets other messages in the place of these.
    fn change(&mut self, entries: Vec<Entry>, notice: Option<String>) {
        if entries.is_empty() {
            return;
        }
        replace(&mut self.history, &entries);
        self.tell(AgentEvent::Changed { entries, notice });
    }
}

/// Puts messages in the place of those with the same ids.
pub fn replace(history: &mut [Entry], entries: &[Entry]) {
    for entry in entries {
        if let Some(place) = history.iter_mut().find(|e| e.id == entry.id) {
            *place = entry.clone();
        }
    }
}

/// What stands in the place of a picture.
enum Other {
    Picture(Picture),
    Text(String),
}

fn note(mime: &str) -> Other {
    Other::Text(format!("[a picture ({mime}) {LEFT_OUT}]"))
}

fn fitted(limits: Limits) -> impl Fn(&str, &str) -> Option<Other> {
    move |mime, data| picture::fit(mime, data, limits).map(Other::Picture)
}

fn count(message: &Message) -> usize {
    let pictures = |block: &Block| match block {
        Block::Image { .. } => 1,
        Block::ToolResult { content, .. } => content.iter().filter(|p| matches!(p, Part::Image { .. })).count(),
        _ => 0,
    };
    message.blocks.iter().map(pictures).sum()
}

/// The entry with other pictures; none where all stay.
fn changed(entry: &Entry, other: &impl Fn(&str, &str) -> Option<Other>) -> Option<Entry> {
    let mut message = (*entry.message).clone();
    let mut any = false;
    for block in &mut message.blocks {
        match block {
            Block::Image { mime, data, .. } => match other(mime, data) {
                Some(Other::Picture(small)) => {
                    (any, *mime, *data) = (true, small.mime.to_owned(), small.data);
                }
                Some(Other::Text(text)) => (any, *block) = (true, Block::text(text)),
                None => {}
            },
            Block::ToolResult { content, .. } => content.iter_mut().for_each(|part| {
                let Part::Image { mime, data } = part else { return };
                match other(mime, data) {
                    Some(Other::Picture(Picture { mime, data })) => {
                        (any, *part) = (true, Part::Image { mime: mime.to_owned(), data });
                    }
                    Some(Other::Text(text)) => (any, *part) = (true, Part::text(text)),
                    None => {}
                }
            }),
            _ => {}
        }
    }
    any.then(|| Entry { id: entry.id.clone(), message: Arc::new(message) })
}
