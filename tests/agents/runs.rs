//! Runs: what they are asked for, how they are heard of, what they give.

use super::{Play, says};
use serde_json::json;

#[test]
fn r72_what_a_run_is_asked_for_is_checked_in_order() {
    let play = Play::new("");
    let out = play.json(
        "local a = passing()
        local function e(options) local job, why = a:run_async(options) return why end
        return {failing(a.run_async, a, 5), failing(a.run_async, a), e{}, e{metadata = 5}, e{prompt = 'x', metadata = 5},
            e{blocks = {}}, e{blocks = {5}}, e{prompt = 'x', wake_fd = 'x'}, e{prompt = 'x', max_turns = 'x'},
            e{prompt = 'x', wake_fd = 9999}:match('^run_async: wake_fd 9999 cannot be used')}",
    );
    let table = "panto: run_async expects a table";
    let prompt = "run_async: pass a prompt or blocks";
    assert_eq!(
        out,
        json!([
            table,
            table,
            prompt,
            prompt,
            "run_async: metadata must be a table",
            prompt,
            "run_async: block 1 must be a text or an image ({type = \"image\", mime, data})",
            "run_async: wake_fd must be the number of a descriptor, got string",
            "run_async: max_turns must be a whole number of requests, got string",
            "run_async: wake_fd 9999 cannot be used"
        ])
    );
}

#[test]
fn r73_the_life_of_a_job() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local a = passing()
        local job = a:run_async{blocks = {'KID', {type = 'text', text = 'more'}}}
        local early, again, why = job:result(), a:run_async{prompt = 'KID'}
        local r = job:await()
        local kinds = {}
        for event in function() return job:next_event() end do
            local last = event.type .. (event.status and ':' .. event.status or '') .. (event.text and ':' .. event.text or '')
            if event.type ~= 'usage' then kinds[#kinds + 1] = last end
        end
        local out = {early = early == nil, again = again == nil, why = why, same = job:result() == r, status = r.status, text = r.text,
            calls = tostring(r.tool_calls), id = r.session_id == a:session_id(), used = r.usage.output > 0, kinds = kinds}
        job:request_cancel()
        out.still = job:result().status
        job:close() job:close()
        out.closed = job:result() == nil and job:next_event() == nil and job:await() == nil and job:await_event() == nil
        return out",
    );
    assert_eq!(
        out,
        json!({"early": true, "again": true, "why": "run_async: the agent is still running: wait for its job first", "same": true,
            "status": "completed", "text": "ANSWER", "calls": "nil", "id": true, "used": true,
            "kinds": ["status:running", "text:ANSWER", "status:completed"], "still": "completed", "closed": true})
    );
}

