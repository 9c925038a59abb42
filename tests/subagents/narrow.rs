//! What a child may not do, by its profile and by the call that starts it.

use super::{Play, calls, run, says};
use crate::permissions::shells::fish;
use crate::support::World;
use serde_json::{Value, json};

const WORDS: [&str; 7] = ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN"];

/// What children of a profile are told of these calls, each made by one of its own.
fn told(profile: &str, more: &Value, made: &[(&str, Value)], world: impl Fn(&mut World)) -> (Play, Vec<String>) {
    let wishes: Vec<_> = WORDS[..made.len()].iter().map(|word| run(word, more.clone())).collect();
    let turns: String = WORDS.iter().zip(made).map(|(word, (tool, input))| calls(word, tool, input)).collect();
    let mut play = Play::new(&wishes, &turns);
    play.world.user("agents/held.md", &format!("---\n{profile}\n---\nHeld.\n"));
    world(&mut play.world);
    let results = play.run();
    (play, results)
}

fn line(command: &str) -> (&'static str, Value) {
    ("std.shell", json!({"command": command}))
}

#[test]
fn lines_of_another_shell_are_not_taken_apart() {
    let held = json!({"agent": "held"});
    let (play, results) =
        told("deny: ['std.shell(touch *)']", &held, &[line("and touch made")], |world| fish(world, ""));
    let told = "may not do this, the command line can't be taken apart (fish has a language of its own)";
    assert!(results[0].contains(told), "{}", results[0]);
    assert!(!play.world.project().join("made").exists());
}

#[test]
fn what_may_turn_out_to_be_forbidden_is() {
    let made = [
        line("t=touch; $t made"),
        line("echo touch made | sh"),
        line("echo x > ${F:-kept/made}"),
        line("cd kept && echo x > made"),
        ("std.read", json!({"path": "link/a.txt"})),
        ("std.find", json!({"pattern": "/etc/*"})),
        line("echo FINE; echo x > other"),
    ];
    let deny = "deny: ['std.shell(touch *)', 'std.edit(kept/**)', 'std.read(link/**)', 'std.find(/etc)']";
    let (play, results) = told(deny, &json!({"agent": "held"}), &made, |world| {
        world.write("kept/a.txt", "SECRET-WORD");
        world.write("real/a.txt", "SECRET-WORD");
        std::os::unix::fs::symlink(world.project().join("real"), world.project().join("link")).expect("a link");
    });
    let told = [
        "it can't be told whether the rule `std.shell(touch *)` is about it",
        "it can't be told whether the rule `std.shell(touch *)` is about it",
        "it can't be told which file it writes",
        "it can't be told which file it writes",
        "the rule `std.read(link/**)` forbids it",
        "the rule `std.find(/etc)` forbids it",
        "FINE",
    ];
    for (result, told) in results.iter().zip(told) {
        assert!(result.contains(told), "{told} in {result}");
    }
    let there = |path: &str| play.world.project().join(path).exists();
    assert!(there("other") && !there("made") && !there("kept/made"));
}

#[test]
fn a_call_can_give_a_part_of_a_tool() {
    let made = [
        line("git log --oneline; touch made"),
        line("git --version"),
        line("git log"),
        ("std.ls", json!({})),
        ("std.read", json!({"path": "a.txt"})),
    ];
    let given = json!({"tools": ["Bash(git log:*)", "std.ls"]});
    let (play, results) = told("description: d", &given, &made, |world| {
        world.write("a.txt", "SECRET-WORD");
    });
    assert!(results[0].contains("no rule of `allow` lets `touch made` run"), "{}", results[0]);
    assert!(results[1].contains("no rule of `allow` lets `git --version` run"), "{}", results[1]);
    assert!(results[2].contains("GOT: ") && !results[2].contains("was not run"), "{}", results[2]);
    assert!(results[3].contains("a.txt") && !results[4].contains("SECRET-WORD"), "{results:?}");
    assert!(!play.world.project().join("made").exists());
}

#[test]
fn a_part_that_is_no_rule_gives_nothing() {
    let wishes = [run("ONE", json!({"tools": ["Bash(git\nlog)"]})), run("TWO", json!({"agent": "odd"}))];
    let play = Play::new(&wishes, &(says("ONE", "A") + &says("TWO", "B")));
    play.world.user("agents/odd.md", "---\ntools: [\"Bash(git\\nlog)\"]\n---\nOdd.\n");
    let results = play.run();
    assert!(results[0].contains("can't be given: it has control characters"), "{}", results[0]);
    assert!(results[1].contains("there is no agent named \"odd\""), "{}", results[1]);
    assert!(!play.asked("ONE") && !play.asked("TWO"));
}

#[test]
fn a_profile_can_take_a_part_of_a_tool_away() {
    let made = [line("touch made"), line("echo FINE")];
    let (play, results) =
        told("disallowed_tools: ['std.shell(touch *)', std.write]", &json!({"agent": "held"}), &made, |_| ());
    assert!(results[0].contains("the rule `std.shell(touch *)` forbids it"), "{}", results[0]);
    assert!(results[1].contains("FINE") && !play.world.project().join("made").exists(), "{}", results[1]);
    let tools = play.bodies("ONE")[0]["tools"].to_string();
    assert!(tools.contains("std_shell") && !tools.contains("std_write"), "{tools}");
}
