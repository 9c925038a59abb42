//! What comes back: several at once, failures, forms, long outputs, and what is shown meanwhile.

use super::{Play, run, says};
use serde_json::json;
use std::fs;

fn broken(word: &str) -> String {
    format!(
        "[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ status = {{ code = 400, message = \"{word}-BROKE\" }} }}]\n"
    )
}

fn gated(word: &str) -> String {
    format!("[[turn]]\nwhen = \"{word}\"\nsteps = [{{ gate = \"{word}\" }}, {{ text = \"from {word}\" }}]\n")
}

#[test]
fn r83_a_result_names_agent_session_status_and_output() {
    let wishes = [run("KID", json!({})), run("LOST", json!({}))];
    let play = Play::new(&wishes, &(says("KID", "ANSWER") + &broken("LOST")));
    let results = play.run();
    assert!(results[0].starts_with("agent: general · status: completed · session: "), "{}", results[0]);
    assert!(results[0].ends_with("(resumable)\n\nANSWER"), "{}", results[0]);
    assert!(results[1].contains("status: failed") && results[1].contains("(not resumable)"), "{}", results[1]);
}

#[test]
fn r85_a_failed_child_leaves_the_results_of_the_others() {
    let tasks = json!({"tasks": [{"prompt": "ONE"}, {"prompt": "TWO"}, {"prompt": "THREE", "agent": "nobody"}]});
    let play = Play::new(&[("subagents.run", tasks)], &(says("ONE", "FIRST") + &broken("TWO")));
    let result = play.one();
    assert!(result.contains("## 1. ONE") && result.contains("FIRST") && result.contains("TWO-BROKE"), "{result}");
    assert!(result.contains("there is no agent named \"nobody\""), "{result}");
}

#[test]
fn r86_results_are_in_order_and_the_first_to_end_can_be_had() {
    let code = "local r, which = agents.first{'THREE', 'FOUR'} return which .. ' ' .. r.output";
    let wishes = [
        ("subagents.run", json!({"tasks": [{"prompt": "ONE"}, {"prompt": "TWO"}]})),
        ("subagents.lua", json!({"code": code})),
    ];
    let play = Play::new(&wishes, &["ONE", "TWO", "THREE", "FOUR"].map(gated).concat());
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("ONE").reached("TWO").reached("THREE").reached("FOUR");
    play.model.open("TWO").open("FOUR").open("ONE");
    assert!(running.wait().expect("it ends").success());
    let results = play.model.results();
    let (one, two) = (results[0].find("from ONE"), results[0].find("from TWO"));
    assert!(one.is_some() && one < two, "{}", results[0]);
    assert_eq!(results[1], "2 from FOUR");
}

#[test]
fn r87_a_main_chunk_may_wait_for_a_child() {
    let play = Play::new(&[("probe", json!({}))], &says("KID", "ANSWER"));
    play.world.user(
        "extensions/probe.lua",
        "local agent = panto.agent{config = assert(panto.ext.resolve_model{model = 'env:child'}), store = panto.null_store()}
        local first = agent:run{prompt = 'KID'}
        local job = agent:run_async{prompt = 'KID'}
        local kinds = {}
        repeat
            local event = job:await_event()
            kinds[#kinds + 1] = event and event.type
        until not event
        panto.register_tool{name = 'probe', description = 'd', schema = {type = 'object'}, handler = function()
            return first.text .. ' ' .. job:result().text .. ' ' .. table.concat(kinds, ',')
        end}",
    );
    assert_eq!(play.one(), "ANSWER ANSWER status,text,usage,status");
}

#[test]
fn r88_what_children_do_is_shown_meanwhile() {
    let play = Play::new(
        &[run("ONE", json!({})), run("TWO", json!({"agent": "explore"}))],
        &(gated("ONE") + &says("TWO", "B")),
    );
    play.model.open("ONE");
    let out = play.world.run(&["-p", "PARENT", "--output-format", "stream-json"]).ok().out;
    for line in ["○ job ONE · general · queued", "✓ job TWO · explore · completed"] {
        assert!(out.contains(line), "{line} in {out}");
    }
}

#[test]
fn r90_a_result_in_a_form_is_given_by_a_tool() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
    let steps = |word: &str, input: &str| {
        format!(
            "[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ tool = {{ name = \"emit_result\", input = {input} }} }}]\n"
        )
    };
    let wishes = [
        run("ONE", json!({"tools": [], "output_schema": schema})),
        run("TWO", json!({"tools": [], "output_schema": {"type": "array", "items": {"type": "string"}}})),
        run("THREE", json!({"tools": [], "output_schema": schema})),
        run("FOUR", json!({"tools": [], "output_schema": schema})),
        run("FIVE", json!({"tools": [], "output_schema": {"not": {}}})),
    ];
    let turns = [
        steps("ONE", "{ n = 7 }"),
        steps("TWO", "{ result = [\"a\", \"b\"] }"),
        steps("THREE", "{ n = \"seven\" }"),
        says("FOUR", "seven"),
        steps("FIVE", "{ result = 1 }"),
    ];
    let repeated = "[[turn]]\nwhen = \"not accepted\"\ntimes = 0\nsteps = [{ text = \"no\" }]\n";
    let play = Play::new(&wishes, &(turns.concat() + repeated));
    let results = play.run();
    assert!(results[0].ends_with("\n\n{\"n\":7}") && results[1].ends_with("\n\n[\"a\",\"b\"]"), "{results:?}");
    for (result, told) in [
        (&results[2], "did not call emit_result (after 3"),
        (&results[3], "the model did not call emit_result (after 3 attempts)"),
        (&results[4], "after 3 attempts"),
    ] {
        assert!(result.contains("status: failed") && result.contains(told), "{told} in {result}");
    }
    let body = &play.bodies("ONE")[0];
    assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "emit_result"}}));
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(1));
    assert!(play.asked(
        "That was not accepted: the result does not fit output_schema: /n: \"seven\" is not of type \"integer\""
    ));
}

