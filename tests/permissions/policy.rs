//! The extension that decides: missing, broken, another of its name.

use super::{calls, script};
use crate::play::{open, play, quit};
use crate::support::World;

const WRITE: [(&str, &str); 1] = [("std.write", "path = 'made', content = 'x'")];

/// What a run says in mode plan with this for the extension, and whether it wrote.
fn run(file: &str, text: &str) -> (String, bool) {
    let mut world = World::new();
    world.user(file, text);
    let result = calls(&mut world, "plan", &WRITE).remove(0);
    (result, world.project().join("made").exists())
}

#[test]
fn one_that_cannot_be_loaded_lets_nothing_run() {
    let (result, made) = run("extensions/permissions.lua", "no lua");
    assert!(result.contains("could not be loaded") && !made, "{result}");
}

#[test]
fn one_of_its_name_that_decides_nothing_lets_nothing_run() {
    let (result, made) = run("extensions/permissions.lua", "local nothing");
    assert!(result.contains("has no handler of `approval`") && !made, "{result}");
}

#[test]
fn one_that_fails_lets_nothing_run() {
    let (result, made) = run("extensions/permissions.lua", "panto.ext.on('approval', function() error('boom') end)");
    assert!(result.contains("boom") && !made, "{result}");
}

const OFF: &str = "[extensions]\ndisabled = [\"permissions\"]\n";

#[test]
fn switched_off_all_runs_and_a_message_says_so() {
    let (result, made) = run("config.toml", OFF);
    assert!(made, "{result}");
    let mut world = World::new();
    world.user("config.toml", OFF);
    let model = crate::support::Model::serve(&mut world, &script(&WRITE));
    let ran = world.run(&["-p", "go"]).ok();
    assert!(ran.err.contains("permissions: it is switched off: everything runs without asking"), "{}", ran.err);
    drop(model);
}

#[test]
fn switched_off_the_status_line_claims_no_mode() {
    play(&script(&WRITE), |world, _, size| {
        world.user("config.toml", OFF);
        world.set("PANTO_MODE", "plan");
        let mut t = open(world, &[], size);
        t.wait("nothing is held");
        assert!(!t.screen().contains("· plan"), "{}", t.screen());
        quit(t);
    });
}
