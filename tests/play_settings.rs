//! The settings page: what it lists, what it writes into the user's config.toml, what counts at once.

use crate::play::{open, play, quit};
use crate::support::{Terminal, World};

const IDLE: &str = "[[turn]]\nsteps = [{ text = \"Hi.\" }]\n";
const FILE: &str = "# mine\n\ntheme = 'dark' # easy on the eyes\n\n[tui]\n# a pain over ssh\nmouse = true\n";

fn text(world: &World) -> String {
    std::fs::read_to_string(world.config().join("config.toml")).unwrap_or_default()
}

/// Opens the page and filters it.
fn find<'t>(t: &'t mut Terminal, query: &str) -> &'t mut Terminal {
    t.submit("/settings").wait("─ settings").wait("Enter change");
    t.pause().send(query);
    t.wait(&format!("> {query}"))
}

#[test]
fn the_page_lists_every_setting_with_its_origin() {
    play(IDLE, |world, _, size| {
        world.user("config.toml", FILE);
        let mut t = open(world, &["--no-motion"], size);
        t.submit("/settings").wait("agent.checkpoints").wait("PANTO_MODE").snapshot(world, "settings");
        t.send("motion").wait("from      --no-motion").key("esc").wait_gone("─ settings");
        quit(t);
    });
}

#[test]
fn a_switch_is_written_counts_at_once_and_is_taken_back() {
    play(IDLE, |world, _, size| {
        world.user("config.toml", FILE);
        let mut t = open(world, &[], size);
        find(&mut t, "mouse").wait("tui.mouse").pause().key("enter").wait("tui.mouse = false");
        assert_eq!(text(world), FILE.replace("mouse = true", "mouse = false"));
        let log = String::from_utf8_lossy(&t.log()).into_owned();
        assert!(log.rfind("\x1b[?1000l") > log.rfind("\x1b[?1000h"), "the mouse is off");
        t.key("ctrl-d").wait("tui.mouse = true").wait("built in");
        assert_eq!(text(world), FILE.replace("mouse = true\n", ""), "the comment stays");
        t.key("ctrl-d").wait("is what is built in already").key("esc").wait_gone("─ settings");
        quit(t);
    });
}

#[test]
fn a_choice_is_tried_on_and_what_is_stronger_is_told() {
    play(IDLE, |world, _, size| {
        world.user("config.toml", FILE);
        let mut t = open(world, &[], size);
        find(&mut t, "theme").pause().key("enter").wait("─ theme").wait("dracula").send("nord").wait("> nord");
        t.pause().key("enter").wait("theme = \"nord\"");
        assert_eq!(text(world), FILE.replace("'dark'", "\"nord\""));
        t.key("esc").wait_gone("─ settings");
        find(&mut t, "mode").pause().key("enter").wait("─ mode").wait("workspace").send("plan").wait("> plan");
        t.pause().key("enter").wait("written, but PANTO_MODE says mode = \"auto\"");
        assert!(text(world).contains("# easy on the eyes\nmode = \"plan\"\n"), "{}", text(world));
        t.key("esc").wait_gone("─ settings");
        quit(t);
    });
}

#[test]
fn a_bad_value_stays_in_its_line_with_the_reason() {
    play(IDLE, |world, _, size| {
        let mut t = open(world, &[], size);
        find(&mut t, "shell_timeout").wait("tools.shell_timeout").pause().key("enter").wait("new value: 300");
        t.send("00").wait("new value: 30000").pause().key("enter");
        t.wait("`tools.shell_timeout` must be 1 to 3600 seconds");
        assert_eq!(text(world), "", "nothing was written");
        t.key("backspace").wait("new value: 3000").pause().key("enter");
        t.wait("tools.shell_timeout = 3000: counts from the next start on");
        assert_eq!(text(world), "[tools]\nshell_timeout = 3000\n");
        t.key("esc").wait_gone("─ settings");
        find(&mut t, "ambiguous").pause().key("enter").wait("two, as in CJK fonts").pause().key("down").key("enter");
        t.wait("tui.ambiguous_width = 2: counts from").key("esc").wait_gone("─ settings");
        assert!(text(world).ends_with("\n\n[tui]\nambiguous_width = 2\n"), "{}", text(world));
        find(&mut t, "tools.disabled").pause().key("enter").wait("new value: []").send("\"std.lua\"");
        t.wait("new value: [\"std.lua\"]").pause().key("enter").wait("tools.disabled = [\"std.lua\"]: counts from");
        t.key("esc").wait_gone("─ settings");
        quit(t);
    });
}

#[test]
fn a_file_that_was_damaged_meanwhile_is_not_overwritten() {
    play(IDLE, |world, _, size| {
        world.user("config.toml", FILE);
        let mut t = open(world, &[], size);
        find(&mut t, "mouse").wait("tui.mouse");
        world.user("config.toml", "theme = \n");
        t.pause().key("enter").wait("nothing was written").key("esc").wait_gone("─ settings");
        assert_eq!(text(world), "theme = \n");
        t.submit("/settings").wait("this is not valid TOML");
        quit(t);
    });
}
