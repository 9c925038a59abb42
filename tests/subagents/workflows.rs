//! Graphs of agents from files, and Lua that the model writes.

use super::{Play, says};
use crate::play::open;
use serde_json::json;

const FLOW: &str = r#"
description = "Looks twice, then sums up"
[[step]]
name = "one"
prompt = "ONE with {{args}}"
[[step]]
name = "two"
prompt = "TWO"
on_failure = "continue"
[[step]]
name = "sum"
needs = ["one"]
prompt = "SUM of {{steps.one.output}} and {{steps.two.output}}"
"#;

fn flow(turns: &str, args: serde_json::Value) -> Play {
    let play = Play::new(&[("subagents.workflow", json!({"name": "twice", "args": args}))], turns);
    play.world.user("workflows/twice.toml", FLOW);
    play
}

const BROKEN: &str = "steps = [{ status = { code = 400, message = \"IT-BROKE\" } }]\n";

#[test]
fn r93_independent_steps_run_side_by_side_and_dependents_after() {
    let gated = |word: &str| {
        format!(
            "[[turn]]\nwhen = \"{word}\"\nsteps = [{{ gate = \"{word}\" }}, {{ text = \"{word}-SAID {{{{args}}}}\" }}]\n"
        )
    };
    let play = flow(&(says("SUM of", "SUMMED") + &["ONE", "TWO"].map(gated).concat()), json!("ARGS"));
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("ONE").reached("TWO");
    play.model.open("ONE").open("TWO");
    assert!(running.wait().expect("it ends").success());
    assert!(play.asked("ONE with ARGS"));
    // What a step says is text, and nothing in it is put in again.
    let sums: Vec<_> = play.model.asked().into_iter().filter(|asked| asked.contains("SUM of")).collect();
    assert!(sums.len() == 1 && sums[0].contains("SUM of ONE-SAID {{args}} and TWO-SAID {{args}}"), "{sums:?}");
    let result = play.model.results().pop().expect("a result");
    assert!(result.contains("- sum: completed") && result.ends_with("SUMMED"), "{result}");
}

#[test]
fn r93_a_failed_step_skips_what_needs_it_unless_it_may_fail() {
    let play = flow(&(format!("[[turn]]\nwhen = \"ONE\"\ntimes = 0\n{BROKEN}") + &says("TWO", "B")), json!(""));
    let result = play.one();
    assert!(
        result.contains("- one: failed\n- two: completed\n- sum: skipped") && result.contains("IT-BROKE"),
        "{result}"
    );
    assert!(!play.asked("SUM of"));

    let play = flow(
        &(says("SUM of", "SUMMED") + &says("ONE", "A") + &format!("[[turn]]\nwhen = \"TWO\"\ntimes = 0\n{BROKEN}")),
        json!(""),
    );
    let result = play.one();
    assert!(result.contains("- two: failed\n- sum: completed") && result.contains("SUMMED"), "{result}");
}

#[test]
fn r93_bad_workflows_are_told_by_file_when_they_are_loaded() {
    let play = Play::new(&[("subagents.workflow", json!({"name": "loop"}))], "");
    let step = |name: &str, more: &str| format!("[[step]]\nname = '{name}'\nprompt = 'x'\n{more}\n");
    let bad = [
        ("loop", step("a", "needs = ['b']") + &step("b", "needs = ['a']"), "in a circle: a → b → a"),
        ("self", step("a", "needs = ['a']"), "in a circle: a → a"),
        ("lost", step("a", "needs = ['nobody']"), "step `a` needs `nobody`, and there is no such step"),
        ("output", "[[step]]\nname = 'a'\nprompt = '{{steps.ghost.output}}'\n".into(), "needs `ghost`"),
        ("double", step("a", "") + &step("a", ""), "two steps are called `a`"),
        ("field", step("a", "need = ['b']"), "there is no field `need`; is it `needs`?"),
        ("failure", step("a", "on_failure = 'stop'"), "`on_failure` has to be"),
        ("empty", "description = 'd'".into(), "there are no steps"),
        ("toml", "[[step]\n".into(), "line 1: "),
    ];
    for (name, text, _) in &bad {
        play.world.user(&format!("workflows/{name}.toml"), text);
    }
    let ran = play.world.run(&["-p", "PARENT"]).ok();
    for (name, _, told) in &bad {
        let line = ran.err.lines().find(|line| line.contains(&format!("{name}.toml: ")));
        assert!(line.is_some_and(|line| line.contains(told)), "{name}: {told:?} in {}", ran.err);
    }
    assert!(play.model.results()[0].contains("there is no workflow named \"loop\""));
}

#[test]
fn r93_a_workflow_is_a_command_whose_results_go_to_the_model() {
    let turns = says("SUM of", "SUMMED")
        + &says("ONE with", "A")
        + &says("TWO", "B")
        + &says("was run", "THE-MODEL-HAS-READ-IT");
    let play = flow(&turns, json!(""));
    let mut t = open(&play.world, &[], (100, 30));
    t.type_("/workflow:tw");
    t.wait("Looks twice, then sums up");
    t.submit("ice SOME-ARGS").wait("THE-MODEL-HAS-READ-IT");
    assert!(play.asked("ONE with SOME-ARGS") && play.asked("/workflow:twice SOME-ARGS was run"));
}

fn lua(code: &str, turns: &str) -> String {
    Play::new(&[("subagents.lua", json!({"code": code, "args": {"word": "KID"}}))], turns).one()
}

#[test]
fn r92_lua_of_the_models_starts_agents_and_works_with_their_results() {
    let turns = says("KID", "ANSWER") + &format!("[[turn]]\nwhen = \"LOST\"\ntimes = 0\n{BROKEN}");
    let code = "local seen = 0
        local all = agents.each({args.word, {prompt = 'LOST'}, {prompt = 'x', agent = 'nobody'}}, function(result, i) seen = seen + i end)
        local words = {}
        for i, r in ipairs(all) do words[i] = r.ok and r.output or r.status .. ' ' .. r.error:match('IT%-BROKE' ) or r.error end
        local two = agents.map({'a', 'b'}, function(item) return 'KID ' .. item end)
        local handle = agents.start('KID')
        return seen, all[1].output, all[2].error:match('IT%-BROKE'), all[3].error:match('no agent'), #two, handle:await().status";
    let code = code.replace("for i, r in ipairs(all) do words[i] = r.ok and r.output or r.status .. ' ' .. r.error:match('IT%-BROKE' ) or r.error end\n", "");
    assert_eq!(lua(&code, &turns), "6\nANSWER\nIT-BROKE\nno agent\n2\ncompleted");
}

#[test]
fn r92_errors_of_the_code_come_back_as_text() {
    assert!(lua("error('kaboom')", "").contains("lua:1: kaboom"));
    assert!(lua("return +", "").contains("lua:1:"));
    assert!(lua("agents.run(5)", "").contains("agents.run: a prompt or a table {prompt = …} expected, got number"));
    assert!(lua("return io, os.execute, require", "").contains("returned and printed nothing"));
}

#[test]
fn a_cancelled_agent_is_a_result_of_the_code_as_any_other() {
    let code = "local h = agents.start('KID'); h:cancel(); local r = h:await(); return r.status, r.ok";
    let play = Play::new(&[("subagents.lua", json!({"code": code}))], &says("KID", "A"));
    assert_eq!(play.one(), "cancelled\nfalse");
}
