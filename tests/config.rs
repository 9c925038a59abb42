//! Configuration from outside: data files load, mistakes are told with file and line.

use crate::support::World;
use panto::{
    config::TrustFile,
    tui::{
        keymap::Keymap,
        theme::{ColorDepth, Themes},
    },
};
use std::{fs, path::Path};

fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<_> = ignore::WalkBuilder::new(root)
        .build()
        .flatten()
        .filter(|f| f.path().extension().is_some_and(|e| e == ending))
        .map(|f| (f.path().display().to_string(), fs::read_to_string(f.path()).expect("text")))
        .collect();
    found.sort();
    found
}

#[test]
fn every_data_file_is_toml() {
    let all: Vec<_> = ["assets", "themes"].into_iter().flat_map(|folder| files(folder, "toml")).collect();
    assert!(!all.is_empty());
    for (path, text) in all {
        assert!(toml::from_str::<toml::Table>(&text).is_ok(), "{path}: {:?}", toml::from_str::<toml::Table>(&text));
    }
}

#[test]
fn a_broken_configuration_ends_every_face_with_code_3_and_a_message() {
    let table = [
        ("[extensions]\n\npathz = []\n", "config.toml:3: unknown key `extensions.pathz`; did you mean `paths`?"),
        ("mode = \"yolo\"\n", "config.toml:1: `mode` cannot be \"yolo\""),
        ("[tui]\nmouse = \"on\"\n", "config.toml:2: `tui.mouse` must be true or false"),
        ("[tui\n", "config.toml:1: this is not valid TOML"),
    ];
    for (text, part) in table {
        let world = World::new();
        world.user("config.toml", text);
        for args in [&["config"][..], &["-p", "hi"], &[]] {
            let ran = world.run(args);
            assert_eq!(ran.code, 3, "{text:?} {args:?} {ran:?}");
            assert!(ran.err.contains(part) && ran.out.is_empty(), "{text:?} {args:?} {ran:?}");
            assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
        }
    }
}

#[test]
fn every_setting_is_shown_with_its_origin() {
    let mut world = World::new();
    world.user("config.toml", "theme = \"x\"\n");
    world.set("PANTO_THINKING", "low");
    let shown = world.run(&["config", "--show-origin", "--cwd", "."]).ok().out;
    for (key, origin) in
        [("theme = \"x\"", "config.toml:1"), ("thinking = \"low\"", "PANTO_THINKING"), ("tui.mouse = true", "built in")]
    {
        let line = shown.lines().find(|l| l.starts_with(key)).unwrap_or_else(|| panic!("no {key} in {shown}"));
        assert!(line.ends_with(origin), "{line}");
    }
}

#[test]
fn a_strange_project_has_no_say() {
    let world = World::new();
    world.write(".panto/config.toml", "nonsense = 1\n");
    world.run(&["config"]).ok();
}

#[test]
fn a_trusted_project_has_its_say_until_its_code_changes() {
    let world = World::new();
    world.write(".panto/config.toml", "theme = \"theirs\"\n");
    TrustFile::of(&world.data()).decide(&world.project(), true).expect("written");
    assert!(world.run(&["config"]).ok().out.contains("theme = \"theirs\""));
    world.write(".panto/config.toml", "theme = \"other\"\n");
    assert!(world.run(&["config"]).ok().out.contains("theme = \"auto\""));
}

#[test]
fn a_cut_trust_file_is_told_and_trusts_nobody() {
    let world = World::new();
    world.write(".panto/config.toml", "theme = \"theirs\"\n");
    world.write(world.data().join("trust.json"), "{\"trusted\": [");
    let ran = world.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("trust.json"), "{ran:?}");
    assert!(world.run(&["config"]).ok().out.contains("theme = \"auto\""));
}

#[test]
fn malformed_themes_and_keymaps_are_told_with_file_and_line() {
    let world = World::new();
    let themes = Themes::with_folder(&world.config().join("themes"));
    for (text, line, part) in [
        ("[palette]\ntext = \"#zzz\"\n", ":2", "zzz"),
        ("\ninherits = \"nowhere\"\n", ":2", "nowhere"),
        ("[roles\n", ":1", ""),
    ] {
        world.user("themes/mine.toml", text);
        let error = themes.load("mine", ColorDepth::True).expect_err(text).to_string();
        assert!(error.contains(&format!("mine.toml{line}")) && error.contains(part), "{text:?}: {error}");
    }
    for (text, line, part) in [("\n[main]\nctrl-y = \"sned\"\n", ":3", "sned"), ("[main\n", ":1", "")] {
        let path = world.user("keymap.toml", text);
        let map = Keymap::with_user(&path);
        let told = map.complaints().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(told.contains(&format!("keymap.toml{line}")) && told.contains(part), "{text:?}: {told}");
    }
}

#[test]
fn doctor_tells_what_is_wrong_with_the_keymap() {
    let world = World::new();
    world.user("keymap.toml", "[main]\n\"ctrl-t\" = \"quit\"\n\"ctrl-T\" = \"redraw\"\n\"ctrl-i\" = \"undo\"\n");
    let ran = world.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("✗ keys"), "{ran:?}");
    assert!(ran.out.contains("keymap.toml:3: in [main] `ctrl-t` is `quit` (line 2) and `redraw`"), "{ran:?}");
    assert!(ran.out.contains("keymap.toml:4: `ctrl-i`: most terminals send it as tab"), "{ran:?}");
    world.user("keymap.toml", "[main]\n\"ctrl-i\" = \"undo\"\n");
    assert!(world.run(&["doctor"]).ok().out.contains("most terminals"), "it may be right here");
}

#[test]
fn usage_errors_are_code_2_on_stderr() {
    let world = World::new();
    for (args, part) in [
        (&["--no-such-flag"][..], "--no-such-flag"),
        (&["--mode", "yolo"], "yolo"),
        (&["--cwd", "/nowhere/at/all"], "/nowhere/at/all"),
        (&["hello", "doctor"], "subcommand"),
    ] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?} {ran:?}");
        assert!(ran.err.contains(part), "{args:?} {ran:?}");
    }
}

#[test]
fn completions_and_the_manual_come_from_the_parser() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.run(&["completions", shell]).ok().out.contains("no-motion"), "{shell}");
    }
    let manual = world.run(&["man"]).ok().out;
    assert!(manual.contains("append\\-system") && manual.contains("sessions"));
}
