//! Headless plays: keys and events in, state and effects out.

pub mod asks;
mod dialogs;
mod drafts;
mod lists;
mod load;
mod palette;
mod pickers;
mod slash;
mod trees;
mod turns;
mod welcome;

use super::{Message, begin, update};
use crate::backend::{
    BackendError, Code, Command, Event, Item, ItemBody, ModelListing, Phase, Reply, Session, SessionSummary, ToolStatus,
};
use crate::config::Options;
use crate::conversation::{Thinking, Usage};
use crate::tui::app::App;
use crate::tui::app::history::PromptHistory;
use crate::tui::effect::{Effect, Effects, Purpose};
use crate::tui::host::Host;
use crate::tui::input::Decoder;
use crate::tui::theme::ColorDepth;
use crate::tui::{Setup, Start};
use crate::util::paths::Paths;
use ratatui::layout::Size;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

struct NoHistory;

impl PromptHistory for NoHistory {
    fn load(&self) -> Vec<String> {
        vec![]
    }
    fn append(&self, _: &str) {}
}

pub fn setup() -> Setup {
    let nowhere = PathBuf::from("/nonexistent");
    let paths = Paths { data: nowhere.clone(), config: nowhere, home: None };
    Setup {
        options: Options { mode: crate::config::Mode::Auto, ..Options::default() },
        settings: crate::config::Settings::of_user(&paths),
        paths,
        depth: ColorDepth::True,
        start: Start::Session,
        prompt: None,
        notices: vec![],
        history: Arc::new(NoHistory),
        host: Host::default(),
    }
}

pub fn session(phase: Phase) -> Session {
    Session {
        id: "0199".into(),
        name: None,
        cwd: "/work".into(),
        created_at: "2026-11-29T16:15:00.000Z".into(),
        updated_at: "2026-11-29T16:15:00.000Z".into(),
        phase,
        model: "env:bench".into(),
        thinking: Thinking::Medium,
        thinking_levels: vec![Thinking::Off, Thinking::Medium, Thinking::High],
        context_window: 128_000,
        context_used: 0,
        attached: true,
        locked: false,
        read_only: false,
        epoch: 1,
        revision: 1,
        transcript: vec![],
        queued_steer: vec![],
        queued_steer_count: 0,
        follow_ups: vec![],
        jobs: vec![],
        approvals: vec![],
        asks: vec![],
        status_items: vec![],
        widgets: vec![],
        usage: Usage::default(),
        spent: 0.0,
        not_saved: None,
        retry: None,
        mode: crate::backend::Mode::Auto,
        unheld: false,
        busy_since: None,
    }
}

/// A person at the program, and what went out.
pub struct Desk {
    pub app: App,
    now: Instant,
    decoder: Decoder,
    sent: Effects,
    columns: u16,
}

impl Desk {
    /// With an idle session.
    pub fn new() -> Desk {
        Desk::with(setup())
    }

    pub fn with(mut setup: Setup) -> Desk {
        let now = Instant::now();
        let mut app = App::new(&mut setup, now);
        let sent = begin(&mut app, setup.start);
        let mut desk = Desk { app, now, decoder: Decoder::default(), sent, columns: 100 };
        desk.frame();
        desk.event(Event::SessionOpened(Arc::new(session(Phase::Idle))));
        desk.sent.retain(|e| !matches!(e, Effect::ReadBranch(_)));
        desk
    }

    /// On a wider screen.
    pub fn wide(&mut self) {
        self.columns = 140;
        self.frame();
    }

    fn frame(&mut self) {
        self.app.prepare(Size::new(self.columns, 30), self.now);
    }

    fn tell(&mut self, message: Message) {
        self.sent.extend(update(&mut self.app, message, self.now));
        self.frame();
    }

