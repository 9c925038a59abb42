//! Children that nobody waits for, and what ends them.

use super::{Play, id_in, run, says};
use crate::play::open;
use crate::support::wait;
use serde_json::json;

const SLOW: &str = "[[turn]]\nwhen = \"KID\"\nsteps = [{ gate = \"kid\" }, { text = \"ANSWER-OF-THE-KID\" }]\n";
const REPORT: &str =
    "[[turn]]\nwhen = \"has ended. Its report\"\ntimes = 0\nsteps = [{ text = \"THE-REPORT-IS-READ\" }]\n";

#[test]
fn a_background_child_reports_when_it_is_done() {
    let play = Play::new(&[run("KID", json!({"background": true}))], &format!("{SLOW}{REPORT}"));
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END");
    play.model.reached("kid");
    let result = play.model.results().pop().expect("a result");
    assert!(result.contains("status: running in the background") && !result.contains("ANSWER"), "{result}");
    assert!(!t.screen().contains("failed"), "{}", t.screen());
    play.model.open("kid");
    t.wait("THE-REPORT-IS-READ");
    assert!(play.asked("ANSWER-OF-THE-KID") && play.asked(&id_in(&result)));
}

#[test]
fn a_profile_can_say_so_and_a_call_that_it_is_waited_for() {
    let wishes = [run("KID", json!({"agent": "slow"})), run("SOON", json!({"agent": "slow", "background": false}))];
    let play = Play::new(&wishes, &format!("{SLOW}{REPORT}{}", says("SOON", "ANSWERED-AT-ONCE")));
    play.world.user("agents/slow.md", "---\nbackground: true\n---\nSlow.\n");
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END");
    play.model.reached("kid");
    let results = play.model.results();
    assert!(results[0].contains("status: running in the background"), "{results:?}");
    assert!(results[1].contains("ANSWERED-AT-ONCE"), "{results:?}");
    play.model.open("kid");
    t.wait("THE-REPORT-IS-READ");
}

/// Resumes the child of the first turn with a prompt, and then asks for its report.
const AGAIN: &str =
    "panto.register_tool{name = 'waiter', description = 'd', schema = {type = 'object'}, handler = function(_, call)
    local id
    for _, job in ipairs(panto.ext.jobs()) do id = job.session_id or id end
    local first = call:tool('subagents.run', {description = 'wait', resume = id}).text
    call:tool('subagents.run', {description = 'more', resume = id, prompt = 'MORE'})
    return first .. ' / ' .. call:tool('subagents.run', {description = 'wait', resume = id}).text
end}";

#[test]
fn the_report_of_a_child_that_went_on_is_the_later_one() {
    let turns = format!("{REPORT}{}{}", says("MORE", "SECOND-ANSWER"), says("KID", "FIRST-ANSWER"));
    let play = Play::with(&[&[run("KID", json!({"background": true}))], &[("waiter", json!({}))]], &turns);
    play.world.user("extensions/waiter.lua", AGAIN);
    let mut t = open(&play.world, &[], (100, 40));
    t.submit("PARENT").wait("THE-REPORT-IS-READ");
    t.submit("AGAIN").wait_for("a second end", |screen| screen.matches("END").count() >= 2);
    let results = play.model.heard("AGAIN").pop().expect("a request")["messages"].to_string();
    let (first, second) = results.rsplit_once(" / ").expect("two reports");
    assert!(first.contains("FIRST-ANSWER") && second.contains("SECOND-ANSWER"), "{results}");
}

/// Waits until a child runs beside it, and asks for its report or tells it something.
const BESIDE: &str =
    "panto.register_tool{name = 'waiter', description = 'd', schema = {type = 'object'}, handler = function(input, call)
    local id
    while not id do
        for _, job in ipairs(panto.ext.jobs()) do id = job.state == 'running' and job.session_id or id end
        panto.task.sleep(0.01)
    end
    local result = call:tool('subagents.run', {description = 'wait', resume = id, prompt = input.prompt}).text
    panto.fs.write(input.name, result)
    return result
end}";

#[test]
fn a_child_that_another_call_waits_for_is_said_to_run_and_can_be_told_something() {
    let wishes = [
        run("KID", json!({})),
        ("waiter", json!({"name": "asked"})),
        ("waiter", json!({"name": "told", "prompt": "TOLD-LATER"})),
    ];
    let play = Play::new(&wishes, &format!("{SLOW}{}", says("TOLD-LATER", "I-WAS-TOLD")));
    play.world.user("extensions/waiter.lua", BESIDE);
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("kid");
    ["asked", "told"].iter().for_each(|name| wait::for_file(&play.world.project().join(name)));
    play.model.open("kid");
    assert!(running.wait().expect("it ends").success());
    assert!(play.world.read("asked").contains("\" is running: its report comes with the call that runs it"));
    assert!(play.world.read("told").contains("It has been told and goes on."));
    assert!(play.model.results()[0].contains("I-WAS-TOLD"), "{:?}", play.model.results());
}

