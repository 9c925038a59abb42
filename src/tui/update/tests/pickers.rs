//! Pickers.

use super::*;
use crate::backend::FilePreview;
use crate::tui::keymap::Context;

fn three() -> Reply {
    Reply::Sessions(vec![
        summary("a", "ask about APPLE"),
        summary("bb", "ask about BANANA"),
        summary("ccc", "ask about CHERRY"),
    ])
}

fn picking() -> Desk {
    let mut d = Desk::new();
    d.submit("/resume").reply(Ok(three()));
    d
}

#[test]
fn sessions_are_listed_filtered_and_opened() {
    let mut d = picking();
    assert_eq!(d.sent()[0], "ListSessions { scope: Here, query: None }");
    assert!(d.screen().contains("APPLE") && d.screen().contains("CHERRY"));
    d.type_text("BANANA");
    assert!(d.screen().contains("BANANA") && !d.screen().contains("CHERRY"));
    assert!(d.sent().contains(&"ListSessions { scope: Here, query: Some(\"BANANA\") }".to_owned()));
    d.keys("enter");
    assert_eq!(d.sent(), ["Open { target: Path(\"/data/bb.jsonl\"), mode: Write }"]);
    assert_eq!(d.app.context(), Context::Main);
}

#[test]
fn rows_whose_contents_match_stay() {
    let mut d = picking();
    d.type_text("needle");
    assert!(!d.screen().contains("CHERRY"));
    let purpose = Purpose::Found("needle".into());
    let rows = vec![summary("ccc", "ask about CHERRY")];
    d.tell(Message::Reply(purpose, Ok(Reply::Sessions(rows))));
    assert!(d.screen().contains("CHERRY") && !d.screen().contains("APPLE"));
    d.tell(Message::Reply(Purpose::Found("older".into()), Ok(Reply::Sessions(vec![]))));
    assert!(d.screen().contains("CHERRY"), "a stale answer changes nothing");
}

#[test]
fn the_marked_session_is_previewed() {
    let mut d = picking();
    assert!(d.sent().iter().any(|s| s.contains("PreviewSession") && s.contains("ccc")), "the newest first");
    let preview =
        FilePreview { exchange: vec![("you".into(), "what is it".into()), ("panto".into(), "a fruit".into())] };
    d.tell(Message::Reply(Purpose::Preview("/data/ccc.jsonl".into()), Ok(Reply::Preview(preview))));
    assert!(d.screen().contains("a fruit"));
    d.keys("ctrl-t");
    assert!(!d.screen().contains("a fruit"));
}

#[test]
fn rename_delete_sort_scope() {
    let mut d = picking();
    d.sent();
    d.keys("ctrl-r").type_text("Blue").keys("enter");
    assert_eq!(d.sent(), ["RenameSession { path: \"/data/ccc.jsonl\", name: \"Blue\" }"]);
    d.keys("ctrl-d");
    assert!(d.screen().contains("delete it?"));
    assert_eq!(d.keys("n").sent(), Vec::<String>::new());
    assert_eq!(d.keys("ctrl-d y").sent(), ["DeleteSession { path: \"/data/ccc.jsonl\" }"]);
    assert!(d.keys("ctrl-s").screen().contains("by created"));
    d.sent();
    assert_eq!(d.keys("tab").sent(), ["ListSessions { scope: Repository, query: None }"]);
    assert_eq!(d.keys("ctrl-f").sent(), ["Open { target: Path(\"/data/ccc.jsonl\"), mode: Fork }"]);
}

#[test]
fn escape_closes_the_picker_and_not_the_turn() {
    let mut d = Desk::new();
    d.phase(Phase::Turn).keys("alt-m").reply(Ok(Reply::Models(vec![model("env:bench"), model("faux:demo")])));
    assert!(d.screen().contains("env:bench"));
    d.sent();
    assert_eq!(d.keys("esc").sent(), Vec::<String>::new());
    assert_eq!(d.keys("esc").sent(), ["Abort"]);
}

#[test]
fn models_and_levels_are_chosen() {
    let mut d = Desk::new();
    d.submit("/model").reply(Ok(Reply::Models(vec![model("env:bench"), model("faux:demo")]))).sent();
    assert_eq!(d.keys("d e m enter").sent(), ["SetModel { model: \"faux:demo\" }"]);
    d.submit("/thinking");
    assert_eq!(d.keys("down enter").sent(), ["SetThinking { level: High }"]);
}

#[test]
fn themes_are_tried_on_and_taken_back() {
    let mut d = Desk::new();
    let before = d.app.look.theme.name().to_owned();
    d.submit("/theme").type_text("light");
    assert_eq!(d.app.look.theme.name(), "light");
    d.keys("esc");
    assert_eq!(d.app.look.theme.name(), before);
    d.submit("/theme").type_text("light").keys("enter");
    assert_eq!((d.app.look.theme.name(), d.app.open.picker.is_none()), ("light", true));
}

#[test]
fn the_terminals_background_decides_about_auto() {
    let mut d = Desk::new();
    d.bytes(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    assert_eq!(d.app.look.theme.name(), "light");
    d.bytes(b"\x1b]11;rgb:0/0/0\x1b\\");
    assert_eq!(d.app.look.theme.name(), "dark");
    d.submit("/theme dark").bytes(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    assert_eq!(d.app.look.theme.name(), "dark");
    assert_eq!(d.draft(), "", "an answer is never typed");
}

#[test]
fn the_keys_page_shows_the_keymap() {
    let mut d = Desk::new();
    d.keys("?");
    let screen = d.screen();
    for key in ["ctrl-t", "ctrl-o", "alt-m"] {
        assert!(screen.contains(key), "{key} is not on:\n{screen}");
    }
    d.keys("esc");
    assert!(!d.screen().contains("ctrl-o"));
}

#[test]
fn the_palette_runs_actions_and_commands() {
    let mut d = Desk::new();
    d.keys("ctrl-p").type_text("/new").keys("enter");
    assert_eq!(d.sent(), ["New"]);
    d.keys("ctrl-p").type_text("toggle-mouse").keys("enter");
    assert_eq!(d.sent(), ["Mouse(false)"]);
}

#[test]
fn the_prompt_history_is_searched() {
    let mut d = Desk::new();
    d.tell(Message::History(vec!["remember the crocodile".into(), "other".into()]));
    d.keys("ctrl-r").type_text("croco");
    assert!(!d.screen().contains("other"));
    d.keys("enter");
    assert_eq!(d.draft(), "remember the crocodile");
    d.keys("ctrl-u ctrl-r").bytes(b"oth\r");
    assert_eq!(d.draft(), "other", "typed ahead of a slow machine");
}

#[test]
fn sequences() {
    let mut d = Desk::new();
    assert_eq!(d.keys("ctrl-x m").sent(), ["Mouse(false)"]);
    assert!(d.keys("ctrl-x").screen().contains("ctrl-x …"));
    d.keys("q");
    assert_eq!(d.draft(), "", "a sequence that means nothing types nothing");
}

#[test]
fn the_picker_of_the_command_line() {
    let mut d = Desk::with(Setup { start: Start::Picker, ..setup() });
    assert_eq!(d.sent(), ["ListSessions { scope: Here, query: None }"]);
    d.keys("esc");
    assert_eq!(d.app.context(), Context::Main);
}
