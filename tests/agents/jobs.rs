//! Jobs in the list, for faces and for scripts.

use super::{Play, says, setup};
use panto::backend::{self, Code, Command, Event, Extensions, Reply};
use panto::config::Options;
use panto::lua::{self, Config, Sources};
use panto::util::paths::Paths;
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn work_of_an_extension_is_a_job_until_it_returns() {
    let play = Play::new("");
    let out = play.json(
        "local good = ext.spawn_job{title = 'index', run = function(work)
            work:progress('half')
            task.sleep(0.01)
            assert(not work:cancelled())
            return {files = 3}
        end}
        local bad = ext.spawn_job{title = 'bad', run = function() error('kaboom') end}
        local long = ext.spawn_job{title = 'long', run = function(work) task.sleep(60) end}
        local r, b = good:await(), bad:await()
        long:request_cancel()
        local seen = {}
        for i, job in ipairs(ext.jobs()) do seen[job.name] = job.kind .. ' ' .. job.state .. ' ' .. tostring(job.progress) end
        return {r.status, r.text, b.status, b.error:match('kaboom'), long:await().status, seen,
            failing(ext.spawn_job, 5), failing(ext.spawn_job, {title = 'x'})}",
    );
    assert_eq!(
        out.as_array().expect("a list")[..6],
        [
            json!("completed"),
            json!(r#"{"files":3}"#),
            json!("failed"),
            json!("kaboom"),
            json!("cancelled"),
            json!({"index": "task completed half", "bad": "task failed nil", "long": "task cancelled nil"})
        ]
    );
    assert!(out[6].as_str().is_some_and(|e| e.contains("panto.ext.spawn_job: a table {title, run} expected")), "{out}");
    assert!(out[7].as_str().is_some_and(|e| e.contains("`run` must be a function")), "{out}");
}

#[test]
fn scripts_and_faces_hear_of_jobs() {
    let play = Play::new(&says("KID", "ANSWER"));
    play.extension(
        "local r = passing():run{prompt = 'KID', name = 'the kid'}
        while not log:find('end') do task.sleep(0.01) end
        return log",
        "log = ''
        for _, name in ipairs{'start', 'update', 'end'} do
            panto.ext.on('job_' .. name, function(e)
                log = log .. name .. ':' .. e.job.name .. ':' .. e.job.state .. ' '
            end)
        end",
    );
    let out = play.world.run(&["-p", "PARENT", "--output-format", "stream-json"]).ok().out;
    let log = play.model.results().remove(0);
    assert!(log.starts_with("start:the kid:queued update:the kid:running "), "{log}");
    assert!(log.ends_with("end:the kid:completed "), "{log}");
    let frames: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |event: &str| frames.iter().find(|f| f["event"] == event).unwrap_or_else(|| panic!("no {event}: {out}"));
    assert_eq!(of("job_started")["data"]["job"]["kind"], "agent");
    let job = &of("job_finished")["data"]["job"];
    assert_eq!(
        (&job["state"], &job["model"], &job["name"]),
        (&json!("completed"), &json!("env:child"), &json!("the kid"))
    );
    assert!(job["usage"]["output"].as_u64().is_some_and(|n| n > 0), "{job}");
    let listed =
        |f: &&Value| f["event"] == "session_changed" && f["data"]["session"]["jobs"][0]["state"] == "completed";
    assert!(frames.iter().any(|f| listed(&f)), "the snapshot lists it: {out}");
}

