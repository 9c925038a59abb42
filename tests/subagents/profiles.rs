//! Where profiles come from, and what is wrong with some.

use super::{Play, run, says};
use crate::support::World;
use panto::config::TrustFile;
use serde_json::json;

const KID: &str = "[[turn]]\nwhen = \"KID\"\ntimes = 0\nsteps = [{ text = \"ANSWER\" }]\n";

fn system(play: &Play) -> String {
    play.bodies("KID")[0]["messages"].to_string()
}

fn trust(world: &World) {
    TrustFile::of(&world.data()).decide(&world.project(), true).expect("written");
}

#[test]
fn r78_profiles_are_found_at_any_depth_and_later_layers_win() {
    let play = Play::new(&[run("KID", json!({"agent": "pirate"}))], KID);
    play.world.user("agents/deep/er/pirate.md", "---\ndescription: d\n---\nUSERS-PIRATE\n");
    play.world.write("../home/.claude/agents/pirate.md", "---\nname: pirate\ndescription: d\n---\nCLAUDES-PIRATE\n");
    play.run();
    assert!(system(&play).contains("USERS-PIRATE") && !system(&play).contains("CLAUDES-PIRATE"));
    let described = play.bodies("PARENT")[0]["tools"].to_string();
    for name in ["explore", "plan", "review", "general", "pirate"] {
        assert!(described.contains(&format!("- {name}: ")), "{name} in {described}");
    }
}

#[test]
fn r78_what_the_project_brings_counts_only_where_it_is_trusted() {
    let play = Play::new(&[run("KID", json!({"agent": "general"}))], KID);
    play.world.write(".panto/agents/general.md", "---\nname: general\n---\nPROJECTS-GENERAL\n");
    play.world.write(".claude/agents/other.md", "---\nname: general\n---\nCLAUDES-GENERAL\n");
    play.run();
    assert!(!system(&play).contains("PROJECTS-GENERAL"));
    trust(&play.world);
    play.run();
    let last = play.bodies("KID").pop().expect("a request")["messages"].to_string();
    assert!(last.contains("PROJECTS-GENERAL") && !last.contains("CLAUDES-GENERAL"), "{last}");
}

#[test]
fn r78_those_of_claude_are_read_as_they_are() {
    let play = Play::new(&[run("KID", json!({"agent": "code-reviewer"}))], &(KID.to_owned() + &says("NEVER", "")));
    play.world.write(
        "../home/.claude/agents/code-reviewer.md",
        "---\nname: code-reviewer\ndescription: Use this agent when: code was written. Examples: <example>x: y</example>\ntools: Read, Grep, Bash(git log:*), WebFetch\nmodel: sonnet\ncolor: red\n---\nREVIEW-IT\n",
    );
    let ran = play.world.run(&["-p", "PARENT"]).ok();
    assert!(ran.err.contains("there is no tool WebFetch here"), "{}", ran.err);
    let body = &play.bodies("KID")[0];
    assert_eq!(body["model"], "scripted", "no such kind here: the session's");
    let tools = body["tools"].to_string();
    for (name, has) in
        [("std_read", true), ("std_grep", true), ("std_shell", true), ("std_edit", false), ("std_write", false)]
    {
        assert_eq!(tools.contains(name), has, "{name}");
    }
}

