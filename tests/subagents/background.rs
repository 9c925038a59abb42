//! Children that nobody waits for, and what ends them.

use super::{Play, id_in, run, says};
use crate::play::open;
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
    play.model.open("kid");
    t.wait("THE-REPORT-IS-READ");
    assert!(play.asked("ANSWER-OF-THE-KID") && play.asked(&id_in(&result)));
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
    t.key("esc").wait("cancelled");
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
