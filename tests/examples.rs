//! The extensions of lua/examples do what they say, in the whole program.

use crate::support::{Model, Terminal, World};
use std::process::Command;

/// A world with these examples, in which a model plays `script`.
fn stage(examples: &[&str], script: &str) -> (World, Model) {
    let mut world = World::new();
    for name in examples {
        let code = std::fs::read_to_string(format!("{}/lua/examples/{name}.lua", env!("CARGO_MANIFEST_DIR")));
        world.user(&format!("extensions/{name}.lua"), &code.expect("an example"));
    }
    let model = Model::serve(&mut world, script);
    (world, model)
}

fn open(world: &World) -> Terminal {
    let mut t = Terminal::panto(world, &[], 100, 30);
    t.wait("type a prompt");
    t
}

const END: &str = "[[turn]]\ntimes = 0\nsteps = [{ text = \"END\" }]\n";

fn calls(name: &str, input: &str) -> String {
    format!("[[turn]]\nsteps = [{{ tool = {{ name = \"{name}\", input = {input} }} }}]\n{END}")
}

/// Makes the project a repository with one commit, whose subject is `first`.
fn repository(world: &World) {
    world.write("a.txt", "one\n");
    for words in ["init -q -b trunk", "add .", "commit -q -m first"] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e@example.org"]).args(words.split(' '));
        let ran = git.env_clear().envs(world.env()).current_dir(world.project()).status();
        assert!(ran.expect("git").success(), "git {words}");
    }
}

#[test]
fn a_tool_and_its_renderer() {
    let (world, _model) = stage(&["todo", "todo_view"], &calls("todo", "{ add = \"write tests\" }"));
    let mut t = open(&world);
    t.submit("go").wait("END").wait("○ write tests");
    assert!(!t.screen().contains("[ ] 1."), "{}", t.screen());
    t.submit("/todo").wait("[ ] 1. write tests");
}

#[test]
fn checks_side_by_side() {
    let (mut world, model) = stage(&["checks"], &calls("checks", "{}"));
    world.set("PATH", "/nowhere");
    world.run(&["-p", "go"]).ok();
    let result = model.results().pop().expect("a result");
    let names = ["format", "lint", "test"].map(|name| format!("\"check\":\"{name}\""));
    assert!(names.iter().all(|name| result.contains(name)) && result.contains("\"ok\":false"), "{result}");
}

#[test]
fn a_command_with_completion() {
    let (world, _model) = stage(&["log"], END);
    repository(&world);
    let mut t = open(&world);
    t.type_("/log tr").wait_for("the branch is offered", |screen| screen.matches("trunk").count() >= 2);
    t.key("tab").wait("/log trunk").pause().key("enter").wait(" first");
    t.submit("/log nothing-like-it").wait("bad revision");
}

#[test]
fn a_status_item() {
    let (world, _model) = stage(&["branch"], END);
    repository(&world);
    let mut t = open(&world);
    t.wait("trunk");
    world.write("b.txt", "two\n");
    t.submit("go").wait("END").wait("trunk +1");
}

#[test]
fn a_permission_gate() {
    let (world, model) = stage(&["guard"], &calls("std.shell", "{ command = \"git push --force\" }"));
    world.run(&["-p", "go"]).ok();
    assert!(model.results()[0].contains("pushing by force is left to people"), "{:?}", model.results());
}

#[test]
fn a_context_hook() {
    let call = "[[turn]]\nsteps = [{ tool = { name = \"std.shell\", input = { command = \"seq 2000\" } } }]\n";
    let (world, model) = stage(&["lean"], &format!("{}{END}", call.repeat(7)));
    world.run(&["-p", "go"]).ok();
    let body = model.body().to_string();
    assert!(body.contains("the rest of this old result is left out"), "old results are cut");
    assert!(body.matches("\\n1999\\n2000").count() >= 4, "new ones are whole");
}

#[test]
fn a_widget() {
    let input = "{ path = \"poem.txt\", content = \"violets\" }";
    let (world, _model) = stage(&["files"], &calls("std.write", input));
    let mut t = open(&world);
    t.submit("go").wait("END").wait("poem.txt ×1");
    t.submit("/new").wait_gone("poem.txt ×1");
}

#[test]
fn a_keybinding() {
    let (world, model) = stage(&["review", "branch"], END);
    repository(&world);
    let mut t = open(&world);
    t.wait_for("extensions are loaded", |screen| screen.matches("trunk").count() >= 2);
    t.send("\x1bv").wait("there is nothing to review");
    world.write("a.txt", "changed\n");
    t.send("\x1bv").wait("END");
    assert!(model.asked()[0].starts_with("Review what is not committed yet"), "{:?}", model.asked());
}

#[test]
fn a_provider_preset() {
    let (world, _model) = stage(&["lan"], END);
    let listed = world.run(&["models"]).ok().out;
    assert!(listed.contains("lan") && listed.contains("qwen3-coder"), "{listed}");
}

#[test]
fn a_background_job() {
    let (world, _model) = stage(&["watch"], END);
    let mut t = open(&world);
    t.submit("/watch test -e ok").wait("test -e ok fails now").wait("1 job");
    world.write("ok", "");
    t.wait("test -e ok works again");
}