#[test]
fn without_anybody_there_it_is_waited_for() {
    let play = Play::new(&[run("KID", json!({"background": true}))], &says("KID", "ANSWER"));
    assert!(play.one().contains("status: completed"));
}

/// Waits for the child of the first turn.
const WAITER: &str =
    "panto.register_tool{name = 'waiter', description = 'd', schema = {type = 'object'}, handler = function(_, call)
    local id
    for _, job in ipairs(panto.ext.jobs()) do id = job.session_id or id end
    return call:tool('subagents.run', {description = 'wait', resume = id}).text
end}";

#[test]
fn a03_a_wait_that_is_cancelled_ends_at_once_and_the_child_goes_on() {
    let background = [run("KID", json!({"background": true}))];
    let wait = [("waiter", json!({}))];
    let turns = format!("{SLOW}{REPORT}");
    let play = Play::with(&[&background, &wait, &wait], &turns);
    play.world.user("extensions/waiter.lua", WAITER);
    let mut t = open(&play.world, &[], (100, 40));
    t.submit("PARENT").wait("END");
    play.model.reached("kid");
    t.submit("AGAIN").wait("waiter");
    t.key("esc").wait("cancelled").wait("type a prompt");
    play.model.open("kid");
    t.wait("THE-REPORT-IS-READ");
    t.submit("ONCE-MORE").wait_for("a third end", |screen| screen.matches("END").count() >= 2);
    assert!(play.model.results()[0].contains("ANSWER-OF-THE-KID"), "{:?}", play.model.results());
}

#[test]
fn a_child_that_runs_in_the_background_can_be_told_something() {
    let tell = WAITER.replace("resume = id", "resume = id, prompt = 'TOLD-LATER'");
    let turns = format!("{SLOW}{REPORT}{}", says("TOLD-LATER", "I-WAS-TOLD"));
    let play = Play::with(&[&[run("KID", json!({"background": true}))], &[("waiter", json!({}))]], &turns);
    play.world.user("extensions/waiter.lua", &tell);
    let mut t = open(&play.world, &[], (100, 40));
    t.submit("PARENT").wait("END");
    play.model.reached("kid");
    t.submit("AGAIN").wait_for("a second end", |screen| screen.matches("END").count() >= 2);
    assert!(play.model.results()[0].contains("It has been told and goes on."), "{:?}", play.model.results());
    play.model.open("kid");
    t.wait("THE-REPORT-IS-READ");
    assert!(play.asked("I-WAS-TOLD"));
}

#[test]
fn r89_a01_esc_ends_all_children_and_each_call_has_its_result() {
    let hangs =
        |gate: &str| format!("[[turn]]\nwhen = \"KID\"\nsteps = [{{ text = \"begun\" }}, {{ gate = \"{gate}\" }}]\n");
    let wishes = ["KID-1", "KID-2", "KID-3"].map(|word| run(word, json!({})));
    let turns = ["one", "two", "three"].map(hangs).concat() + &says("AFTERWARDS", "GOES-ON");
    let play = Play::new(&wishes, &turns);
    play.world.user("config.toml", "[jobs]\nmax_parallel = 2\n");
    let mut t = open(&play.world, &[], (100, 40));
    t.submit("PARENT");
    play.model.reached("one").reached("two");
    t.key("esc").wait("cancelled by the user");
    t.submit("AFTERWARDS").wait("GOES-ON");
    let started = play.model.asked().into_iter().filter(|asked| asked.contains("KID")).count();
    assert_eq!(started, 2, "one that was queued never starts");
    let body = play.bodies("AFTERWARDS").pop().expect("a request")["messages"].to_string();
    assert_eq!(body.matches("cancelled by the user").count(), 3, "{body}");
}

#[test]
fn a_call_of_several_that_is_cancelled_tells_what_has_ended_and_who_can_be_resumed() {
    let tasks =
        json!({"tasks": [{"description": "first", "prompt": "KID-1"}, {"description": "second", "prompt": "KID-2"}]});
    let hangs = "[[turn]]\nwhen = \"KID-2\"\nsteps = [{ text = \"begun\" }, { gate = \"two\" }]\n";
    for (key, gone) in [("ctrl-c", "END"), ("esc", "type a prompt")] {
        let turns = says("KID-1", "FIRST-REPORT") + hangs + &says("AFTERWARDS", "GOES-ON");
        let play = Play::new(&[("subagents.run", tasks.clone())], &turns);
        let mut t = open(&play.world, &[], (100, 40));
        t.submit("PARENT");
        play.model.reached("two");
        t.wait("✓ first").key(key).wait(gone).submit("AFTERWARDS").wait("GOES-ON");
        let body = play.bodies("AFTERWARDS").pop().expect("a request")["messages"].to_string();
        for word in ["cancelled by the user; what there was by then", "FIRST-REPORT", "status: cancelled"] {
            assert_eq!(body.matches(word).count(), 1, "{key} {word}: {body}");
        }
        assert_eq!(body.matches("session: ").count(), 2, "{key}: {body}");
    }
}
