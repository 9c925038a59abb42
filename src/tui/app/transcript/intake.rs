//! Events of the backend become entries.

use super::{
    Transcript,
    block::Kind,
    entry::{Entry, Update},
    view::View,
};
use crate::{
    backend::{Delta, Event, Item, ItemBody, Level, Rendered, Session},
    tui::theme::ColorDepth,
};
use std::sync::Arc;

/// Columns that heights are guessed for before the first frame.
const USUAL_WIDTH: usize = 80;

impl Transcript {
    /// Shows another session (or this one anew), from its end.
    pub fn open(&mut self, session: &Session) {
        self.show(&session.transcript);
    }

    /// Shows other items, from their end.
    pub fn show(&mut self, items: &[Arc<Item>]) {
        self.list = Default::default();
        self.window = Default::default();
        for item in items {
            let at = self.push(self.met(item));
            if self.list.entry(at).is_live() {
                self.list.note_change(at);
            }
        }
        self.reread();
    }

    /// Takes an event; says whether the next frame may look different because of it. `SessionOpened` and
    /// `SessionBranched` reset as `open` does; a `Notice` becomes a note in the transcript. Events that are none of the transcript's are ignored.
    pub fn apply(&mut self, event: &Event) -> bool {
        match event {
            Event::SessionOpened(session) | Event::SessionBranched { session, .. } => self.open(session),
            Event::ItemStarted(item) => self.start(item),
            Event::AssistantDelta(delta) => return self.grow(delta),
            Event::ItemUpdated { item_id, append, content, title } => {
                let (append, content, title) = (append.as_deref(), content.as_deref(), title.as_deref());
                return self.update(item_id, &Update { append, content, title });
            }
            Event::ItemFinished(item) => self.finish(item),
            Event::ItemRemoved { item_id } => return self.remove(item_id),
            Event::ItemRendered { item_id, element } => return self.render(item_id, element.as_ref()),
            Event::Notice(notice) if self.says_already(&notice.text) => return false,
            Event::Notice(notice) => self.push_note(level(notice.level), &notice.text),
            _ => return false,
        }
        true
    }

    /// Adds a local note, of kind `info`, `warning`, `error` or any other. It is not part of the session.
    pub fn push_note(&mut self, kind: &str, text: &str) {
        let body = ItemBody::Note { kind: kind.to_owned(), text: text.to_owned() };
        self.add(Entry::new(Arc::new(Item { id: String::new(), body })));
    }

    /// Whether the last answer failed with these very words: they stand below it.
    fn says_already(&self, words: &str) -> bool {
        let last = self.list.iter().next_back().map(|e| &e.item.body);
        matches!(last, Some(ItemBody::Assistant { error: Some(error), .. }) if error.trim() == words.trim())
    }

    fn add(&mut self, entry: Entry) {
        let at = self.push(entry);
        self.list.note_change(at);
    }

    fn push(&mut self, entry: Entry) -> usize {
        let width = self.setter.sheet.as_ref().map_or(USUAL_WIDTH, |s| s.width as usize);
        let lines = entry.estimate(width, self.setter.settings.tool_lines);
        let at = self.list.place_of(&entry);
        if at == self.list.len() {
            return self.list.push(entry, lines);
        }
        self.list.insert(at, entry, lines);
        self.window.admit(at);
        self.reading.admit(at);
        at
    }

    /// Thinking that the user is looking at while the view is held stays open when it ends: nothing on screen moves.
    fn keep_open(&mut self, at: usize) {
        if self.is_following() || !self.window.strips.iter().any(|s| s.entry == at) {
            return;
        }
        let entry = self.list.entry_mut(at);
        let last = entry.blocks.len().saturating_sub(1);
        let grows = entry.grows(last);
        if let Some(block) = entry.blocks.last_mut()
            && matches!(block.kind, Kind::Thinking { .. })
            && self.setter.is_open(block, grows)
        {
            block.own_fold = Some(true);
        }
    }

    fn start(&mut self, item: &Arc<Item>) {
        match self.list.find(&item.id) {
            Some(at) => {
                *self.list.entry_mut(at) = self.met(item);
                self.list.note_change(at);
            }
            None => self.add(self.met(item)),
        }
    }

    /// An item that may be under way for a while already.
    fn met(&self, item: &Arc<Item>) -> Entry {
        let mut entry = Entry::new(item.clone());
        if let Some(output) = entry.output() {
            entry.update(&Update { append: None, content: Some(&output), title: None }, self.depth());
        }
        entry
    }

    fn depth(&self) -> ColorDepth {
        self.setter.sheet.as_ref().map_or(ColorDepth::Ansi16, |s| s.theme.depth())
    }

    fn grow(&mut self, delta: &Delta) -> bool {
        let Some(at) = self.list.find(&delta.item_id) else { return false };
        self.keep_open(at);
        let changed = self.list.entry_mut(at).grow(delta);
        self.list.note_change(at);
        changed
    }

    fn update(&mut self, item_id: &str, update: &Update) -> bool {
        let Some(at) = self.list.find(item_id) else { return false };
        let depth = self.depth();
        self.list.entry_mut(at).update(update, depth);
        self.list.note_change(at);
        true
    }

    fn finish(&mut self, item: &Arc<Item>) {
        match self.list.find(&item.id) {
            Some(at) => {
                self.keep_open(at);
                self.list.entry_mut(at).finish(item.clone());
                self.list.note_change(at);
            }
            None => self.add(Entry::new(item.clone())),
        }
    }

    fn render(&mut self, item_id: &str, element: Option<&Rendered>) -> bool {
        let Some(at) = self.list.find(item_id) else { return false };
        self.list.entry_mut(at).render(element);
        self.list.note_change(at);
        true
    }

    fn remove(&mut self, item_id: &str) -> bool {
        let Some(at) = self.list.find(item_id) else { return false };
        self.window.forget(at, &self.list);
        self.reading.forget(at);
        self.list.remove(at);
        if self.list.is_empty() {
            self.window.view = View::Following;
        }
        true
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}
