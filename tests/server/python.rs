//! A client in another language, written from the protocol's page only, drives every method there is.

use super::*;
use std::collections::BTreeSet;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/protocol.md");
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/client.py");

const SCRIPT: &str = r#"
[[turn]]
when = "work"
on = "prompt"
times = 2
steps = [{ text = "I work. " }, { tool = { name = "std.shell", input = { command = "until [ -e go ]; do sleep 0.05; done" } } }]

[[turn]]
times = 0
steps = [{ text = "ANSWER" }]
"#;

/// Names in the first columns of the page's tables below a heading.
fn table(heading: &str) -> BTreeSet<String> {
    let page = fs::read_to_string(PAGE).expect("the page");
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).expect("a heading");
    let section = rest.split("\n## ").next().expect("a section");
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name.into()).collect()
}

fn python(args: &[&str]) -> std::process::Output {
    let output = std::process::Command::new("python3").args(args).output();
    output.expect("this test needs python3, which is not there: install it")
}

fn names(told: &Value) -> BTreeSet<String> {
    told.as_array().expect("names").iter().map(|name| name.as_str().expect("a name").into()).collect()
}

#[test]
fn a_client_written_from_the_page_drives_every_method() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, SCRIPT);
    world.user("config.toml", "[agent]\nkeep_recent = 1\n");
    world.user(
        "extensions/asks.lua",
        r#"panto.register_command{name = "ask", description = "asks",
            handler = function() return tostring(panto.ext.ui.confirm("Really?")) end}"#,
    );
    let old = |role: &str, text: &str| json!({"role": role, "blocks": [{"type": "text", "text": text}]});
    let talk = [old("user", "OLD QUESTION"), old("assistant", "OLD ANSWER")];
    past(&world, "0198d000-0000-7000-8000-000000000001", messages(talk));
    let server = Server::at(&world, "s.sock");
    let (token, project) = (world.data().join("server/token"), world.project());
    let ran =
        python(&[CLIENT, server.path.to_str().unwrap(), token.to_str().unwrap(), PAGE, project.to_str().unwrap()]);
    let told: Value = serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|_| panic!("{}\n{}", String::from_utf8_lossy(&ran.stderr), log(&world)));
    assert_eq!(names(&told["driven"]), table("Methods"));
    let unknown: Vec<_> = names(&told["heard"]).difference(&table("Events")).cloned().collect();
    assert!(unknown.is_empty(), "events that are not on the page: {unknown:?}");
    assert_eq!(told["unknown"], json!([]), "fields that are not on the page");
}

#[test]
fn the_example_of_the_page_runs() {
    let (world, _model, server) = stage("[[turn]]\nsteps = [{ text = \"EXAMPLE-ANSWER\" }]");
    let page = world.run(&["serve", "--protocol"]).ok().out;
    assert_eq!(page, fs::read_to_string(PAGE).expect("the page"));
    let code = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let example = world.write("example.py", code);
    let token = world.data().join("server/token");
    let ran = python(&[example.to_str().unwrap(), server.path.to_str().unwrap(), token.to_str().unwrap(), "hello"]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "EXAMPLE-ANSWER\n", "{}", String::from_utf8_lossy(&ran.stderr));
}
