//! One frame while an answer streams, with 100 and with 10,000 blocks in the transcript: the two must be alike.
//!
//! `cargo bench --bench frame`

use divan::{Bencher, black_box};
use panto::{
    backend::{ContentPart, Delta, DeltaKind, Event, Item, ItemBody, ToolStatus},
    conversation::{Part, Status},
    tui::{
        app::transcript::{Settings, Transcript},
        theme::{ColorDepth, Theme, Themes},
        view,
    },
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{sync::Arc, time::Instant};

fn main() {
    divan::main();
}

const SIZE: (u16, u16) = (160, 48);

fn item(n: usize) -> Item {
    let body = match n % 3 {
        0 => ItemBody::User { content: vec![ContentPart::Text { text: format!("prompt number {n}, in a few words") }] },
        1 => ItemBody::Assistant {
            content: vec![ContentPart::Text {
                text: format!("Answer {n} with **emphasis**, a list:\n\n- one\n- two\n\n```rust\nlet x = {n};\n```\n"),
            }],
            status: Status::Complete,
            stop_reason: None,
            model: "bench:m".into(),
            usage: None,
            error: None,
            title: None,
        },
        _ => ItemBody::Tool {
            tool_call_id: n.to_string(),
            parent: None,
            tool_name: "std.shell".into(),
            input: serde_json::json!({"command": "seq 100"}),
            content: vec![Part::text((0..100).map(|i| format!("{i}\n")).collect::<String>())],
            details: None,
            status: ToolStatus::Complete,
            is_error: false,
            title: "Ran seq 100".into(),
            took_ms: Some(12),
            rendered: None,
        },
    };
    Item { id: n.to_string(), body }
}

fn streaming() -> Item {
    let body = ItemBody::Assistant {
        content: vec![],
        status: Status::Streaming,
        stop_reason: None,
        model: "bench:m".into(),
        usage: None,
        error: None,
        title: None,
    };
    Item { id: "live".into(), body }
}

struct Stage {
    transcript: Transcript,
    theme: Theme,
    buffer: Buffer,
    token: usize,
}

impl Stage {
    fn new(blocks: usize) -> Self {
        let settings = Settings::from(&panto::config::Options::default().tui);
        let mut transcript = Transcript::new(settings);
        for n in 0..blocks {
            transcript.apply(&Event::ItemFinished(Arc::new(item(n))));
        }
        transcript.apply(&Event::ItemStarted(Arc::new(streaming())));
        let theme = Themes::shipped().load("dark", ColorDepth::True).expect("a shipped theme");
        let mut stage = Stage { transcript, theme, buffer: Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)), token: 0 };
        stage.frame();
        stage
    }

    fn frame(&mut self) {
        const WORDS: [&str; 6] = ["some ", "words of ", "an *answer* ", "that streams,\n", "`code` ", "and so on.\n\n"];
        let delta = WORDS[self.token % WORDS.len()].to_owned();
        self.token += 1;
        let delta = Delta { item_id: "live".into(), index: 0, kind: DeltaKind::Text, delta };
        self.transcript.apply(&Event::AssistantDelta(delta));
        self.transcript.prepare(SIZE.0, SIZE.1, &self.theme, Instant::now());
        self.buffer.reset();
        view::transcript::draw(&self.transcript, self.buffer.area, &mut self.buffer, &self.theme, &[]);
        black_box(&self.buffer);
    }
}

/// Prints the medians; the README's ratio is the second row by the first.
#[divan::bench(args = [100, 10_000], sample_count = 200, sample_size = 10)]
fn streaming_frame(bencher: Bencher, blocks: usize) {
    let mut stage = Stage::new(blocks);
    bencher.bench_local(|| stage.frame());
}
