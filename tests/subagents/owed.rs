//! Reports of children in the background that no turn has taken: what becomes of them when the user stops a turn, leaves the
//! session, ends the program or opens the session again.

use super::{Call, Play, run, says};
use crate::play::{open, quit};
use serde_json::json;

const SLOW: &str =
    "[[turn]]\nwhen = \"KID\"\nsteps = [{ text = \"KID-BEGAN\" }, { gate = \"kid\" }, { text = \" KID-ENDED\" }]\n";
const REPORT: &str = "[[turn]]\nwhen = \"Its report\"\ntimes = 0\nsteps = [{ text = \"THE-REPORT-IS-READ\" }]\n";
const HAS_ENDED: &str = "has ended. Its report";
const NO_MORE: &str = "does not run any more";

fn background() -> Call {
    run("KID", json!({"background": true}))
}

/// How many of the requests hold these words anywhere.
fn told(play: &Play, words: &str) -> usize {
    play.bodies("").iter().filter(|body| body["messages"].to_string().contains(words)).count()
}

#[test]
fn the_end_of_the_program_begins_no_turn_and_the_report_comes_with_the_first_one_of_the_next_run() {
    let play = Play::new(&[background()], &(SLOW.to_owned() + REPORT + &says("NEXT", "NEXT-ANSWERED")));
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END");
    play.model.reached("kid");
    let before = play.model.asked().len();
    quit(t);
    assert_eq!(play.model.asked().len(), before, "{:?}", play.model.asked());
    let mut t = open(&play.world, &["-c"], (100, 30));
    t.wait("was cut off when the session was closed");
    assert_eq!(play.model.asked().len(), before, "opening asks nobody");
    t.submit("NEXT").wait("NEXT-ANSWERED");
    let body = play.bodies("NEXT").pop().expect("a request")["messages"].to_string();
    assert!(body.contains(NO_MORE) && body.contains("KID-BEGAN"), "{body}");
    quit(t);
    let mut t = open(&play.world, &["-c"], (100, 30));
    t.submit("NEXT again").wait_for("a second answer", |screen| screen.matches("NEXT-ANSWERED").count() >= 2);
    let body = play.bodies("NEXT").pop().expect("a request")["messages"].to_string();
    assert_eq!(body.matches(NO_MORE).count(), 1, "told once: {body}");
    quit(t);
}

#[test]
fn another_session_gets_no_report_of_the_one_that_was_left() {
    let play = Play::new(&[background()], &(SLOW.to_owned() + REPORT + &says("FRESH", "FRESH-ANSWERED")));
    let mut t = open(&play.world, &[], (110, 30));
    t.submit("PARENT").wait("END");
    play.model.reached("kid");
    t.submit("/new").wait("a background agent was stopped by /new");
    t.submit("FRESH").wait("FRESH-ANSWERED");
    t.key("ctrl-x").key("1").wait("there is no job 1");
    quit(t);
    assert_eq!(told(&play, HAS_ENDED), 0);
    let body = play.bodies("FRESH").pop().expect("a request")["messages"].to_string();
    assert!(!body.contains("KID"), "{body}");
}

#[test]
fn a_report_that_waits_for_the_turns_end_is_no_text_of_the_users() {
    let turns = format!(
        "{SLOW}{REPORT}[[turn]]\nwhen = \"LONG\"\nsteps = [{{ gate = \"long\" }}, {{ text = \"LONG-ENDED\" }}]\n{}",
        says("AFTERWARDS", "AFTERWARDS-ANSWERED")
    );
    let play = Play::new(&[background()], &turns);
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END").wait("type a prompt");
    play.model.reached("kid");
    t.submit("LONG");
    play.model.reached("long").open("kid");
    t.wait("has ended: completed").send("\x1b[1;3A");
    t.key("esc").wait("type a prompt");
    assert!(!t.screen().contains(HAS_ENDED), "it is in nobody's editor:\n{}", t.screen());
    t.submit("AFTERWARDS").wait("AFTERWARDS-ANSWERED");
    let body = play.bodies("AFTERWARDS").pop().expect("a request")["messages"].to_string();
    assert!(body.contains(HAS_ENDED) && body.contains("KID-ENDED"), "{body}");
    quit(t);
}

#[test]
fn reports_of_several_wait_for_the_turn_and_come_in_one() {
    let slow = SLOW.replace("\"KID\"", "\"OTHER\"").replace("\"kid\"", "\"other\"");
    let turns = format!(
        "{SLOW}{slow}{REPORT}[[turn]]\nwhen = \"LONG\"\nsteps = [{{ gate = \"long\" }}, {{ text = \"LONG-ENDED\" }}]\n"
    );
    let play = Play::new(&[background(), run("OTHER", json!({"background": true}))], &turns);
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END").wait("type a prompt");
    play.model.reached("kid").reached("other");
    t.submit("LONG");
    play.model.reached("long").open("kid").open("other");
    t.wait("KID” has ended: completed").wait("OTHER” has ended: completed");
    play.model.open("long");
    t.wait("THE-REPORT-IS-READ").wait("type a prompt");
    let body = play.bodies("Its report").pop().expect("a request")["messages"].to_string();
    assert_eq!(body.matches(HAS_ENDED).count(), 2, "{body}");
    assert_eq!(play.bodies("Its report").len(), 1, "one turn for both");
    quit(t);
}

#[test]
fn a_kill_loses_no_report_either() {
    let play = Play::new(&[background()], &(SLOW.to_owned() + REPORT + &says("NEXT", "NEXT-ANSWERED")));
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END").wait("type a prompt");
    play.model.reached("kid");
    t.signal(9);
    t.exit_code();
    let mut t = open(&play.world, &["-c"], (100, 30));
    t.wait("was cut off when the session was closed").submit("NEXT").wait("NEXT-ANSWERED");
    let body = play.bodies("NEXT").pop().expect("a request")["messages"].to_string();
    assert!(body.contains(NO_MORE), "{body}");
    quit(t);
}
