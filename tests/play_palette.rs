//! The palette, and what is wrong with a keymap, at a terminal.

use crate::play::{open, play, quit};

const IDLE: &str = "[[turn]]\nsteps = [{ text = \"Hi.\" }]\n";

#[test]
fn the_palette_finds_settings_models_and_themes() {
    play(IDLE, |world, _, size| {
        let mut t = open(world, &[], size);
        t.key("ctrl-p").wait("─ commands").wait("/new").snapshot(world, "everything");
        t.send("theme: nord").wait("> theme: nord").pause().key("enter").wait_gone("─ commands");
        t.key("ctrl-p").wait("─ commands").send("tool_lines").wait("setting: tui.tool_lines").pause().key("enter");
        t.wait("─ settings").wait("from      built in").key("esc").wait_gone("─ settings");
        t.key("ctrl-p").wait("─ commands").send("scripted").wait("model: env:scripted").pause().key("esc");
        t.wait_gone("─ commands");
        quit(t);
    });
}

#[test]
fn a_keymap_with_conflicts_is_one_notice_and_stays_on_the_keys_page() {
    play(IDLE, |world, _, size| {
        let text = "[main]\n\"ctrl-t\" = \"quit\"\n\"ctrl-T\" = \"redraw\"\n\"f5\" = \"qiut\"\n[mian]\n\"ctrl-i\" = \"undo\"\n";
        world.user("keymap.toml", text);
        let mut t = open(world, &[], size);
        t.wait("`quit` (line 2) and `redraw`").wait("did you mean [main]?").wait("/keys lists what is wrong");
        t.send("?").wait("─ keys").wait("! keymap.toml:3").wait("! keymap.toml:4").wait("! keymap.toml:5");
        t.snapshot(world, "keys-wrong").key("esc").wait_gone("─ keys");
        quit(t);
    });
}
