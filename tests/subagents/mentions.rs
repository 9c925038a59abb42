//! Agents behind an `@`, and those whose files come while the program runs.

use super::{Play, run, says};
use crate::play::open;
use serde_json::json;

#[test]
fn an_agent_is_offered_behind_an_at_and_its_file_may_be_new() {
    let play = Play::with(
        &[&[("subagents.models", json!({}))], &[run("KID", json!({"agent": "pirate"}))]],
        &says("KID", "ANSWER"),
    );
    play.world.write("piracy.txt", "x");
    let mut t = open(&play.world, &[], (100, 30));
    t.submit("PARENT").wait("END");
    assert!(!play.bodies("PARENT")[0]["tools"].to_string().contains("pirate"));
    play.world.user("agents/pirate.md", "---\ndescription: Talks like one\n---\nArr.\n");
    t.type_("AGAIN by @pira");
    t.wait("agent: Talks like one").wait("piracy.txt");
    t.key("tab").wait("> AGAIN by @pirate").wait_gone("piracy.txt");
    t.submit("").wait_for("a second end", |screen| screen.matches("END").count() >= 2);
    let body = &play.bodies("AGAIN by @pirate")[0];
    assert!(body["tools"].to_string().contains("- pirate: Talks like one"), "{}", body["tools"]);
}
