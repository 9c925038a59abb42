//! Jobs in the list, for faces and for scripts.

use super::{Play, says};
use serde_json::{Value, json};

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
