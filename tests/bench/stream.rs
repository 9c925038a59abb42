//! 20,000 tokens of Markdown with code, from the bytes of the server to the rows on the screen.
//!
//! `cargo bench --bench stream`: tokens per second of the decoder alone and of decoder, transcript and layout together
//! (a frame every 50 tokens, as when a server sends as fast as it can).

use divan::{Bencher, black_box, counter::ItemsCount};
use panto::{
    backend::{Delta, DeltaKind, Event, Item, ItemBody},
    config::{Dialect, Options},
    conversation::{ModelRef, Status},
    provider::{ModelSpec, StreamEvent, dialect},
    sse,
    tui::{
        app::transcript::{Settings, Transcript},
        theme::{ColorDepth, Themes},
        view,
    },
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{sync::Arc, time::Instant};

fn main() {
    divan::main();
}

const TOKENS: usize = 20_000;
const FRAME: usize = 50;

/// A token of some four characters, from prose, lists, tables and code.
fn token(n: usize) -> String {
    const PROSE: [&str; 8] = ["The ", "quick ", "**brown** ", "fox ", "`jumps` ", "over ", "it.", "\n\n"];
    const CODE: [&str; 8] = ["let ", "x", " = ", "call", "(1", ");\n", "// so", "\n"];
    match n % 200 {
        100 => "```rust\n".into(),
        150 => "```\n\n".into(),
        101..150 => CODE[n % 8].into(),
        160..176 if n.is_multiple_of(4) => "\n- item ".into(),
        180..196 if n.is_multiple_of(4) => "\n| a | b |".into(),
        _ => PROSE[n % 8].into(),
    }
}

fn body(dialect: Dialect) -> Vec<u8> {
    let mut body = String::new();
    if dialect == Dialect::AnthropicMessages {
        body.push_str("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n");
        body.push_str("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
    }
    for n in 0..TOKENS {
        let text = serde_json::Value::String(token(n));
        body.push_str(&match dialect {
            Dialect::OpenaiChat => format!(
                "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}\n\n"
            ),
            Dialect::OpenaiResponses => format!(
                "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{n},\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":{text}}}\n\n"
            ),
            Dialect::AnthropicMessages => format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n"
            ),
        });
    }
    body.into_bytes()
}

fn decode(dialect: Dialect, body: &[u8], mut on: impl FnMut(StreamEvent)) {
    let mut decoder = dialect::decoder(dialect, &ModelSpec::unknown(ModelRef::new("bench", "m")));
    let (mut lines, mut out) = (sse::Decoder::new(), Vec::new());
    for chunk in body.chunks(16 << 10) {
        lines.feed(chunk, &mut |event| decoder.event(event, &mut out)).expect("events are small");
        out.drain(..).for_each(&mut on);
    }
    decoder.finish(&mut out);
    out.drain(..).for_each(on);
}

const DIALECTS: [&str; 3] = ["openai_chat", "openai_responses", "anthropic_messages"];

#[divan::bench(args = DIALECTS)]
fn decoder(bencher: Bencher, name: &str) {
    let dialect: Dialect = name.parse().expect("a dialect");
    let body = body(dialect);
    bencher.counter(ItemsCount::new(TOKENS)).bench_local(|| {
        let mut deltas = 0;
        decode(dialect, &body, |e| deltas += usize::from(matches!(e, StreamEvent::Delta { .. })));
        assert!(deltas > TOKENS / 2);
    });
}

/// The same JSON read by serde_json alone, for the ratio.
#[divan::bench(args = DIALECTS)]
fn json_alone(bencher: Bencher, name: &str) {
    let body = body(name.parse().expect("a dialect"));
    let events: Vec<&[u8]> = body.split(|b| *b == b'\n').filter_map(|l| l.strip_prefix(b"data: ")).collect();
    bencher.counter(ItemsCount::new(TOKENS)).bench_local(|| {
        for event in &events {
            black_box(serde_json::from_slice::<serde_json::Value>(event).expect("JSON"));
        }
    });
}

#[divan::bench(args = DIALECTS)]
fn to_the_screen(bencher: Bencher, name: &str) {
    let dialect: Dialect = name.parse().expect("a dialect");
    let body = body(dialect);
    let theme = Themes::shipped().load("dark", ColorDepth::True).expect("a shipped theme");
    let mut buffer = Buffer::empty(Rect::new(0, 0, 160, 48));
    bencher.counter(ItemsCount::new(TOKENS)).bench_local(|| {
        let mut transcript = Transcript::new(Settings::from(&Options::default().tui));
        transcript.apply(&Event::ItemStarted(Arc::new(streaming())));
        let mut tokens = 0;
        decode(dialect, &body, |event| {
            let StreamEvent::Delta { index, text } = event else { return };
            let delta = Delta { item_id: "live".into(), index, kind: DeltaKind::Text, delta: text };
            transcript.apply(&Event::AssistantDelta(delta));
            tokens += 1;
            if tokens % FRAME == 0 {
                transcript.prepare(160, 48, &theme, Instant::now());
                buffer.reset();
                view::transcript::draw(&transcript, buffer.area, &mut buffer, &theme, &[]);
            }
        });
        black_box(&buffer);
    });
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
