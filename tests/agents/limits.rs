//! How many, how deep, how long.

use super::{Play, says};
use serde_json::json;

#[test]
fn r82_beyond_max_parallel_jobs_wait_for_their_turn() {
    let play = Play::new(
        "[[turn]]\nwhen = \"FIRST\"\nsteps = [{ gate = \"first\" }, { text = \"one\" }]\n[[turn]]\nwhen = \"SECOND\"\nsteps = [{ text = \"two\" }]\n",
    );
    play.world.user("config.toml", "[jobs]\nmax_parallel = 1\n");
    play.extension(
        "local a, b = passing():run_async{prompt = 'FIRST'}, passing():run_async{prompt = 'SECOND'}
        repeat local e = a:await_event() until e.status == 'running'
        local states = a:info().state .. ' ' .. b:info().state
        local r = task.all{a, b}
        return states .. ' ' .. r[1].text .. ' ' .. r[2].text",
        "",
    );
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("first");
    assert!(!play.model.asked().iter().any(|asked| asked == "SECOND"));
    play.model.open("first");
    assert!(running.wait().expect("it ends").success());
    assert_eq!(play.model.results(), ["running queued one two"]);
}

#[test]
fn a06_agents_that_start_agents_end_at_max_depth_and_do_not_stand_in_each_others_way() {
    let play = Play::new(
        r#"
[[turn]]
when = "DIG"
on = "prompt"
times = 0
steps = [{ tool = { name = "dig" } }]
[[turn]]
when = "DIG"
on = "results"
times = 0
steps = [{ text = "> {{result}}" }]
"#,
    );
    play.world.user("config.toml", "[jobs]\nmax_parallel = 1\nmax_depth = 2\n");
    let out = play.probe_with(
        "return dig()",
        "function dig()
            local a = passing()
            for _, t in ipairs(ext.agent:tools()) do if t.name == 'dig' then a:set_tools{t} end end
            local job, why = a:run_async{prompt = 'DIG'}
            return job and job:await().text or why
        end
        panto.register_tool{name = 'dig', description = 'd', schema = {type = 'object'}, handler = function() return dig() end}",
    );
    assert_eq!(out, "> > run_async: agents may be nested 2 deep, and this one would be deeper ([jobs] max_depth)");
}

#[test]
fn a_limit_ends_a_run_with_what_was_said() {
    let play = Play::new(
        "[[turn]]\nwhen = \"KID\"\ntimes = 0\nsteps = [{ text = \"so far\" }, { tool = { name = \"std.ls\" } }]\n",
    );
    let out = play.json(
        "local a = passing()
        a:set_tools(ext.agent:tools())
        local r = a:run{prompt = 'KID', max_turns = 2}
        return {r.status, r.error, r.text, #a:conversation():messages()}",
    );
    assert_eq!((&out[0], &out[2], &out[3]), (&json!("limit"), &json!("so far"), &json!(5)), "{out}");
    assert!(out[1].as_str().is_some_and(|e| e.contains("limit of 2 model requests")), "{out}");
}

#[test]
fn a07_sixteen_children_all_end() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local all = {}
        for i = 1, 16 do all[i] = child():run_async{prompt = 'KID ' .. i} end
        local n = 0
        for _, r in ipairs(task.all(all)) do n = n + (r.text == 'ANSWER' and 1 or 0) end
        return {n, #store:list(), #ext.jobs()}",
    );
    assert_eq!(out, json!([16, 16, 16]));
}
