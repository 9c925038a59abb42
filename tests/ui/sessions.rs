//! The session picker as a person uses it: look, search, unfold, rename, export, delete and bring back.

use super::{SILENT, open, quit};
use crate::play::play;
use crate::support::World;
use serde_json::json;
use std::path::PathBuf;

/// A session that lies in the world since January, `minute` minutes after its beginning.
fn past(world: &World, cwd: &str, minute: u32, prompt: &str, answer: &str) -> PathBuf {
    let id = format!("0198b000-0000-7000-8000-{minute:012}");
    let at = format!("2025-01-02T03:{minute:02}:00.000Z");
    let message = |role: &str, id: &str, parent: Option<&str>, text: &str| {
        let model = (role == "assistant").then_some("env:bench");
        json!({"type": "message", "id": id, "parent_id": parent, "timestamp": at,
               "message": {"role": role, "model": model, "blocks": [{"type": "text", "text": text}]}})
    };
    let mut rows = vec![
        json!({"type": "session", "version": 1, "id": id, "timestamp": at, "cwd": cwd}),
        message("user", "a", None, prompt),
    ];
    if !answer.is_empty() {
        rows.push(message("assistant", "b", Some("a"), answer));
    }
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let path = world.data().join(format!("sessions/--x--/20250102T03{minute:02}00Z_{id}.jsonl"));
    let path = world.write(path, &text);
    let seconds = 1_735_787_000 + i64::from(minute) * 60;
    filetime::set_file_mtime(&path, filetime::FileTime::from_unix_time(seconds, 0)).expect("a file of ours");
    path
}

/// Two sessions here, one of them without an answer; elsewhere one with a child, and a damaged one.
fn furnished(world: &World) {
    let here = world.project().canonicalize().expect("the project").display().to_string();
    past(world, &here, 1, "tell me of apples", "Apples are red.");
    let parent = past(world, "/elsewhere", 2, "tell me of bananas", "Bananas are yellow.");
    past(world, &here, 3, "anybody there?", "");
    let child = past(world, &here, 4, "count the seeds", "Five.");
    let beside = parent.with_extension("");
    std::fs::create_dir_all(&beside).expect("a folder of ours");
    std::fs::rename(&child, beside.join(child.file_name().expect("a name"))).expect("moved");
    let damaged = past(world, "/elsewhere", 5, "tell me of cherries", "Cherries are small.");
    let text = std::fs::read_to_string(&damaged).expect("a file of ours");
    std::fs::write(&damaged, text.replacen('\n', "\n{\"type\":\"mess\n", 1)).expect("a file of ours");
    filetime::set_file_mtime(&damaged, filetime::FileTime::from_unix_time(1_735_780_000, 0)).expect("a file of ours");
}

#[test]
fn what_the_picker_shows() {
    play(SILENT, |world, _, size| {
        furnished(world);
        let mut t = open(world, &["--resume"], size);
        t.wait("of apples").wait("anybody there?").pause().key("tab").pause().key("tab").wait("of cherries");
        t.pause().key("down").wait("Bananas are").snapshot(world, "sessions-all");
        t.key("alt-j").wait("└ count the seeds").snapshot(world, "sessions-children");
        // What was said is found though no row shows it.
        t.type_("yellow")
            .wait_gone("of apples")
            .wait("of bananas")
            .wait("found: Bananas are yellow.")
            .snapshot(world, "sessions-found");
        t.key("esc").wait_gone("sessions ·");
        quit(t);
    });
}

#[test]
fn rename_export_delete_and_bring_back() {
    play(SILENT, |world, _, size| {
        furnished(world);
        let mut t = open(world, &["--resume"], size);
        t.type_("apples").wait_gone("anybody there?").pause().key("ctrl-r").wait("new name:");
        t.type_("Red fruit").pause().key("enter").wait("Red fruit ");
        t.pause().key("alt-e").wait("red-fruit.html").pause().key("enter").wait("written to");
        assert!(world.read("red-fruit.html").contains("Apples are red."));
        t.pause()
            .key("ctrl-d")
            .wait("delete \"Red fruit\"?")
            .type_("y")
            .wait("sessions restore")
            .wait_gone("Red fruit");
        t.key("esc").wait_gone("sessions ·");
        let trash = world.run(&["sessions", "restore"]).ok().out;
        assert!(trash.contains("Red fruit"), "{trash}");
        world.run(&["sessions", "restore", "0198b000-0000-7000-8000-000000000001"]).ok();
        t.submit("/resume").wait("Red fruit").key("esc").wait_gone("sessions ·");
        quit(t);
    });
}

#[test]
fn what_another_program_wrote_comes_in() {
    play(SILENT, |world, _, size| {
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/import/pi.jsonl");
        world.write("other/pi.jsonl", &std::fs::read_to_string(fixture).expect("a fixture"));
        let mut t = open(world, &[], size);
        t.type_("/import oth")
            .wait("other/")
            .pause()
            .key("tab")
            .wait("other/pi.jsonl")
            .key("down")
            .pause()
            .key("enter");
        t.pause().key("enter").wait("imported 9 messages of pi").wait("hologram");
        t.submit("/import other/pi.jsonl").wait("was imported before").key("ctrl-u");
        t.submit("/resume").wait("sessions ·").pause().key("tab").pause().key("tab").wait("The kettle");
        t.pause().key("enter").wait("A kettle leaks.").wait("Done.");
        quit(t);
    });
}

#[test]
fn what_was_left_says_how_to_come_back() {
    play("[[turn]]\nsteps = [{ text = \"Hello.\" }]", |world, _, size| {
        let mut t = open(world, &[], size);
        t.submit("/quit");
        assert_eq!(t.exit_code(), 0);
        assert!(!t.screen().contains("goes on"), "nothing was said in it:\n{}", t.screen());
        let mut t = open(world, &[], size);
        t.submit("hi").wait("Hello.").wait("type a prompt").submit("/quit");
        assert_eq!(t.exit_code(), 0);
        t.wait("`panto -c` goes on with this session");
    });
}

#[test]
fn a_session_whose_model_has_no_key_here_says_what_is_missing() {
    play(SILENT, |world, _, size| {
        let here = world.project().canonicalize().expect("the project").display().to_string();
        let path = past(world, &here, 1, "tell me of apples", "Apples are red.");
        let text = std::fs::read_to_string(&path).expect("a file of ours");
        std::fs::write(&path, text.replace("env:bench", "anthropic:claude-sonnet-4-5")).expect("a file of ours");
        let mut t = open(world, &["--resume", "0198b000-0000-7000-8000-000000000001"], size);
        t.wait("cannot be asked yet").wait("ANTHROPIC_API_KEY");
        quit(t);
    });
}
