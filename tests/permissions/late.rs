//! What a sandboxed command does to places that run code later, and what it leaves to do so when nobody looks.

use super::{calls, has_sandbox};
use crate::support::{Model, World, wait};
use std::process::Command;

fn repository(world: &World) {
    let status = Command::new("git").args(["init", "-q"]).current_dir(world.project()).status().expect("git");
    assert!(status.success());
}

#[test]
fn a_setting_of_git_that_starts_a_program_is_undone_where_nobody_is_asked() {
    if !has_sandbox() {
        return;
    }
    let mut world = World::new();
    repository(&world);
    let lines = ["command = 'git config core.fsmonitor ./evil'", "command = 'mkdir .panto; echo x > .panto/x.lua'"];
    let results = calls(&mut world, "workspace", &lines.map(|line| ("std.shell", line)));
    for result in results {
        assert!(result.contains("it was undone"), "{result}");
    }
    assert!(!world.read(".git/config").contains("evil") && !world.project().join(".panto").exists());
}

/// One command leaves something that acts while no call runs; the next one's result.
fn left_behind(first: &str, world: &mut World) -> String {
    let script = format!(
        "[[turn]]\nsteps = [{{ tool = {{ name = \"std.shell\", input = {{ {first} }} }} }}]\n\
         [[turn]]\nsteps = [{{ gate = \"between\" }}, {{ tool = {{ name = \"std.shell\", input = {{ command = \"echo NEXT\" }} }} }}]\n\
         [[turn]]\nsteps = [{{ text = \"END\" }}]\n"
    );
    let model = Model::serve(world, &script);
    world.set("PANTO_MODE", "workspace");
    let child = world.spawn(&["-p", "go"]);
    model.reached("between");
    world.write("go", "");
    wait::for_file(&world.project().join("done"));
    model.open("between");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    model.results().remove(0)
}

#[test]
fn what_goes_on_in_the_background_is_looked_at_after_the_next_command() {
    if !has_sandbox() {
        return;
    }
    let mut world = World::new();
    repository(&world);
    let line = "(until [ -e go ]; do sleep 0.02; done; git config core.fsmonitor ./evil; touch done) >/dev/null 2>&1 &";
    let result = left_behind(&format!("command = '{line}'"), &mut world);
    assert!(result.contains("changed by what goes on in the background") && result.contains("undone"), "{result}");
    assert!(!world.read(".git/config").contains("evil"));
}

#[test]
fn a_command_of_the_background_cannot_write_settings_of_git() {
    if !has_sandbox() || panto::sandbox::probe().namespaces == panto::sandbox::Namespaces::None {
        return;
    }
    let mut world = World::new();
    repository(&world);
    let line = "until [ -e go ]; do sleep 0.02; done; git config core.fsmonitor ./evil; touch done";
    let result = left_behind(&format!("run_in_background = true, command = '{line}'"), &mut world);
    assert!(result.contains("NEXT") && !result.contains("undone"), "{result}");
    assert!(!world.read(".git/config").contains("evil"));
}
