//! The table of modes, a test a line, with nobody to ask: what would ask is refused. And what the modes hold besides.

use super::{calls, has_sandbox};
use crate::support::World;
use std::{fs, process::Command};

const TOOLS: &str = r#"
for name, readonly in pairs { peek = true, poke = false } do
  panto.register_tool { name = name, description = "d", schema = { type = "object" }, readonly = readonly,
    handler = function() return name .. " RAN" end }
end
"#;

const TABLE: [(&str, &str); 5] = [
    ("std.read", "path = 'a.txt'"),
    ("std.write", "path = 'edit', content = 'x'"),
    ("std.shell", "command = 'echo x > command; echo COMMANDED'"),
    ("peek", ""),
    ("poke", ""),
];

/// Of reads, edits, commands, tools that only read and others: which have run. The rest was refused with this.
#[track_caller]
fn lets(mode: &str, allowed: [bool; 5], refusal: &str) {
    let mut world = World::new();
    world.write("a.txt", "READ-ME");
    world.user("extensions/t.lua", TOOLS);
    let results = calls(&mut world, mode, &TABLE);
    for (((name, _), result), allowed) in TABLE.iter().zip(&results).zip(allowed) {
        assert_eq!(result.contains(refusal), !allowed, "{name}: {result}");
    }
    let made = ["edit", "command"].map(|name| world.project().join(name).exists());
    assert_eq!(made, [allowed[1], allowed[2]], "{results:?}");
}

const UNATTENDED: &str = "it needs the approval of the user, and nobody is there to be asked";

#[test]
fn plan_reads_and_refuses_edits_commands_and_tools_that_are_not_read_only() {
    lets("plan", [true, false, false, true, false], "plan mode: ");
}

#[test]
fn ask_reads_and_asks_about_all_else() {
    lets("ask", [true, false, false, true, false], UNATTENDED);
}

#[test]
fn workspace_edits_inside_runs_commands_in_a_sandbox_and_asks_about_unknown_tools() {
    if has_sandbox() {
        lets("workspace", [true, true, true, true, false], UNATTENDED);
    }
}

#[test]
fn auto_does_everything() {
    lets("auto", [true; 5], UNATTENDED);
}

#[test]
fn workspace_asks_about_edits_elsewhere_and_of_what_is_run_later() {
    let mut world = World::new();
    std::os::unix::fs::symlink("/nonexistent-panto/new", world.project().join("dangling")).expect("a link");
    std::os::unix::fs::symlink(world.project().join(".git"), world.project().join("git")).expect("a link");
    fs::create_dir_all(world.project().join(".git/hooks")).expect("a folder");
    let paths = [
        "/nonexistent-panto/new",
        "dangling",
        ".git/hooks/pre-commit",
        "git/hooks/pre-commit",
        ".GIT/hooks/pre-commit",
        ".git/config",
        "sub/.git",
        "sub/.git/config",
        ".panto/extensions/x.lua",
        "/proc/self/comm",
    ];
    let inputs: Vec<String> = paths.iter().map(|path| format!("path = '{path}', content = 'x'")).collect();
    let edits: Vec<(&str, &str)> = inputs.iter().map(|input| ("std.write", input.as_str())).collect();
    for (path, result) in paths.iter().zip(calls(&mut world, "workspace", &edits)) {
        assert!(result.contains(UNATTENDED), "{path}: {result}");
    }
    let inside =
        ["path = 'new', content = 'x'", "path = 'sub/new', content = 'x'", "path = '.gitignore', content = 'x'"];
    for (path, result) in inside.iter().zip(calls(&mut world, "workspace", &inside.map(|input| ("std.write", input)))) {
        assert!(!result.contains(UNATTENDED), "{path}: {result}");
    }
    assert!(world.read("sub/new") == "x" && world.read(".gitignore") == "x");
}

#[test]
fn reads_heed_credentials_and_processes_but_in_auto() {
    let mut world = World::new();
    let home = world.env()["HOME"].clone();
    world.write(format!("{home}/.ssh/id"), "SECRET-WORD");
    world.write(format!("{home}/kept/id"), "SECRET-WORD");
    world.user("config.toml", &format!("[permissions]\nread_deny = [\"{home}/kept\"]\n"));
    std::os::unix::fs::symlink(format!("{home}/.ssh"), world.project().join("keys")).expect("a link");
    let inputs = [
        ("std.read", format!("path = '{home}/.ssh/id'")),
        ("std.read", format!("path = '{home}/.ssh/../kept/id'")),
        ("std.read", "path = 'keys/id'".into()),
        ("std.read", format!("path = '/proc/self/root{home}/.ssh/id'")),
        ("std.read", "path = '/proc/self/environ'".into()),
        ("std.grep", "pattern = 'WORD', path = 'keys'".into()),
        ("std.grep", format!("pattern = 'WORD', path = '{home}'")),
        ("std.find", format!("pattern = '{home}/.ssh/*'")),
        ("std.find", format!("pattern = 'id', path = '{home}'")),
        ("std.ls", format!("path = '{home}', depth = 3, all = true")),
    ];
    let reads: Vec<(&str, &str)> = inputs.iter().map(|(name, input)| (*name, input.as_str())).collect();
    for ((name, input), result) in inputs.iter().zip(calls(&mut world, "workspace", &reads)) {
        let silent = result.contains(UNATTENDED) || !result.contains("SECRET-WORD") && !result.contains("id  ");
        let found = result.lines().any(|line| line.ends_with("/id"));
        assert!(silent && !found, "{name} {input}: {result}");
    }
    let result = calls(&mut world, "auto", &reads[..1]).remove(0);
    assert!(result.contains("SECRET-WORD"), "{result}");
}

#[test]
fn plan_mode_is_held_by_the_system_too() {
    if !has_sandbox() {
        return;
    }
    let mut world = World::new();
    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(world.project()).status().expect("git");
        assert!(status.success());
    };
    git(&["init", "-q"]);
    let made = world.project().join("made");
    git(&["config", "core.fsmonitor", &format!("touch {} && false", made.display())]);
    let results = calls(&mut world, "plan", &[("std.shell", "command = 'git status --short; echo LOOKED'")]);
    assert!(results[0].contains("LOOKED") && !made.exists(), "{results:?}");
}

#[test]
fn a_rule_that_forbids_is_heeded_in_every_mode_and_by_what_may_turn_out_so() {
    for mode in ["ask", "workspace", "auto"] {
        let mut world = World::new();
        world.user("config.toml", "[permissions]\nallow = [\"std.shell\"]\ndeny = [\"std.shell(touch *)\"]\n");
        let lines =
            ["command = 'echo a; touch made'", "command = 't=touch; $t made'", "command = 'echo touch made | sh'"];
        let results = calls(&mut world, mode, &lines.map(|line| ("std.shell", line)));
        assert!(results[0].contains("deny forbids it"), "{mode}: {results:?}");
        assert!(results[1..].iter().all(|r| r.contains("it can't be told whether the rule")), "{mode}: {results:?}");
        assert!(!world.project().join("made").exists());
    }
}
