//! The palette and the keys page: what they list, and what a row leads to.

use super::*;
use crate::backend::{Command, Reply};
use crate::config::Settings;
use crate::tui::input::{Answer, Input};
use crate::tui::keymap::Keymap;

/// The palette with all that it asks for.
fn palette() -> Desk {
    let mut d = Desk::new();
    d.keys("ctrl-p");
    let sent = d.sent();
    assert!(sent.contains(&"ReadSettings".into()) && sent.contains(&format!("{:?}", Command::ListModels)), "{sent:?}");
    d.tell(Message::Reply(Purpose::PaletteModels, Ok(Reply::Models(vec![model("openai:gpt-5")]))));
    let rows = vec![summary("0200", "mend the parser"), summary("0199", "this one")];
    d.tell(Message::Reply(Purpose::PaletteSessions, Ok(Reply::Sessions(rows))));
    let nowhere = std::path::PathBuf::from("/nonexistent");
    let paths = Paths { data: nowhere.clone(), config: nowhere, home: None };
    d.tell(Message::Settings(Settings::of_user(&paths).rows().map_err(|e| e.to_string())));
    d
}

#[test]
fn everything_is_found_by_its_name_with_its_key() {
    for (query, label, detail) in [
        ("toggle-mouse", "toggle-mouse", "Ctrl-X m     mouse on or off"),
        ("/model", "/model", "Alt-M        choose a model"),
        ("gpt-5", "model: openai:gpt-5", ""),
        ("parser", "session: mend the parser", "2 messages"),
        ("theme: dracula", "theme: dracula", ""),
        ("mode: plan", "mode: plan", "only look"),
        ("thinking: high", "thinking: high", ""),
        ("tool_lines", "setting: tui.tool_lines", "8 · lines of a folded tool output"),
    ] {
        let mut d = palette();
        d.type_text(query);
        let screen = d.screen();
        let row = screen.lines().nth(2).unwrap_or_default();
        assert!(row.contains(label) && row.contains(detail), "{query}: {row}\n{screen}");
    }
    assert!(!palette().type_text("this one").screen().contains("session: this one"), "it is open");
}

#[test]
fn a_row_does_what_it_says() {
    let sent = |query: &str| palette().submit(query).sent();
    assert_eq!(sent("mode: plan"), ["SetMode { mode: Plan }"]);
    assert_eq!(sent("gpt-5"), ["SetModel { model: \"openai:gpt-5\" }"]);
    assert_eq!(sent("parser"), ["Open { target: Path(\"/data/0200.jsonl\"), mode: Write }"]);
    assert_eq!(sent("toggle-mouse"), ["Mouse(false)"]);
    assert_eq!(sent("tool_lines"), ["ReadSettings"]);
}

/// With a keymap of the user's.
fn with_keys(text: &str) -> Desk {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("keymap.toml"), text).expect("written");
    let paths = Paths { config: folder.path().into(), ..setup().paths };
    Desk::with(Setup { paths, ..setup() })
}

#[test]
fn what_is_wrong_with_a_keymap_is_one_notice_and_on_the_keys_page() {
    let mut d = with_keys("[main]\n\"ctrl-t\" = \"qiut\"\n\"shift-1\" = \"quit\"\n\"ctrl-i\" = \"redraw\"\n");
    let screen = d.screen();
    for part in ["keymap.toml:2: `qiut` is not an action", "keymap.toml:3: `shift-1`", "/keys lists what is wrong"] {
        assert!(screen.contains(part), "{screen}");
    }
    assert!(!screen.contains("ctrl-i"), "the terminal has not said yet what it can do");
    d.keys("?");
    let screen = d.screen();
    for part in ["! keymap.toml:2", "! keymap.toml:3", "! keymap.toml:4"] {
        assert!(screen.contains(part), "{screen}");
    }
    assert!(d.keys("esc").screen().contains("most terminals send it as tab"), "{}", d.screen());
}

#[test]
fn a_terminal_that_tells_all_keys_apart_is_not_doubted() {
    let mut d = with_keys("[main]\n\"ctrl-i\" = \"redraw\"\n");
    d.tell(Message::Input(Input::Answer(Answer::KeyboardFlags(0))));
    assert!(!d.keys("?").screen().contains("! keymap.toml"), "{}", d.screen());
    assert!(!d.keys("esc").screen().contains("most terminals"), "{}", d.screen());
}

#[test]
fn the_keys_page_has_every_action() {
    let mut d = Desk::new();
    d.keys("?");
    let rows = d.app.open.picker.as_ref().map_or(0, |p| p.list.len());
    assert!(rows >= crate::tui::action::Action::ALL.len() && Keymap::shipped().complaints().is_empty());
    d.type_text("theme-picker");
    assert!(d.screen().contains("–              theme-picker"), "{}", d.screen());
}
