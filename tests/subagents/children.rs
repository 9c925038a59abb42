//! What a child is: its model, its words, its tools, its file.

use super::{Play, run, says};
use serde_json::{Value, json};
use std::fs;

const FOUR: [&str; 4] = ["subagents_run", "subagents_models", "subagents_lua", "subagents_workflow"];

fn tools(body: &Value) -> Vec<String> {
    let name = |tool: &Value| tool["function"]["name"].as_str().unwrap_or_default().to_owned();
    body["tools"].as_array().into_iter().flatten().map(name).collect()
}

#[test]
fn r77_four_tools_and_a_command_for_each_workflow() {
    let play = Play::new(&[], "");
    play.world.user("workflows/twice.toml", "[[step]]\nname = 'a'\nprompt = 'x'\n");
    let listed = play.world.run(&["extensions"]).ok().out;
    for name in ["subagents.run", "subagents.models", "subagents.lua", "subagents.workflow", "/workflow:twice"] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
}

#[test]
fn r79_a_fresh_child_has_the_model_the_words_and_the_file_that_it_should() {
    let play = Play::new(&[run("KID", json!({"agent": "pirate"}))], &says("KID", "ANSWER"));
    play.world.user("agents/pirate.md", "---\nmodel: env:parrot\nthinking: low\n---\nTalk like a pirate.\n");
    assert!(play.one().contains("ANSWER"));
    let body = &play.bodies("KID")[0];
    assert_eq!(body["model"], "parrot");
    let said = body["messages"].to_string();
    assert!(said.contains("Talk like a pirate.") && said.contains("You work as a subagent"), "{said}");
    let text = fs::read_to_string(&play.kids()[0]).expect("the child's file");
    assert!(text.contains(r#""subagents":{"agent":"pirate""#), "{text}");
}

#[test]
fn r79_the_call_overrules_the_profile_and_the_session_is_the_last_word() {
    let wishes = [run("ONE", json!({"agent": "pirate", "model": "env:other"})), run("TWO", json!({}))];
    let play = Play::new(&wishes, &(says("ONE", "A") + &says("TWO", "B")));
    play.world.user("agents/pirate.md", "---\nmodel: env:parrot\n---\nArr.\n");
    play.run();
    assert_eq!(
        (&play.bodies("ONE")[0]["model"], &play.bodies("TWO")[0]["model"]),
        (&json!("other"), &json!("scripted"))
    );
}

#[test]
fn r80_a_child_has_its_parents_tools_without_the_four() {
    let play = Play::new(&[run("KID", json!({}))], &says("KID", "ANSWER"));
    play.run();
    let of_kid = tools(&play.bodies("KID")[0]);
    let mut of_parent = tools(&play.bodies("PARENT")[0]);
    assert!(FOUR.iter().all(|name| of_parent.iter().any(|t| t == name)), "{of_parent:?}");
    of_parent.retain(|name| !FOUR.contains(&name.as_str()));
    assert_eq!(of_kid, of_parent);
    // Their schemas and descriptions, too.
    let decls = |body: &Value| body["tools"].as_array().cloned().unwrap_or_default();
    assert!(decls(&play.bodies("KID")[0]).iter().all(|decl| decls(&play.bodies("PARENT")[0]).contains(decl)));
}

#[test]
fn r80_a_call_and_a_profile_only_take_tools_away() {
    let wishes = [
        run("ONE", json!({"tools": ["std.read", "Grep"]})),
        run("TWO", json!({"agent": "careful"})),
        run("THREE", json!({"agent": "careful", "tools": ["std.shell"]})),
        run("FOUR", json!({"tools": ["subagents.run"]})),
    ];
    let play = Play::new(&wishes, &["ONE", "TWO", "THREE", "FOUR"].map(|w| says(w, "A")).concat());
    play.world.user(
        "agents/careful.md",
        "---\ntools: [std.*, subagents.*]\ndisallowed_tools: std.shell, std.write\n---\nCare.\n",
    );
    let results = play.run();
    let mut one = tools(&play.bodies("ONE")[0]);
    one.sort();
    assert_eq!(one, ["std_grep", "std_read"]);
    let two = tools(&play.bodies("TWO")[0]);
    assert!(
        two.contains(&"std_edit".to_owned()) && !two.iter().any(|t| t == "std_shell" || t.contains("subagents")),
        "{two:?}"
    );
    for (result, name) in [(&results[2], "std.shell"), (&results[3], "subagents.run")] {
        assert!(result.contains(&format!("there is no tool \"{name}\" to give")), "{result}");
    }
    assert!(!play.asked("THREE") && !play.asked("FOUR"));
}

#[test]
fn r81_an_unknown_model_is_told_and_the_sibling_runs() {
    let play = Play::new(&[run("ONE", json!({"model": "nowhere:x"})), run("TWO", json!({}))], &says("TWO", "ANSWER"));
    let results = play.run();
    assert!(results[0].contains("resolve_model: unknown model 'nowhere:x'"), "{}", results[0]);
    assert!(results[1].contains("ANSWER") && !play.asked("ONE"));
    assert_eq!(play.kids().len(), 1);
}

#[test]
fn bad_wishes_are_told_and_start_nothing() {
    let wishes = [
        run("ONE", json!({"agent": "explor"})),
        run("TWO", json!({"output_schema": {"type": "nonsense"}})),
        run("THREE", json!({"tools": ["std.reads"]})),
        ("subagents.run", json!({"description": "nothing"})),
        ("subagents.run", json!({"prompt": "FOUR", "tasks": [{"prompt": "FIVE"}]})),
    ];
    let play = Play::new(&wishes, "");
    let results = play.run();
    let told = [
        "there is no agent named \"explor\" (is it \"explore\"?)",
        "output_schema is no JSON schema",
        "there is no tool \"std.reads\" to give (is it \"std.read\"?)",
        "`prompt` is missing",
        "either `prompt` or `tasks`",
    ];
    for (result, told) in results.iter().zip(told) {
        assert!(result.contains(told), "{told} in {result}");
    }
    assert!(play.kids().is_empty());
}

#[test]
fn r91_models_are_an_overview_or_those_that_a_query_finds() {
    let wishes = [
        ("subagents.models", json!({})),
        ("subagents.models", json!({"query": "claude opus"})),
        ("subagents.models", json!({"query": "no such thing"})),
    ];
    let play = Play::new(&wishes, "");
    let results = play.run();
    assert!(results[0].contains("This session: env:scripted") && results[0].contains("- env: "), "{}", results[0]);
    assert!(results[1].contains("anthropic:") && results[1].contains("not usable"), "{}", results[1]);
    assert!(results[2].contains("No model has"), "{}", results[2]);
}

#[test]
fn the_model_is_told_what_a_mention_means() {
    let play = Play::new(&[], "");
    play.world.user("agents/pirate.md", "---\ndescription: Talks like one\n---\nArr.\n");
    play.world.run(&["-p", "PARENT @pirate hello"]).ok();
    let told = play.bodies("PARENT")[0]["tools"].to_string();
    assert!(
        told.contains("where the user writes @ and one of these names") && told.contains("- pirate: Talks like one"),
        "{told}"
    );
}