#[test]
fn r73_events_tell_of_calls_and_can_be_waited_for() {
    let play = Play::new(
        r#"
[[turn]]
when = "KID"
on = "prompt"
steps = [{ thinking = "hm" }, { tool = { name = "std.shell", input = { command = "echo live; exit 3" } } }]
[[turn]]
when = "KID"
on = "results"
steps = [{ text = "done" }]
"#,
    );
    let out = play.json(
        "local a, seen, end_ = passing(), {}, nil
        a:set_tools(ext.agent:tools())
        local job = a:run_async{prompt = 'KID'}
        for event in function() return job:await_event() end do
            if seen[#seen] ~= event.type then seen[#seen + 1] = event.type end
            if event.type == 'tool_start' then assert(event.input.command and event.title and event.call_id) end
            if event.type == 'tool_end' then end_ = event end
        end
        return {seen = table.concat(seen, ' '), name = end_.name, failed = end_.is_error, text = end_.text:match('live'),
            took = math.type(end_.took_ms)}",
    );
    assert_eq!(out["seen"], "status thinking usage tool_start tool_update tool_end text usage status");
    assert_eq!((&out["name"], &out["text"], &out["took"]), (&json!("std.shell"), &json!("live"), &json!("integer")));
}

#[test]
fn r74_undispatched_calls_are_returned_and_not_run() {
    let play = Play::new(
        r#"
[[turn]]
when = "KID"
times = 0
steps = [{ text = "I call" }, { tool = { name = "emit_result", input = { b = [1], a = "x" } } }]
"#,
    );
    let out = play.json(
        "local config = ext.resolve_model{model = 'env:child', tool_choice = {type = 'tool', name = 'emit_result'}}
        local a = child{config = config, store = panto.null_store()}
        a:set_tools{{name = 'emit_result', description = 'd', schema = {type = 'object'}, handler = function() error('it ran') end}}
        local r = a:run{prompt = 'KID', dispatch_tools = false}
        local call = r.tool_calls[1]
        return {status = r.status, text = r.text, n = #r.tool_calls, name = call.name, kind = type(call.input),
            input = ext.json.decode(call.input), id = type(call.id)}",
    );
    assert_eq!(
        out,
        json!({"status": "completed", "text": "I call", "n": 1, "name": "emit_result", "kind": "string",
            "input": {"b": [1], "a": "x"}, "id": "string"})
    );
    assert_eq!(play.model.asked().iter().filter(|asked| *asked == "KID").count(), 1);
}

#[test]
fn r76_several_run_at_once_and_the_first_to_settle_wins() {
    let gated = |word: &str| {
        format!("[[turn]]\nwhen = \"{word}\"\nsteps = [{{ gate = \"{word}\" }}, {{ text = \"from {word}\" }}]\n")
    };
    let play = Play::new(&["ONE", "TWO", "THREE"].map(gated).concat());
    play.extension(
        "local one, two = passing():run_async{prompt = 'ONE'}, passing():run_async{prompt = 'TWO'}
        local r, which = task.first{one, two}
        local still = one:result() == nil
        panto.fs.write('two-is-in', '')
        local all = task.all{one, two}
        local nothing, why = passing():run_async{prompt = 'THREE'}:await(0)
        return {r.text, which, still, all[1].text, all[2].text, why}",
        "",
    );
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("ONE").reached("TWO").open("TWO");
    play.comes("two-is-in");
    play.model.open("ONE");
    assert!(running.wait().expect("it ends").success());
    let out: serde_json::Value = serde_json::from_str(&play.model.results()[0]).expect("JSON");
    assert_eq!(out, json!(["from TWO", 2, true, "from ONE", "from TWO", "timeout"]));
}

#[test]
fn r76_the_wake_pipe_gets_a_byte_for_events_and_the_end() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local path = panto.fs.tempfile('wake-')
        panto.fs.remove(path)
        assert(panto.process.run{argv = {'mkfifo', path}}.code == 0)
        local reader, writer = io.open(path, 'r+'), io.open(path, 'w')
        local fd
        for _, entry in ipairs(panto.fs.list('/proc/self/fd')) do
            local ok, real = pcall(panto.fs.realpath, '/proc/self/fd/' .. entry.name)
            if ok and real == panto.fs.realpath(path) then fd = math.tointeger(tonumber(entry.name)) end
        end
        local job, n = passing():run_async{prompt = 'KID', wake_fd = fd}, 0
        job:await()
        writer:write('X') writer:flush()
        while reader:read(1) ~= 'X' do n = n + 1 end
        local events = 0
        while job:next_event() do events = events + 1 end
        return {n > 0, n <= events + 1, events}",
    );
    assert_eq!((&out[0], &out[1]), (&json!(true), &json!(true)), "{out}");
}

#[test]
fn r76_a_run_is_steered_while_it_goes_on() {
    let play = Play::new(
        r#"
[[turn]]
when = "KID"
on = "prompt"
steps = [{ gate = "begun" }, { text = "first" }]
[[turn]]
when = "STEERED"
steps = [{ text = "second" }]
"#,
    );
    play.model.open("begun");
    let out = play.json(
        "local job = passing():run_async{prompt = 'KID'}
        local taken = job:steer('STEERED')
        local r = job:await()
        return {taken, r.text, job:steer('late'), failing(job.steer, job, 5):match('a string expected')}",
    );
    assert_eq!(out, json!([true, "second", false, "a string expected"]));
}