    /// Bytes as one read gives them.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Desk {
        for input in self.decoder.feed(bytes, self.now) {
            self.tell(Message::Input(input));
        }
        self
    }

    /// Keys by name, as slow as fingers; a word in quotes is typed.
    pub fn keys(&mut self, names: &str) -> &mut Desk {
        for name in names.split_whitespace() {
            self.wait(60);
            let input = crate::tui::input::Input::Key(name.parse().expect("a key"));
            self.tell(Message::Input(input));
        }
        self
    }

    pub fn type_text(&mut self, text: &str) -> &mut Desk {
        self.wait(60);
        self.bytes(text.as_bytes()).wait(350)
    }

    pub fn submit(&mut self, text: &str) -> &mut Desk {
        self.type_text(text).keys("enter")
    }

    pub fn wait(&mut self, ms: u64) -> &mut Desk {
        self.now += Duration::from_millis(ms);
        self
    }

    pub fn tick(&mut self) -> &mut Desk {
        self.tell(Message::Tick);
        self
    }

    pub fn event(&mut self, event: Event) -> &mut Desk {
        self.tell(Message::Event(event));
        self
    }

    pub fn phase(&mut self, phase: Phase) -> &mut Desk {
        self.event(Event::SessionChanged(Arc::new(session(phase))))
    }

    /// A tool that runs.
    pub fn tool(&mut self) -> &mut Desk {
        let body = ItemBody::Tool {
            tool_call_id: "c1".into(),
            parent: None,
            tool_name: "std.shell".into(),
            input: serde_json::json!({"command": "sleep 30"}),
            content: vec![],
            details: None,
            status: ToolStatus::Running,
            is_error: false,
            title: "sleep 30".into(),
            took_ms: None,
            rendered: None,
        };
        self.event(Event::ItemStarted(Arc::new(Item { id: "i1".into(), body })))
    }

    /// Answers the last command that went out.
    pub fn reply(&mut self, result: Result<Reply, BackendError>) -> &mut Desk {
        let purpose = self.purposes().pop().expect("a command went out");
        self.tell(Message::Reply(purpose, result));
        self
    }

    pub fn refuse(&mut self, code: Code, message: &str) -> &mut Desk {
        self.reply(Err(BackendError::new(code, message)))
    }

    fn purposes(&self) -> Vec<Purpose> {
        let purpose = |e: &Effect| if let Effect::Send(_, p) = e { Some(p.clone()) } else { None };
        self.sent.iter().filter_map(purpose).collect()
    }

    /// What went out since the last look, as words.
    pub fn sent(&mut self) -> Vec<String> {
        let words = |e: Effect| match e {
            Effect::Send(command, _) => Some(format!("{command:?}")),
            Effect::Remember(_) | Effect::ReadBranch(_) => None,
            other => Some(format!("{other:?}")),
        };
        std::mem::take(&mut self.sent).into_iter().filter_map(words).collect()
    }

    pub fn draft(&self) -> String {
        self.app.editor.text()
    }

    pub fn hint(&self) -> &str {
        self.app.open.hint.as_ref().map_or("", |h| &h.text)
    }

    pub fn screen(&self) -> String {
        crate::tui::view::tests::screen(&self.app, self.columns, 30)
    }
}

pub fn prompt(text: &str) -> String {
    format!("{:?}", Command::Prompt { text: text.into(), images: vec![] })
}

pub fn steer(text: &str) -> String {
    format!("{:?}", Command::Steer { text: text.into() })
}

pub fn summary(id: &str, prompt: &str) -> SessionSummary {
    SessionSummary {
        id: id.into(),
        path: format!("/data/{id}.jsonl").into(),
        name: None,
        first_prompt: Some(prompt.into()),
        cwd: "/work".into(),
        created: SystemTime::UNIX_EPOCH,
        updated: SystemTime::UNIX_EPOCH + Duration::from_secs(id.len() as u64),
        messages: 2,
        model: Some("env:bench".into()),
        size: 2048,
        answered: true,
        locked_by: None,
        damage: None,
        has_children: false,
        branch: None,
        held_here: false,
    }
}

pub fn model(reference: &str) -> ModelListing {
    ModelListing {
        reference: reference.into(),
        name: reference.into(),
        context: 128_000,
        output: 8192,
        images: false,
        thinking: vec![],
        price: None,
        authenticated: true,
        missing: None,
    }
}
