//! std.shell.

use super::{Bench, mark, on_tokio};
use crate::support::wait::{running, until};
use panto::conversation::Part;
use panto::tool::CANCELLED;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn x06_exit_codes_and_signals_are_told() {
    on_tokio(async {
        let b = Bench::new().await;
        assert_eq!(b.fails("std.shell", json!({"command": "false"})).await, "(no output)\n[exit code 1]");
        assert_eq!(b.ok("std.shell", json!({"command": "true"})).await, "(no output, exit code 0)");
        assert_eq!(b.fails("std.shell", json!({"command": "echo out; exit 3"})).await, "out\n[exit code 3]");
        let killed = b.fails("std.shell", json!({"command": "kill -9 $$"})).await;
        assert_eq!(killed, "(no output)\n[killed by SIGKILL (9)]");
    });
}

#[test]
fn r25_two_calls_in_a_batch_finish() {
    on_tokio(async {
        let b = Bench::new().await;
        let first = b.watched(b.prepared("std.shell", json!({"command": "echo first-done"})));
        let second = b.watched(b.prepared("std.shell", json!({"command": "echo second-done >&2"})));
        let (first, second) = tokio::join!(first, second);
        assert_eq!(Part::joined(&first.0.parts), "first-done");
        assert_eq!(Part::joined(&second.0.parts), "second-done");
    });
}

#[test]
fn x01_background_processes_hold_up_nothing() {
    on_tokio(async {
        let b = Bench::new().await;
        let naps = [mark(6111), mark(6112), mark(6113)];
        let loops = format!("(while :; do echo x; sleep {}; done) & echo DONE", naps[1]);
        for command in [format!("sleep {} & echo DONE", naps[0]), loops] {
            let begun = Instant::now();
            let text = b.ok("std.shell", json!({"command": command})).await;
            assert!(begun.elapsed() < Duration::from_secs(1), "{command}: {:?}", begun.elapsed());
            assert!(text.contains("DONE") && text.contains("in the background go on"), "{text}");
        }
        let quiet = format!("sleep {} >/dev/null 2>&1 & echo DONE", naps[2]);
        let text = b.ok("std.shell", json!({"command": quiet})).await;
        assert!(text.contains("DONE") && text.contains("in the background go on"), "{text}");
        // A shell that has said so may still have to become the nap.
        until("the naps", || running(&naps[0]) && running(&naps[2])).await;
        b.handle.stop().await;
        until("the survivors' end", || !naps.iter().any(|nap| running(nap))).await;
    });
}

#[test]
fn x03_a_time_out_kills_all_of_it() {
    on_tokio(async {
        let b = Bench::new().await;
        let nap = mark(9714);
        let command = format!("echo STARTED; sh -c 'sh -c \"sleep {nap}; true\"; true'");
        let text = b.fails("std.shell", json!({"command": command, "timeout": 0.4})).await;
        assert!(text.starts_with("STARTED\n[timed out after 0.4 s"), "{text}");
        until("the grandchild's end", || !running(&nap)).await;
    });
}

#[test]
fn x03_cancelling_kills_all_of_it() {
    on_tokio(async {
        let b = Bench::new().await;
        let nap = mark(9715);
        let command = format!("sh -c 'sh -c \"sleep {nap}; true\"; true'");
        let call = b.prepared("std.shell", json!({"command": command}));
        let cancel = call.cancel.clone();
        let esc = async {
            until("the start", || running(&nap)).await;
            cancel.cancel();
        };
        let ((outcome, _), ()) = tokio::join!(b.watched(call), esc);
        assert_eq!((Part::joined(&outcome.parts), outcome.is_error), (CANCELLED.to_owned(), true));
        until("the grandchild's end", || !running(&nap)).await;
    });
}

#[test]
fn x04_no_terminal_and_no_input() {
    on_tokio(async {
        let b = Bench::new().await;
        let command =
            "(read -p pw: x </dev/tty) 2>/dev/null || echo NO-TTY; stty -echo </dev/tty || true; cat; echo END";
        let text = b.ok("std.shell", json!({"command": command})).await;
        assert!(text.starts_with("NO-TTY\n") && text.ends_with("END"), "{text}");
    });
}

#[test]
fn x05_long_output_keeps_both_ends_and_the_whole_in_a_file() {
    on_tokio(async {
        let b = Bench::new().await;
        let text = b.ok("std.shell", json!({"command": "echo HEAD; seq 1 30000; echo TAIL"})).await;
        assert!(text.starts_with("HEAD\n1\n") && text.ends_with("30000\nTAIL"), "{text}");
        assert!(text.len() <= 51_200 && text.matches('\n').count() < 2000, "{} bytes", text.len());
        let file = text.split("the whole output is in ").nth(1).unwrap().split(']').next().unwrap();
        let whole = std::fs::read_to_string(file).unwrap();
        assert_eq!(whole.lines().count(), 30_002);
        let command = "echo HEAD; head -c 20000000 /dev/zero | tr '\\0' z; echo; echo TAIL";
        let text = b.ok("std.shell", json!({"command": command})).await;
        assert!(text.starts_with("HEAD\n") && text.ends_with("z\nTAIL") && text.len() <= 51_200, "{}", text.len());
        let text = b.fails("std.shell", json!({"command": "yes", "timeout": 0.3})).await;
        assert!(text.contains("timed out") && text.len() <= 51_200, "{}", text.len());
    });
}