#[test]
fn a_child_that_would_ask_is_refused_where_nobody_is_there() {
    let play = Play::new(
        r#"
[[turn]]
when = "KID"
on = "prompt"
steps = [{ tool = { name = "risky" } }]
[[turn]]
when = "KID"
on = "results"
steps = [{ text = "told: {{result}}" }]
"#,
    );
    play.extension(
        "local a, seen = passing(), {}
        a:set_tools{{name = 'risky', handler = function() return 'RAN' end}}
        local job = a:run_async{prompt = 'KID', name = 'the kid'}
        for event in function() return job:await_event() end do
            if event.type == 'question' then seen[#seen + 1] = event.tool_name .. ' ' .. event.reason end
            if event.type == 'status' then seen[#seen + 1] = event.status end
        end
        return table.concat(seen, ';') .. ';' .. job:result().text",
        "panto.ext.on('approval', function(e) if e.name == 'risky' then return {ask = 'may it?', rule = 'risky'} end end)",
    );
    play.world.run(&["-p", "PARENT"]).ok();
    let [told] = &play.model.results()[..] else { panic!("one result") };
    assert!(told.starts_with("running;completed;told: risky was not run: it needs the approval"), "{told}");
    assert!(told.contains("nobody is there to be asked (may it?)") && told.contains(r#"allow = ["risky"]"#), "{told}");
}

/// An extension whose job runs until it is stopped.
fn background(title: &str) -> String {
    format!("panto.ext.spawn_job{{title = '{title}', run = function() panto.task.sleep(600) end}}")
}

#[tokio::test]
async fn jobs_of_an_extension_end_with_it_and_faces_can_stop_any() {
    let root = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    write("config/extensions/t.lua", &background("of the user"));
    write(".panto/extensions/t.lua", &background("of the project"));
    let options = Options { model: "faux:demo".into(), mode: panto::config::Mode::Auto, ..Options::default() };
    let handle = lua::start(Config {
        face: lua::Face::default(),
        options: options.clone().into(),
        paths: Paths { data: root.path().join("data"), config: root.path().join("config"), home: None },
        cwd: root.path().to_owned(),
        sources: Sources { shipped: false, ..Sources::default() },
        builtin_commands: vec![],
    });
    let setup = setup(root.path(), options, vec![Arc::new(handle.clone())], Arc::new(handle.clone()));
    let mut link = backend::start(setup).await.expect("it starts");
    let next = async |wanted: &str, link: &mut backend::Link| loop {
        let (name, job) = match link.events.recv().await.expect("more comes") {
            Event::JobStarted(job) => ("started", job),
            Event::JobFinished(job) => ("finished", job),
            _ => continue,
        };
        if name == wanted {
            return job;
        }
    };
    let first = next("started", &mut link).await;
    assert_eq!(first.name, "of the user");
    assert_eq!(handle.load(true).await, []);
    let ended = next("finished", &mut link).await;
    assert_eq!((&ended.id, ended.state.name()), (&first.id, "cancelled"));
    let second = next("started", &mut link).await;
    assert_eq!(second.name, "of the project");
    let talk = Command::MessageJob { job_id: second.id.clone(), text: "hello".into() };
    let talk = link.send(talk).await.expect("an answer");
    assert_eq!(talk.expect_err("no agent").code, Code::InvalidRequest);
    let stop = link.send(Command::StopJob { job_id: second.id.clone() }).await.expect("an answer");
    assert!(matches!(stop, Ok(Reply::Done)));
    assert_eq!(next("finished", &mut link).await.state.name(), "cancelled");
    let stop = link.send(Command::StopJob { job_id: second.id.clone() }).await.expect("an answer");
    assert_eq!(stop.expect_err("over").code, Code::NotFound);
}

#[test]
fn who_has_an_object_has_none_of_its_methods() {
    let play = Play::new("");
    let out = play.probe(
        "local work
        local job = ext.spawn_job{title = 'x', run = function(w) work = w end}
        job:await()
        local shut = {}
        for i, object in ipairs{job, work, store, child(), ext.agent:conversation(), ext.agent} do
            shut[i] = tostring(object.__index) .. tostring(getmetatable(object))
        end
        return table.concat(shut, ' ') .. failing(panto.agent, {config = {}, store = {state = 1}})",
    );
    assert!(out.starts_with(&["nilfalse"; 6].join(" ")), "{out}");
    assert!(out.contains("store must be a store"), "{out}");
}

#[test]
fn an_agent_that_the_work_of_an_extension_starts_is_listed_below_it_and_ends_with_it() {
    let play = Play::new("[[turn]]\nwhen = \"KID\"\nsteps = [{ gate = \"never\" }]\n");
    let out = play.json(
        "local kid
        local work = ext.spawn_job{title = 'flow', run = function()
            kid = passing():run_async{prompt = 'KID'}
            kid:await()
        end}
        while not (kid and kid:info().state == 'running') do task.sleep(0.01) end
        local parent = kid:info().parent
        work:request_cancel()
        return {parent == work.id, kid:await().status}",
    );
    assert_eq!(out, json!([true, "cancelled"]));
}

#[test]
fn the_wait_for_another_try_ends_in_the_events_as_well() {
    let turns =
        "[[turn]]\nwhen = \"KID\"\nsteps = [{ status = { code = 503, message = \"busy\", retry_after = 0.01 } }]\n";
    let play = Play::new(&(turns.to_owned() + &says("KID", "ANSWER")));
    play.world.user("config.toml", "[network]\nretries = 1\n");
    let out = play.json(
        "local job, states = passing():run_async{prompt = 'KID'}, {}
        for event in function() return job:await_event() end do
            if event.type == 'status' then states[#states + 1] = event.status end
        end
        return states",
    );
    assert_eq!(out, json!(["running", "retrying", "running", "completed"]));
}
