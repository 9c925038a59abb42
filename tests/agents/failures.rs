//! What goes wrong with one child stays with it.

use super::{Play, says};
use serde_json::json;
use std::time::{Duration, Instant};

const HANGS: &str = "[[turn]]\nwhen = \"HANG\"\ntimes = 0\nsteps = [{ text = \"begun\" }, { gate = \"never\" }]\n";

/// What a folder's session files hold.
fn kept(play: &Play) -> String {
    let files = std::fs::read_dir(play.world.project().join("kids")).into_iter().flatten().flatten();
    files.filter_map(|f| std::fs::read_to_string(f.path()).ok()).collect()
}

#[test]
fn r85_a_failed_child_has_its_error_and_the_others_their_results() {
    let broken =
        "[[turn]]\nwhen = \"BROKEN\"\ntimes = 0\nsteps = [{ status = { code = 500, message = \"BROKE-DOWN\" } }]\n";
    let play = Play::new(&format!("{broken}{}", says("KID", "ANSWER")));
    let out = play.json(
        "local all = {}
        for i, word in ipairs{'KID', 'BROKEN', 'KID'} do all[i] = child():run_async{prompt = word} end
        local r = task.all(all)
        return {r[1].text, r[2].status, r[2].error, r[3].text, store:resolve(r[2].session_id) == nil, all[2]:info().state}",
    );
    assert_eq!(
        (&out[0], &out[1], &out[3], &out[4], &out[5]),
        (&json!("ANSWER"), &json!("failed"), &json!("ANSWER"), &json!(true), &json!("failed"))
    );
    assert!(out[2].as_str().is_some_and(|e| e.contains("BROKE-DOWN")), "{out}");
}

#[test]
fn r73_a_cancelled_child_settles_at_once_and_can_be_resumed() {
    let play = Play::new(&format!("{HANGS}{}", says("KID", "ANSWER")));
    let out = play.json(
        "local a = child()
        local job = a:run_async{prompt = 'HANG'}
        repeat local e = job:await_event() until e.type == 'text'
        job:request_cancel()
        local r = job:result()
        while not store:resolve(a:session_id()) do task.sleep(0.01) end
        local why
        repeat
            local more
            more, why = a:run_async{prompt = 'KID'}
            if not more then task.sleep(0.01) end
        until not why
        return {r.status, r.error, job:result() == r, why == nil}",
    );
    assert_eq!(out, json!(["cancelled", "cancelled", true, true]));
    assert!(kept(&play).contains("begun"), "what was said is kept");
}

#[test]
fn a_job_that_is_closed_while_it_runs_ends_and_who_waits_is_told() {
    let play = Play::new(HANGS);
    let out = play.json(
        "local a = passing()
        local job = a:run_async{prompt = 'HANG'}
        job:await_event()
        local waiter = task.spawn(function() return job:await() == nil and job:await_event() == nil end)
        task.sleep(0)
        job:close()
        return {waiter:await(), ext.jobs()[1].state, job:info().state, job:result() == nil}",
    );
    assert_eq!(out, json!([true, "cancelled", "cancelled", true]));
}

#[test]
fn a_job_that_nobody_holds_is_closed_unless_it_was_let_go() {
    let play = Play::new(HANGS);
    let out = play.json(
        "passing():run_async{prompt = 'HANG'}
        local kept = passing():run_async{prompt = 'HANG'}:detach().id
        do local block <close> = passing():run_async{prompt = 'HANG'} end
        collectgarbage() collectgarbage()
        local states = {}
        for i, job in ipairs(ext.jobs()) do states[i] = job.state:gsub('queued', 'running') end
        return states",
    );
    // The list has those that are over first.
    assert_eq!(out, json!(["cancelled", "cancelled", "running"]));
}

#[test]
fn a01_jobs_end_with_the_call_that_started_them_unless_they_are_let_go() {
    let calls = |on: &str, tool: &str| {
        format!("[[turn]]\nwhen = \"TWICE\"\non = \"{on}\"\nsteps = [{{ tool = {{ name = \"{tool}\" }} }}]\n")
    };
    let end = "[[turn]]\nwhen = \"TWICE\"\nsteps = [{ text = \"END\" }]\n";
    let play = Play::new(&format!("{}{}{end}{HANGS}", calls("prompt", "starter"), calls("results", "probe")));
    play.extension(
        "local states = {}
        for _, job in ipairs(ext.jobs()) do states[job.id] = job.state end
        return states[bound] .. ' ' .. (states[free] == 'cancelled' and 'ended' or 'alive')",
        "local keep = {}
        panto.register_tool{name = 'starter', description = 'd', schema = {type = 'object'}, handler = function()
            keep[1], keep[2] = passing():run_async{prompt = 'HANG'}, passing():run_async{prompt = 'HANG'}
            bound, free = keep[1].id, keep[2]:detach().id
        end}",
    );
    play.world.run(&["-p", "TWICE"]).ok();
    assert_eq!(play.model.results(), ["cancelled alive"]);
}

#[test]
fn esc_on_the_parent_ends_its_children_and_all_is_written() {
    let play = Play::new(HANGS);
    play.extension(
        "local job = child():run_async{prompt = 'HANG'}
        repeat local e = job:await_event() until e.type == 'text'
        panto.fs.write('it-has-begun', '')
        job:await()",
        "",
    );
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.comes("it-has-begun");
    let killed = std::process::Command::new("kill").arg(running.id().to_string()).status();
    assert!(killed.is_ok_and(|s| s.success()));
    let begun = Instant::now();
    running.wait().expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let text = kept(&play);
    assert!(text.contains("HANG") && text.contains("begun") && text.contains("aborted"), "{text}");
}