#[test]
fn limits_of_the_configuration_count() {
    on_tokio(async {
        let set = |options: &mut panto::config::Options| {
            (options.tools.shell_timeout, options.tools.max_output_lines) = (1, 50);
        };
        let b = Bench::with(set, "").await;
        let text = b.ok("std.shell", json!({"command": "seq 1 1000"})).await;
        assert!(text.matches('\n').count() < 50 && text.ends_with("\n1000"), "{text}");
        assert!(b.fails("std.shell", json!({"command": "sleep 31"})).await.contains("timed out after 1 s"));
    });
}

#[test]
fn h10_bytes_that_are_no_text() {
    on_tokio(async {
        let b = Bench::new().await;
        let command = r"printf 'a\0b'; echo; printf '\377\376'; printf '\033[31mred\033[0m\n'; echo END";
        let text = b.ok("std.shell", json!({"command": command})).await;
        assert_eq!(text, "a\u{2400}b\n\u{FFFD}\u{FFFD}red\nEND");
        let text = b.ok("std.shell", json!({"command": "head -c 60000 /dev/urandom"})).await;
        assert!(text.len() < 60_000, "{} bytes", text.len());
    });
}

#[test]
fn x15_a_removed_working_directory_is_told() {
    on_tokio(async {
        let b = Bench::new().await;
        b.ok("std.shell", json!({"command": "rm -rf \"$PWD\"; echo REMOVED"})).await;
        let text = b.fails("std.shell", json!({"command": "echo hi"})).await;
        assert!(text.contains("working directory") && text.contains("Make it again"), "{text}");
        assert!(b.fails("std.read", json!({"path": "a"})).await.contains("is gone"));
        assert_eq!(b.ok("std.shell", json!({"command": "pwd", "workdir": "/"})).await, "/");
    });
}

#[test]
fn output_is_told_while_it_comes() {
    on_tokio(async {
        let b = Bench::new().await;
        let flag = b.at("go").display().to_string();
        let command = format!("echo LIVE; until [ -e {flag} ]; do sleep 0.01; done; echo late");
        let call = b.prepared("std.shell", json!({"command": command}));
        let (updates, mut received) = tokio::sync::mpsc::unbounded_channel();
        let run = panto::tool::ToolSource::run(&b.handle, vec![call], updates);
        let watch = async {
            let first = received.recv().await.unwrap();
            assert!(matches!(first.kind, panto::tool::UpdateKind::Append(ref text) if text == "LIVE\n"), "{first:?}");
            b.write("go", "");
        };
        tokio::join!(run, watch);
    });
}

#[test]
fn run_in_background_returns_with_a_log() {
    on_tokio(async {
        let b = Bench::new().await;
        let outcome = b.call("std.shell", json!({"command": "echo up; sleep 617", "run_in_background": true})).await;
        let text = Part::joined(&outcome.parts);
        let details = outcome.details.unwrap();
        let log = details["spill"].as_str().unwrap();
        assert!(text.contains(log) && text.contains(&format!("kill -- -{}", details["pid"])), "{text}");
        until("output in the log", || std::fs::read_to_string(log).unwrap() == "up\n").await;
        b.ok("std.shell", json!({"command": format!("kill -- -{}", details["pid"])})).await;
        until("word of its end", || std::fs::read_to_string(log).unwrap().contains("[killed by SIGTERM (15)]")).await;
    });
}

#[test]
#[ignore = "a measurement"]
fn a_call_costs_little_more_than_the_shell() {
    on_tokio(async {
        let b = Bench::new().await;
        let (mut call, mut bare) = (Duration::MAX, Duration::MAX);
        for _ in 0..20 {
            let begun = Instant::now();
            b.ok("std.shell", json!({"command": "true"})).await;
            call = call.min(begun.elapsed());
            let begun = Instant::now();
            std::process::Command::new("/bin/sh").args(["-c", "true"]).output().unwrap();
            bare = bare.min(begun.elapsed());
        }
        // Generous, for slow machines and unoptimised builds: a sleep or a poll on the way would cost more than this.
        assert!(call < bare + Duration::from_millis(15), "{call:?}, the shell alone {bare:?}");
        eprintln!("a shell call {call:?}, the shell alone {bare:?}");
    });
}
