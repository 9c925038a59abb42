//! The format of a line.

use super::*;
use panto::{
    conversation::{Block, Extra, Part},
    session::{Header, load},
};
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = EntryKind> {
    let text = || any::<String>();
    let block = prop_oneof![
        text().prop_map(Block::text),
        (text(), proptest::option::of(text())).prop_map(|(t, s)| Block::thinking(t, s)),
        (text(), text()).prop_map(|(id, x)| Block::tool_use(id, "std.shell", json!({"command": x}))),
        (text(), text(), any::<bool>()).prop_map(|(id, x, e)| Block::tool_result(id, vec![Part::text(x)], e)),
        text().prop_map(|d| Block::Thinking {
            text: String::new(),
            signature: None,
            redacted: Some(d),
            extra: Extra::new()
        }),
    ];
    let blocks = || proptest::collection::vec(block.clone(), 0..4);
    prop_oneof![
        blocks().prop_map(|b| EntryKind::Message(Message::assistant(b))),
        text().prop_map(|model| EntryKind::ModelChange { model }),
        text().prop_map(|level| EntryKind::ThinkingChange { level }),
        (proptest::option::of(text()), proptest::option::of(proptest::collection::btree_map(text(), text(), 0..3)))
            .prop_map(|(name, labels)| EntryKind::SessionInfo { name, labels }),
        (text(), proptest::option::of(text()), proptest::option::of(any::<u64>())).prop_map(
            |(summary, first_kept_id, tokens_before)| EntryKind::Compaction { summary, first_kept_id, tokens_before }
        ),
        text().prop_map(|summary| EntryKind::BranchSummary { summary, from_id: None }),
        text().prop_map(|target_id| EntryKind::Leaf { target_id }),
        (text(), text()).prop_map(|(name, d)| EntryKind::Custom { name, data: json!({"deep": [d, null, 1.5]}) }),
        (text(), blocks()).prop_map(|(name, blocks)| EntryKind::CustomMessage { name, blocks }),
        "x_[a-z]{1,8}".prop_map(|kind| EntryKind::Unknown { kind }),
    ]
}

proptest! {
    #[test]
    fn an_entry_is_one_line_and_comes_back(kind in kind(), parent in proptest::option::of("[a-z0-9-]{1,9}"), note in any::<String>()) {
        let mut entry = Entry::new(kind);
        entry.parent_id = parent;
        entry.extra.insert("from_the_future".into(), json!({"note": note}));
        let line = serde_json::to_string(&entry).unwrap();
        prop_assert!(!line.contains('\n'));
        let back: Entry = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(&back, &entry);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), line);
    }
}

#[test]
fn fields_have_the_names_of_the_design() {
    let line = |kind| {
        let mut value = serde_json::to_value(Entry::with_id("i", kind)).unwrap();
        value.as_object_mut().unwrap().remove("timestamp");
        value.to_string()
    };
    assert_eq!(
        line(EntryKind::Message(Message::user("hi"))),
        r#"{"type":"message","id":"i","parent_id":null,"message":{"role":"user","blocks":[{"type":"text","text":"hi"}]}}"#
    );
    assert_eq!(
        line(EntryKind::Leaf { target_id: "t".into() }),
        r#"{"type":"leaf","id":"i","parent_id":null,"target_id":"t"}"#
    );
    assert_eq!(
        line(EntryKind::SessionInfo { name: Some("n".into()), labels: None }),
        r#"{"type":"session_info","id":"i","parent_id":null,"name":"n"}"#
    );
    let header = serde_json::to_value(Header::new(Path::new("/x"), Some("p".into()))).unwrap();
    let keys: Vec<&str> = header.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["type", "version", "id", "timestamp", "cwd", "parent"]);
    assert_eq!((&header["type"], &header["version"]), (&json!("session"), &json!(1)));
}

#[test]
fn signatures_and_unknown_provider_fields_come_back_byte_for_byte() {
    let line = r#"{"type":"message","id":"i","parent_id":null,"timestamp":"t","message":{"role":"assistant","blocks":[{"type":"thinking","text":"é \u0007","signature":"SIG+/==","encrypted_content":"gAAA="},{"type":"thinking","text":"","redacted":"DATA=="},{"type":"future","x":[1,2.50]},{"type":"tool_use","id":"c","name":"n","input":{"b":1,"a":2}}],"extra":{"reasoning_details":[{"format":"x"}]}},"more":1}"#;
    let entry: Entry = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&entry).unwrap(), line.replace("2.50", "2.5"));
}

#[test]
fn r12_model_and_level_come_from_the_active_branch() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let add = |lines: &str| {
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, before + lines).unwrap();
        load(&path).unwrap()
    };
    assert_eq!(load(&path).unwrap().model.as_deref(), Some("env:bench"));
    let loaded = add(concat!(
        r#"{"type":"model_change","id":"m","parent_id":"e1","timestamp":"t","model":"b:model"}"#,
        "\n",
        r#"{"type":"thinking_change","id":"t","parent_id":"m","timestamp":"t","level":"high"}"#,
        "\n"
    ));
    assert_eq!((loaded.model.as_deref(), loaded.thinking.as_deref()), (Some("b:model"), Some("high")));
    let loaded =
        add("{\"type\":\"leaf\",\"id\":\"l\",\"parent_id\":\"e1\",\"timestamp\":\"t\",\"target_id\":\"e1\"}\n");
    assert_eq!((loaded.model.as_deref(), loaded.thinking), (Some("env:bench"), None));
}

#[test]
fn r11_a_model_that_is_gone_is_still_named() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let text = fs::read_to_string(&path).unwrap().replace("env:bench", "gone/model-x");
    fs::write(&path, text).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.model.as_deref(), Some("gone/model-x"));
    assert_eq!(said(&loaded), ["Q", "A"]);
}

#[test]
fn a_compaction_stands_for_what_came_before() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1", "Q2", "A2"]);
    let compaction =
        r#"{"type":"compaction","id":"c","parent_id":"e3","timestamp":"t","summary":"SUMMARY","first_kept_id":"e2"}"#;
    fs::write(&path, fs::read_to_string(&path).unwrap() + compaction + "\n").unwrap();
    let loaded = load(&path).unwrap();
    let texts = said(&loaded);
    assert!(texts[0].contains("SUMMARY"), "{texts:?}");
    assert_eq!(texts[1..], ["Q2", "A2"]);
    assert_eq!(shown(&loaded), ["Q1", "A1", "Q2", "A2"]);
}
