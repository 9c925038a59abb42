//! Transcripts to draw: items of every kind, sessions of any length, and what a pane shows of them.

use panto::{
    backend::{ContentPart, Delta, DeltaKind, Event, Item, ItemBody, Phase, Session, ToolStatus},
    config::ThinkingView,
    conversation::{Part, Status, StopReason, Thinking, Usage},
    tui::{
        app::transcript::{Settings, Transcript},
        text::Ambiguous,
        theme::{ColorDepth, Theme, Themes},
        view,
    },
};
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};

/// A session with these items, idle.
pub fn session(transcript: Vec<Arc<Item>>) -> Session {
    Session {
        id: "s".into(),
        name: None,
        cwd: "/work".into(),
        created_at: String::new(),
        updated_at: String::new(),
        phase: Phase::Idle,
        model: "faux:demo".into(),
        thinking: Thinking::Medium,
        thinking_levels: vec![],
        context_window: 0,
        context_used: 0,
        attached: true,
        locked: false,
        read_only: false,
        epoch: 0,
        revision: 0,
        transcript,
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
        mode: panto::backend::Mode::Auto,
        unheld: false,
        busy_since: None,
    }
}

pub fn text(text: &str) -> ContentPart {
    ContentPart::Text { text: text.into() }
}

pub fn user(id: &str, words: &str) -> Arc<Item> {
    Arc::new(Item { id: id.into(), body: ItemBody::User { content: vec![text(words)] } })
}

pub fn assistant(id: &str, status: Status, content: Vec<ContentPart>) -> Arc<Item> {
    let stop_reason = (status == Status::Complete).then_some(StopReason::Stop);
    let model = "faux:demo".into();
    let body = ItemBody::Assistant { content, status, stop_reason, model, usage: None, error: None, title: None };
    Arc::new(Item { id: id.into(), body })
}

pub fn answer(id: &str, words: &str) -> Arc<Item> {
    assistant(id, Status::Complete, vec![text(words)])
}

/// A call of the shell that has ended.
pub fn shell(id: &str, title: &str, output: &str) -> Arc<Item> {
    tool(id, title, output, false, Some(json!({"exit_code": 0})))
}

pub fn tool(id: &str, title: &str, output: &str, is_error: bool, details: Option<Value>) -> Arc<Item> {
    let status = if is_error { ToolStatus::Error } else { ToolStatus::Complete };
    tool_item(id, title, vec![Part::text(output)], status, details)
}

pub fn running(id: &str, title: &str) -> Arc<Item> {
    tool_item(id, title, vec![], ToolStatus::Running, None)
}

fn tool_item(id: &str, title: &str, content: Vec<Part>, status: ToolStatus, details: Option<Value>) -> Arc<Item> {
    let body = ItemBody::Tool {
        tool_call_id: format!("call-{id}"),
        parent: None,
        tool_name: "std.shell".into(),
        input: json!({}),
        content,
        details,
        status,
        is_error: status == ToolStatus::Error,
        title: title.into(),
        took_ms: (status != ToolStatus::Running).then_some(3_240),
        rendered: None,
    };
    Arc::new(Item { id: id.into(), body })
}

pub fn delta(item_id: &str, index: usize, kind: DeltaKind, words: &str) -> Event {
    Event::AssistantDelta(Delta { item_id: item_id.into(), index, kind, delta: words.into() })
}

/// A session of so many items: prompts, answers with code, calls with output.
pub fn long_session(items: usize) -> Session {
    let item = |i: usize| {
        let id = format!("i{i}");
        match i % 4 {
            0 => user(&id, &format!("prompt {i}: please look at part {i} of the program")),
            1 => answer(
                &id,
                &format!("## Part {i}\n\nIt is *here*:\n\n```rust\nfn part_{i}() -> usize {{ {i} }}\n```\n"),
            ),
            2 => shell(
                &id,
                &format!("Running check {i}"),
                &(0..i % 30).map(|n| format!("{i}: row {n}\n")).collect::<String>(),
            ),
            _ => answer(&id, &format!("Part {i} is as it should be, and so are all the others that I have looked at.")),
        }
    };
    session((0..items).map(item).collect())
}

/// A pane of the program.
pub struct Pane {
    pub transcript: Transcript,
    pub theme: Theme,
    pub now: Instant,
    pub size: (u16, u16),
}

impl Pane {
    pub fn new(width: u16, height: u16) -> Self {
        let settings = Settings { tool_lines: 8, thinking: ThinkingView::Live, ambiguous_width: 1, motion: false };
        let theme = Themes::shipped().load("dark", ColorDepth::True).expect("the dark theme ships");
        Pane { transcript: Transcript::new(settings), theme, now: Instant::now(), size: (width, height) }
    }

    pub fn of(width: u16, height: u16, items: Vec<Arc<Item>>) -> Self {
        let mut pane = Pane::new(width, height);
        pane.transcript.open(&session(items));
        pane
    }

    pub fn apply(&mut self, event: Event) -> bool {
        self.transcript.apply(&event)
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    pub fn draw(&mut self) -> Buffer {
        let (width, height) = self.size;
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        self.transcript.prepare(width, height, &self.theme, self.now);
        view::transcript::draw(&self.transcript, area, &mut buffer, &self.theme, &[]);
        buffer
    }

    /// The rows on screen, without the blanks at their ends.
    pub fn rows(&mut self) -> Vec<String> {
        rows(&self.draw())
    }

    /// The rows on screen as one text, without empty rows at the end.
    pub fn screen(&mut self) -> String {
        self.rows().join("\n").trim_end().to_owned()
    }
}

pub fn rows(buffer: &Buffer) -> Vec<String> {
    let row = |y| {
        let (mut text, mut x) = (String::new(), 0);
        while x < buffer.area.width {
            let cell = buffer[(x, y)].symbol();
            text.push_str(cell);
            x += Ambiguous::Narrow.width(cell).max(1) as u16;
        }
        text.trim_end().to_owned()
    };
    (0..buffer.area.height).map(row).collect()
}
