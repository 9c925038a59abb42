//! `panto doctor --history`: what a strict server would say about a session.

use crate::support::World;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A session file with these messages on one branch.
fn session(world: &World, messages: &[Value]) -> PathBuf {
    let at = "2025-01-02T03:04:05.678Z";
    let id = "0198d000-0000-7000-8000-00000000000d";
    let mut lines = vec![json!({"type": "session", "version": 1, "id": id, "timestamp": at, "cwd": world.project()})];
    for (n, message) in messages.iter().enumerate() {
        let parent = n.checked_sub(1).map(|n| format!("e{n}"));
        lines.push(
            json!({"type": "message", "id": format!("e{n}"), "parent_id": parent, "timestamp": at, "message": message}),
        );
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    world.write(format!("2025-01-02T03-04-05-678Z_{id}.jsonl"), &text)
}

fn user(blocks: Value) -> Value {
    json!({"role": "user", "blocks": blocks})
}

#[test]
fn h02_a_damaged_session_is_mended_and_fine() {
    let world = World::new();
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "std.shell", "input": {"command": "ls"}});
    let assistant = json!({"role": "assistant", "model": "env:bench", "blocks": [{"type": "text", "text": " "}, call("a"), call("b")]});
    let lost = json!({"type": "tool_result", "tool_use_id": "nowhere", "content": [], "is_error": false});
    let result = json!({"type": "tool_result", "tool_use_id": "b", "content": [], "is_error": false});
    let path = session(&world, &[user(json!([{"type": "text", "text": "q"}])), assistant, user(json!([result, lost]))]);
    let ran = world.run(&["doctor", "--history", &path.display().to_string()]).ok();
    for told in [
        "3 messages on its branch",
        "1 call without a result: a synthetic one is sent",
        "1 result without its call: left out",
        "1 text with nothing to read: left out",
        "env:bench",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    for dialect in ["anthropic", "chat", "responses"] {
        let line = ran.out.lines().find(|line| line.trim_start().starts_with(dialect)).expect("a line");
        assert!(line.ends_with("1 kB, as strict servers want it"), "{line}");
    }
}

#[test]
fn what_would_be_refused_is_told_with_exit_code_1() {
    let world = World::new();
    let picture = json!({"type": "image", "mime": "image/png", "data": "A".repeat(5 << 20)});
    let path = session(&world, &[user(Value::Array(vec![picture; 7]))]);
    let ran = world.run(&["doctor", "--history", &path.display().to_string()]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("✗ anthropic    the body: has 35 MiB, more than 32"), "{}", ran.out);
    assert!(ran.err.contains("refuse"), "{}", ran.err);
}

#[test]
fn a_session_that_is_not_there() {
    let ran = World::new().run(&["doctor", "--history", "nothing"]);
    assert!(ran.code == 1 && ran.err.contains("panto sessions list"), "{ran:?}");
}
