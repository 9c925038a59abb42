//! Children that go on, in the same run and after a restart.

use super::{Play, calls, id_in, run, says};
use serde_json::json;
use std::fs;

/// A session with a child of the profile, and its id.
fn former(turns: &str) -> (Play, String) {
    let play = Play::new(
        &[run("KID", json!({"agent": "pirate", "model": "env:parrot", "thinking": "high"}))],
        &(says("KID", "ANSWER") + turns),
    );
    play.world.user("agents/pirate.md", "---\ntools: [std.ls, std.read]\n---\nTalk like a pirate.\n");
    let id = id_in(&play.one());
    (play, id)
}

/// Has the parent resume the child in another run of the program.
fn resume(play: &Play, id: &str, prompt: Option<&str>) -> String {
    play.world.user(
        "extensions/again.lua",
        &format!(
            "panto.register_tool{{name = 'again', description = 'd', schema = {{type = 'object'}}, handler = function(_, call)
                local result = call:tool('subagents.run', {{description = 'again', resume = '{id}', prompt = {}}})
                return result.text
            end}}",
            prompt.map_or("nil".into(), |p| format!("'{p}'")),
        ),
    );
    play.world.run(&["-c", "-p", "NEXT"]).ok();
    play.model.results().pop().expect("a result")
}

const NEXT: &str = "[[turn]]\nwhen = \"NEXT\"\non = \"prompt\"\ntimes = 0\nsteps = [{ tool = { name = \"again\" } }]\n[[turn]]\nwhen = \"NEXT\"\ntimes = 0\nsteps = [{ text = \"END\" }]\n";

#[test]
fn r84_r94_a_child_goes_on_after_a_restart_with_what_it_was() {
    let (play, id) = former(&(NEXT.to_owned() + &says("MORE", "SECOND")));
    let result = resume(&play, &id, Some("MORE"));
    assert!(result.contains("agent: pirate · status: completed") && result.ends_with("SECOND"), "{result}");
    assert_eq!(id_in(&result), id);
    let body = &play.bodies("MORE")[0];
    let said = body["messages"].to_string();
    assert_eq!(said.matches("Talk like a pirate.").count(), 1, "one message of the system's: {said}");
    assert!(said.contains("ANSWER") && body["model"] == "parrot", "{said}");
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(2), "{}", body["tools"]);
    assert_eq!(play.kids().len(), 1);
}

#[test]
fn r84_without_a_prompt_the_last_words_come_back() {
    let (play, id) = former(NEXT);
    let result = resume(&play, &id, None);
    assert!(result.contains("status: ended before") && result.ends_with("ANSWER"), "{result}");
}

#[test]
fn r84_an_unknown_session_is_an_error() {
    let play = Play::new(
        &[run("KID", json!({"resume": "0198c000-0000-7000-8000-000000000000"})), run("OTHER", json!({}))],
        &says("OTHER", "ANSWER"),
    );
    let results = play.run();
    assert!(
        results[0].contains("there is no agent with the session id \"0198c000-0000-7000-8000-000000000000\""),
        "{}",
        results[0]
    );
    assert!(results[1].contains("ANSWER"));
}

#[test]
fn r84_a_corrupt_record_is_passed_over_and_a_lost_profile_too() {
    let (play, id) = former(&(NEXT.to_owned() + &says("MORE", "SECOND")));
    fs::remove_file(play.world.config().join("agents/pirate.md")).expect("removed");
    let path = &play.kids()[0];
    let text = fs::read_to_string(path).expect("the file");
    assert_eq!(text.matches("\"role\":\"system\"").count(), 1, "there is a record to damage: {text}");
    fs::write(path, text.replace("\"role\":\"system\"", "\"role\":\"robot\"")).expect("written");
    let result = resume(&play, &id, Some("MORE"));
    assert!(result.contains("agent: pirate · status: completed") && result.ends_with("SECOND"), "{result}");
    let body = &play.bodies("MORE")[0];
    let tools: Vec<_> = body["tools"].as_array().into_iter().flatten().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(tools, ["std_ls", "std_read"]);
    let said = body["messages"].to_string();
    assert!(said.contains("KID") && said.contains("ANSWER") && !said.contains("robot"), "{said}");
}

