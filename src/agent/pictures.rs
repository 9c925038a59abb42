//! Pictures on their way to the model: scaled down to what it takes, and left out where the server refuses them. Only
//! what the model gets changes; the file and the screen keep what was there.

use super::{AgentEvent, Entry, Event, Turn};
use crate::conversation::{Message, Part};
use crate::provider::ProviderError;
use crate::util::picture;
use std::sync::Arc;

/// 413: it is the whole that is too large, so that what is new may stay.
const TOO_MANY_BYTES: u16 = 413;

impl Turn {
    /// Scales down what is larger than the model takes. Where it takes none, the user is told so, once for each picture.
    pub(super) async fn fit_pictures(&mut self) -> Event {
        if !self.model.images {
            self.say_unseen();
            return Event::Fits;
        }
        let unseen = self.history.iter().filter(|e| has(e) && !self.upkeep.pictures.contains(&e.id));
        let unseen: Vec<Entry> = unseen.cloned().collect();
        if unseen.is_empty() {
            return Event::Fits;
        }
        self.upkeep.pictures.extend(unseen.iter().map(|e| e.id.clone()));
        let limits = self.model.picture;
        let fitted = move |mime: &str, data: &str| {
            let small = picture::fit(mime, data, limits)?;
            Some(Part::Image { mime: small.mime.to_owned(), data: small.data })
        };
        let work = tokio::task::spawn_blocking(move || {
            unseen.iter().filter_map(|e| changed(e, |message| message.with_pictures(fitted))).collect()
        });
        let entries: Vec<Entry> = tokio::select! {
            biased;
            () = self.abort.cancelled() => return Event::Aborted,
            // One that cannot be scaled goes as it is.
            done = work => done.unwrap_or_default(),
        };
        if !entries.is_empty() {
            replace(&mut self.history, &entries);
            self.tell(AgentEvent::Changed { entries });
        }
        Event::Fits
    }

    fn say_unseen(&mut self) {
        let new = self.history.iter().filter(|e| has(e) && !self.upkeep.unseen.contains(&e.id));
        let (ids, counts): (Vec<String>, Vec<usize>) = new.map(|e| (e.id.clone(), e.message.pictures())).unzip();
        let notes = match counts.iter().sum() {
            0 => return,
            1 => "a note in the place of a picture".to_owned(),
            count => format!("notes in the place of {count} pictures"),
        };
        self.upkeep.unseen.extend(ids.iter().cloned());
        let notice = format!(
            "{} takes no pictures: it gets {notes}. /model chooses one that does; if this one does, say so by \
             `input = [\"text\", \"image\"]` in its entry in config.toml",
            self.model.reference
        );
        self.tell(AgentEvent::PicturesUnseen { ids, notice });
    }

    /// Makes notes of pictures after a refusal: of older ones where the request as a whole is too large, else of all,
    /// since nobody knows which it was. False: there are none.
    pub(super) fn leave_out_pictures(&mut self, refusal: &ProviderError) -> bool {
        let with: Vec<&Entry> = self.history.iter().filter(|e| self.model.images && has(e)).collect();
        let older = with.len().saturating_sub(1);
        let those = if refusal.status == Some(TOO_MANY_BYTES) && older > 0 { &with[..older] } else { &with[..] };
        let left_out: usize = those.iter().map(|e| e.message.pictures()).sum();
        let entries: Vec<Entry> = those.iter().filter_map(|e| changed(e, Message::without_refused_pictures)).collect();
        if entries.is_empty() {
            return false;
        }
        let pictures = if left_out == 1 { "a picture is".to_owned() } else { format!("{left_out} pictures are") };
        let notice = format!("{pictures} left out of what the model gets from now on: {refusal}");
        replace(&mut self.history, &entries);
        self.tell(AgentEvent::PicturesRefused { entries, notice });
        true
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

fn has(entry: &Entry) -> bool {
    entry.message.pictures() > 0
}

/// The entry with another message; none where it stays.
fn changed(entry: &Entry, other: impl Fn(&Message) -> Option<Message>) -> Option<Entry> {
    other(&entry.message).map(|message| Entry { id: entry.id.clone(), message: Arc::new(message) })
}
