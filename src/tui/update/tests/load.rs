//! What a key costs where there is much to show: bytes that were broken into rows, not time, which a busy machine bends.

use super::*;
use crate::backend::ContentPart;
use crate::conversation::{Part, Status, StopReason};
use crate::tui::text::wrap::{LONGEST, work};

fn item(id: usize, body: ItemBody) -> Arc<Item> {
    Arc::new(Item { id: id.to_string(), body })
}

fn said(id: usize, text: &str) -> Arc<Item> {
    item(id, ItemBody::User { content: vec![ContentPart::Text { text: text.into() }] })
}

fn answered(id: usize, content: ContentPart) -> Arc<Item> {
    let body = ItemBody::Assistant {
        content: vec![content],
        status: Status::Complete,
        stop_reason: Some(StopReason::Stop),
        model: "env:bench".into(),
        usage: None,
        error: None,
        title: None,
    };
    item(id, body)
}

fn ran(id: usize, output: &str, is_error: bool) -> Arc<Item> {
    let body = ItemBody::Tool {
        tool_call_id: id.to_string(),
        parent: None,
        tool_name: "std.shell".into(),
        input: serde_json::json!({"command": "x"}),
        content: vec![Part::text(output)],
        details: Some(serde_json::json!({"exit_code": 0})),
        status: ToolStatus::Complete,
        is_error,
        title: "Ran x".into(),
        took_ms: None,
        rendered: None,
    };
    item(id, body)
}

fn over(transcript: Vec<Arc<Item>>) -> Desk {
    let mut desk = Desk::new();
    desk.event(Event::SessionOpened(Arc::new(Session { transcript, ..session(Phase::Idle) })));
    desk
}

#[test]
fn t21_a_key_over_12000_entries_and_50_mb_lays_out_the_editor_alone() {
    let text = "Some words of an answer, with `code` and more of them.\n\n".repeat(75);
    let items = (0..12_000).map(|n| match n % 3 {
        0 => said(n, "a prompt"),
        1 => answered(n, ContentPart::Text { text: text.clone() }),
        _ => ran(n, &text.repeat(2), false),
    });
    let mut desk = over(items.collect());
    for key in "fifty keys that are typed over a session so long".chars() {
        let bytes = work::of(|| _ = desk.bytes(key.to_string().as_bytes()));
        assert!(bytes < 2_000, "{key:?} costs {bytes} bytes");
    }
    let bytes = work::of(|| _ = desk.keys("pgup pgup end"));
    assert!(bytes < 200_000, "three pages cost {bytes} bytes");
}

#[test]
fn a_line_of_16_mb_is_cut_in_whatever_it_comes() {
    let line = "0123456789abcde ".repeat(1_000_000);
    let thinking = ContentPart::Thinking { text: line.clone(), took_ms: None };
    let answer = ContentPart::Text { text: line.clone() };
    let items = [said(1, &line), answered(2, thinking), answered(3, answer), ran(4, &line, false), ran(5, &line, true)];
    for shown in items {
        let mut desk = over(vec![]);
        let keys = "ctrl-t ctrl-t pgup pgdn x";
        let bytes = work::of(|| _ = desk.event(Event::ItemFinished(shown.clone())).keys(keys));
        assert!(bytes < 6 * LONGEST, "{}: {bytes}", shown.id);
    }
}