#[test]
fn r78_bad_profiles_are_warnings_with_file_and_line() {
    let play = Play::new(&[run("KID", json!({}))], KID);
    let bad = [
        ("yaml", "---\nname: yaml\ntools: [a, b\n---\nx\n", "yaml.md:3: "),
        ("anchor", "---\nname: &n anchor\n---\nx\n", "anchor.md:2: anchors and aliases"),
        ("alias", "---\nname: alias\ndescription: *n\n---\nx\n", "alias.md:3: anchors and aliases"),
        ("called", "---\ndescription: d\nname: no name\n---\nx\n", "called.md:3: `no name` is no name for an agent"),
        (
            "field",
            "---\nname: field\ntool: [std.read]\n---\nx\n",
            "field.md:3: there is no field `tool`; is it `tools`?",
        ),
        ("turns", "---\nname: turns\nmax_turns: many\n---\nx\n", "turns.md:3: `max_turns` has to be a whole number"),
        (
            "rule",
            "---\nname: rule\ndeny: ['std.shell(']\n---\nx\n",
            "rule.md:3: `deny` holds `std.shell(`, which is no rule",
        ),
        (
            "schema",
            "---\nname: schema\noutput_schema: {type: 7}\n---\nx\n",
            "schema.md:3: `output_schema` is no JSON schema",
        ),
        ("none", "---\nname: none\ntools:\n---\nx\n", "none.md:3: `tools` says nothing: write `[]` for none"),
        ("loose", "---\nname: loose\ndeny: ~\n---\nx\n", "loose.md:3: `deny` says nothing"),
        ("list", "---\n- a\n---\nx\n", "list.md:2: the head holds no fields"),
        ("plain", "just notes\n", "plain.md: has no head"),
    ];
    for (name, text, _) in bad {
        play.world.user(&format!("agents/{name}.md"), text);
    }
    std::fs::write(play.world.config().join("agents/bytes.md"), b"---\nname: \xff\xfe\n---\n").expect("written");
    let ran = play.world.run(&["-p", "PARENT"]).ok();
    for (_, _, told) in bad {
        assert!(ran.err.contains(told), "{told:?} in {}", ran.err);
    }
    assert!(ran.err.contains("bytes.md: is no UTF-8 text"), "{}", ran.err);
    assert!(play.model.results()[0].contains("ANSWER"));
}

#[test]
fn asterisks_in_words_and_blocks_are_no_aliases() {
    let play = Play::new(&[run("KID", json!({"agent": "fine"}))], KID);
    play.world.user(
        "agents/fine.md",
        "---\nname: fine\ndescription: |\n  *Important* & more\n  - *x\ntools: [std.*]\nallow: [\"std.*\"]\n---\nFINE\n",
    );
    let ran = play.world.run(&["-p", "PARENT"]).ok();
    assert!(!ran.err.contains("anchors") && system(&play).contains("FINE"), "{}", ran.err);
}

#[test]
fn a_slip_in_a_profiles_lists_starts_no_child_that_could_do_more() {
    let wishes = [("ONE", "taken"), ("TWO", "given"), ("THREE", "elsewhere")]
        .map(|(word, agent)| run(word, json!({"agent": agent})));
    let play = Play::new(&wishes, &says("THREE", "ANSWER"));
    play.world.user("agents/taken.md", "---\ndisallowed_tools: [shell, std.shel]\n---\nx\n");
    play.world.user("agents/given.md", "---\ntools: [std.reed]\n---\nx\n");
    // Of a server of tools that is not here nobody knows the tools.
    play.world.user(
        "agents/elsewhere.md",
        "---\ntools: [std.read, mcp.fetch]\ndisallowed_tools: [forge.delete, std.w*]\n---\nx\n",
    );
    let results = play.run();
    let told = [
        "`disallowed_tools` of the agent \"taken\" names shell, and there is no such tool (is it std.shell?): correct",
        "`tools` of the agent \"given\" names std.reed, and there is no such tool (is it std.read?)",
        "ANSWER",
    ];
    for (result, told) in results.iter().zip(told) {
        assert!(result.contains(told), "{told} in {result}");
    }
    assert!(!play.asked("ONE") && !play.asked("TWO"));
}

#[test]
fn what_looks_after_commands_of_another_program_gives_no_command() {
    let play = Play::new(&[run("KID", json!({"agent": "scout"}))], KID);
    let scout =
        "---\nname: scout\ntools: Glob, Grep, LS, Read, KillShell, BashOutput\ndisallowedTools: Wriet\n---\nLook.\n";
    play.world.write("../home/.claude/agents/scout.md", scout);
    let ran = play.world.run(&["-p", "PARENT"]).ok();
    let offered = play.bodies("KID")[0]["tools"].to_string();
    assert!(offered.contains("std_read") && !offered.contains("std_shell"), "{offered}");
    assert!(
        !ran.err.contains("KillShell") && ran.err.contains("there is no tool Wriet that could be taken away"),
        "{}",
        ran.err
    );
}