#[test]
fn r90_a_child_with_tools_may_give_it_when_it_is_done() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let turns = r#"
[[turn]]
when = "KID"
on = "prompt"
steps = [{ tool = { name = "std.ls", input = {} } }]
[[turn]]
when = "KID"
on = "results"
times = 0
steps = [{ tool = { name = "emit_result", input = { n = 3 } } }]
"#;
    let mut play = Play::new(&[run("KID", json!({"output_schema": schema}))], turns);
    // Nobody is asked about it.
    play.world.set("PANTO_MODE", "workspace");
    assert!(play.one().ends_with("\n\n{\"n\":3}"));
    // That ends its work, also where the model would go on giving it.
    assert_eq!(play.bodies("KID").len(), 2);
}

#[test]
fn long_outputs_are_cut_and_the_whole_is_in_a_file() {
    let long = format!("BEGINNING {} END-OF-IT", "ü".repeat(60_000));
    let play = Play::new(&[run("KID", json!({}))], &says("KID", &long));
    let result = play.one();
    assert!(result.len() < 52_000 && result.contains("BEGINNING") && result.contains("END-OF-IT"));
    assert!(!result.contains('\u{fffd}'));
    let path = result.split("the whole is in ").nth(1).and_then(|rest| rest.split(']').next()).expect("a path");
    assert_eq!(fs::read_to_string(path).expect("the file"), long);
}

#[test]
fn a_form_that_nothing_fits_ends_a_child_with_tools_too() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 3}}, "required": ["n"]});
    let turns =
        "[[turn]]\nwhen = \"KID\"\ntimes = 0\nsteps = [{ tool = { name = \"emit_result\", input = { n = 4 } } }]\n";
    let mut play = Play::new(&[run("KID", json!({"output_schema": schema}))], turns);
    play.world.set("PANTO_MODE", "workspace");
    let result = play.one();
    assert!(
        result.contains("status: failed") && result.contains("does not fit output_schema (after 3 attempts)"),
        "{result}"
    );
    assert!(result.contains("4 is less than the minimum of 5"), "{result}");
}

#[test]
fn results_that_are_no_objects_come_as_they_are() {
    let given = |word: &str, value: &str| {
        format!(
            "[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ tool = {{ name = \"emit_result\", input = {{ result = {value} }} }} }}]\n"
        )
    };
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/i"}, "$defs": {"i": {"type": "integer"}}});
    let wishes =
        [run("ONE", json!({"output_schema": {"type": "boolean"}})), run("TWO", json!({"output_schema": list}))];
    let mut play = Play::new(&wishes, &(given("ONE", "false") + &given("TWO", "[1, 2]")));
    play.world.set("PANTO_MODE", "workspace");
    let results = play.run();
    assert!(results[0].ends_with("\n\nfalse") && results[1].ends_with("\n\n[1,2]"), "{results:?}");
}