#[test]
fn r84_a_child_whose_profile_is_lost_is_held_to_what_it_said() {
    let given = json!({"agent": "held", "tools": ["std.ls", "std.shell(echo *)", "std.write"]});
    let tries = |word, tool, input| calls(word, tool, &input);
    let turns = tries("MORE", "std.write", json!({"path": "made", "content": "x"}))
        + &tries("STILL", "std.shell", json!({"command": "touch made"}))
        + &says("KID", "ANSWER");
    let play = Play::new(&[run("KID", given)], &(NEXT.to_owned() + &turns));
    play.world.user("agents/held.md", "---\ndeny: [std.write]\nmax_turns: 2\n---\nHeld.\n");
    let id = id_in(&play.one());
    fs::remove_file(play.world.config().join("agents/held.md")).expect("removed");
    let result = resume(&play, &id, Some("MORE"));
    assert!(result.contains("agent: held") && result.contains("the rule `std.write` forbids it"), "{result}");
    let result = resume(&play, &id, Some("STILL"));
    assert!(result.contains("no rule of `allow` lets `touch made` run"), "{result}");
    assert!(!play.world.project().join("made").exists());
    let file = fs::read_to_string(&play.kids()[0]).expect("the file");
    fs::write(&play.kids()[0], file.replace(r#""deny":["std.write"]"#, r#""deny":["std.write("]"#)).expect("written");
    let result = resume(&play, &id, Some("MORE"));
    assert!(result.contains("can't be read in its file any more") && result.contains("`std.write(`"), "{result}");
}

#[test]
fn r84_limits_of_a_lost_profile_hold_too() {
    let lists = "[[turn]]\nwhen = \"MORE\"\ntimes = 0\nsteps = [{ tool = { name = \"std.ls\" } }]\n";
    let play = Play::new(&[run("KID", json!({"agent": "short"}))], &(NEXT.to_owned() + lists + &says("KID", "ANSWER")));
    play.world.user("agents/short.md", "---\nmax_turns: 2\n---\nShort.\n");
    let id = id_in(&play.one());
    fs::remove_file(play.world.config().join("agents/short.md")).expect("removed");
    let result = resume(&play, &id, Some("MORE"));
    assert!(result.contains("status: limit") && result.contains("limit of 2 model requests"), "{result}");
}

#[test]
fn a_child_without_tools_that_gave_a_form_is_resumed_under_its_id() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let turns =
        "[[turn]]\nwhen = \"KID\"\ntimes = 0\nsteps = [{ tool = { name = \"emit_result\", input = { n = 4 } } }]\n";
    let play = Play::new(&[run("KID", json!({"output_schema": schema, "tools": []}))], turns);
    let result = play.one();
    assert!(result.contains("(resumable)"), "{result}");
    let file = &play.kids()[0];
    assert!(file.to_string_lossy().contains(&id_in(&result)), "{file:?} of {result}");
}

#[test]
fn the_last_model_that_was_given_is_the_childs() {
    let (play, id) = former(&(NEXT.to_owned() + &says("MORE", "SECOND") + &says("LAST", "THIRD")));
    let again = |more: &str| {
        let code = format!(
            "panto.register_tool{{name = 'again', description = 'd', schema = {{type = 'object'}}, handler = function(_, call)
                return call:tool('subagents.run', {{description = 'again', resume = '{id}', {more}}}).text
            end}}"
        );
        play.world.user("extensions/again.lua", &code);
        play.world.run(&["-c", "-p", "NEXT"]).ok();
    };
    again("prompt = 'MORE', model = 'env:ara'");
    again("prompt = 'LAST'");
    assert_eq!((&play.bodies("MORE")[0]["model"], &play.bodies("LAST")[0]["model"]), (&json!("ara"), &json!("ara")));
}

#[test]
fn children_of_the_session_that_was_forked_are_resumed_in_the_fork() {
    let (play, id) = former(&(NEXT.to_owned() + &says("MORE", "SECOND")));
    play.world.user(
        "extensions/again.lua",
        &format!(
            "panto.register_tool{{name = 'again', description = 'd', schema = {{type = 'object'}}, handler = function(_, call)
                return call:tool('subagents.run', {{description = 'again', resume = '{id}', prompt = 'MORE'}}).text
            end}}"
        ),
    );
    let session =
        play.kids()[0].parent().and_then(|folder| folder.file_name()).expect("a folder").to_string_lossy().into_owned();
    let (_, session) = session.split_once('_').expect("a name with an id");
    play.world.run(&["--fork", session, "-p", "NEXT"]).ok();
    let result = play.model.results().pop().expect("a result");
    assert!(result.contains("agent: pirate · status: completed") && result.ends_with("SECOND"), "{result}");
    assert_ne!(id_in(&result), id, "it goes on as another");
    let body = &play.bodies("MORE")[0];
    let said = body["messages"].to_string();
    assert!(said.contains("ANSWER") && body["model"] == "parrot", "{said}");
    assert_eq!(said.matches("Talk like a pirate.").count(), 1, "{said}");
    assert_eq!(play.kids().len(), 2);
}
