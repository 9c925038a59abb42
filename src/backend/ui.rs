//! The screen of extensions, as the runtime keeps it: questions that wait, status items, widgets.

use super::{
    Ask, BackendError, Code, Event, PaneName, Response, Session, StatusItem, Widget,
    runtime::{News, Runtime},
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// What scripts want of the screen.
pub enum UiNews {
    Ask(Ask, oneshot::Sender<Response>),
    /// Nobody waits for the answer any more.
    Withdrawn(String),
    /// By extension and key; none removes it.
    Status {
        extension: String,
        key: String,
        item: Option<StatusItem>,
    },
    /// By extension and id; none removes it.
    Widget {
        extension: String,
        id: String,
        widget: Option<Widget>,
    },
    Open(PaneName),
    Copy(String),
    /// Keys, themes or commands of extensions have changed.
    Registered,
}

/// A question, and who waits for the answer.
struct Waiting {
    ask: Arc<Ask>,
    answer: oneshot::Sender<Response>,
}

/// Everything that extensions have on the screen.
#[derive(Default)]
pub struct Ui {
    asks: Vec<Waiting>,
    /// In the order of their keys.
    status: Vec<Arc<StatusItem>>,
    /// In the order in which they came.
    widgets: Vec<Arc<Widget>>,
}

impl Ui {
    /// Puts it into what faces see.
    pub fn fill(&self, state: &mut Session) {
        state.asks = self.asks.iter().map(|w| w.ask.clone()).collect();
        state.status_items.clone_from(&self.status);
        state.widgets.clone_from(&self.widgets);
    }

    /// Whether an extension waits for an answer.
    pub fn is_asking(&self) -> bool {
        !self.asks.is_empty()
    }

    /// The question of this id, which waits no longer; none where it was answered already.
    fn take(&mut self, ask_id: &str) -> Option<Waiting> {
        let at = self.asks.iter().position(|w| w.ask.id == ask_id)?;
        Some(self.asks.remove(at))
    }

    /// Whether anything has changed.
    fn set_status(&mut self, extension: &str, key: &str, item: Option<StatusItem>) -> bool {
        let before = self.status.clone();
        self.status.retain(|s| (s.extension.as_str(), s.key.as_str()) != (extension, key));
        self.status.extend(item.map(Arc::new));
        self.status.sort_by(|a, b| (&a.key, &a.extension).cmp(&(&b.key, &b.extension)));
        self.status != before
    }

    /// Whether anything has changed.
    fn set_widget(&mut self, extension: &str, id: &str, widget: Option<Widget>) -> bool {
        let at = self.widgets.iter().position(|w| (w.extension.as_str(), w.id.as_str()) == (extension, id));
        match (at, widget.map(Arc::new)) {
            (Some(at), Some(widget)) if self.widgets[at] == widget => return false,
            (Some(at), Some(widget)) => self.widgets[at] = widget,
            (Some(at), None) => drop(self.widgets.remove(at)),
            (None, Some(widget)) => self.widgets.push(widget),
            (None, None) => return false,
        }
        true
    }
}

impl Runtime {
    pub fn ui_news(&mut self, news: UiNews) {
        let changed = match news {
            UiNews::Ask(ask, answer) => return self.ask(ask, answer),
            UiNews::Withdrawn(ask_id) => return self.close_ask(&ask_id),
            UiNews::Open(pane) => return self.tell(Event::PaneOpened(pane)),
            UiNews::Copy(text) => return self.tell(Event::Copied { text }),
            // What is registered while extensions load is told when they are loaded.
            UiNews::Registered if !*self.shared.loaded.borrow() => return,
            UiNews::Registered => return self.registered().into_iter().for_each(|event| self.tell(event)),
            UiNews::Status { extension, key, item } => self.ui.set_status(&extension, &key, item),
            UiNews::Widget { extension, id, widget } => self.ui.set_widget(&extension, &id, widget),
        };
        if changed {
            self.changed();
        }
    }

    fn ask(&mut self, ask: Ask, answer: oneshot::Sender<Response>) {
        if answer.is_closed() {
            return;
        }
        let ask = Arc::new(ask);
        self.ui.asks.push(Waiting { ask: ask.clone(), answer });
        self.tell(Event::Asked(ask));
        self.changed();
    }

    fn close_ask(&mut self, ask_id: &str) {
        if self.ui.take(ask_id).is_some() {
            self.tell(Event::AskClosed { ask_id: ask_id.to_owned() });
            self.changed();
        }
    }

    /// A face answers.
    pub fn answer(&mut self, ask_id: &str, response: Response) -> Result<(), BackendError> {
        let Some(waiting) = self.ui.take(ask_id) else {
            return Err(BackendError::new(Code::NotFound, "that question was answered already"));
        };
        self.tell(Event::AskClosed { ask_id: ask_id.to_owned() });
        self.changed();
        let _ = waiting.answer.send(response);
        Ok(())
    }

    /// Keys, themes and commands that extensions have registered.
    pub fn registered(&self) -> [Event; 3] {
        let extensions = &self.shared.extensions;
        [
            Event::KeyBindings(Arc::new(extensions.key_bindings())),
            Event::Themes(Arc::new(extensions.themes())),
            Event::Commands(Arc::new(extensions.commands())),
        ]
    }

    /// Does what a key of an extension does; what goes wrong is shown.
    pub fn press(&self, function: i64) {
        let (pressed, news) = (self.shared.extensions.press(function), self.news.clone());
        self.errands.spawn(async move {
            if let Err(why) = pressed.await {
                let _ = news.send(News::Failed(why));
            }
        });
    }
}
