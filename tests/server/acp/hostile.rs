//! Input that no editor should send, and editors that go.

use super::*;
use crate::server::{ANSWERS, kept};
use std::io::ErrorKind;

#[test]
fn bad_lines_are_answered_and_the_next_is_read() {
    let (world, _model, mut editor) = stage(ANSWERS);
    let codes = [
        ("{broken", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc": "2.0"}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": {}, "method": "initialize"}"#, -32600),
        (r#"{"id": 1, "method": "initialize"}"#, -32600),
    ];
    for (line, code) in codes {
        editor.write(line);
        while editor.answers.is_empty() {
            assert!(editor.read(), "{line}");
        }
        assert_eq!(editor.answers.remove(0)["error"]["code"], code, "{line}");
    }
    let deep =
        format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {}{}}}"#, "[".repeat(5000), "]".repeat(5000));
    editor.write(&deep);
    let long = "x".repeat(17 << 20);
    editor.write(&long);
    for code in [-32700, -32600] {
        while editor.answers.is_empty() {
            assert!(editor.read());
        }
        assert_eq!(editor.answers.remove(0)["error"]["code"], code);
    }
    editor.write("");
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "still there?"), "end_turn");
}

#[test]
fn unknown_methods_and_wrong_parameters_are_refused_and_unknown_news_ignored() {
    let (world, _model, mut editor) = stage(ANSWERS);
    for method in ["session/explode", "logout", "_zed.dev/x", "fs/read_text_file", ""] {
        assert_eq!(editor.refused(method, json!({})).0, -32601, "{method}");
    }
    for (method, params) in [
        ("initialize", json!({"protocolVersion": "one"})),
        ("session/new", json!([])),
        ("session/new", Value::Null),
        ("session/load", json!({"sessionId": 7, "cwd": "/", "mcpServers": []})),
        ("session/prompt", json!({"sessionId": "x"})),
        ("session/prompt", json!({"sessionId": "x", "prompt": "text"})),
        ("session/set_config_option", json!({"sessionId": "x", "configId": "model"})),
    ] {
        let (code, why) = editor.refused(method, params.clone());
        assert!(code == -32602 && !why.is_empty(), "{method} {params}: {code} {why}");
    }
    for session in ["", "../../etc/passwd", "no-such-session"] {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "x"}]});
        assert_eq!(editor.refused("session/prompt", prompt).0, -32002, "{session}");
        assert_eq!(editor.refused("session/close", json!({"sessionId": session})).0, -32002, "{session}");
        let load = json!({"sessionId": session, "cwd": world.project(), "mcpServers": []});
        assert!(editor.refused("session/load", load).0 < 0, "{session}");
    }
    editor.notify("session/cancel", json!({"sessionId": "no-such-session"}));
    editor.notify("session/cancel", json!(5));
    editor.notify("what/ever", json!({}));
    editor.write(r#"{"jsonrpc": "2.0", "id": 999, "result": {}}"#);
    let id = editor.session(&world);
    assert_eq!(editor.turn(&id, "still there?"), "end_turn");
    let (code, mut editor) = editor.close();
    assert_eq!((code, editor.complaint()), (Some(0), String::new()));
}

#[test]
fn at_the_end_of_the_input_the_turn_in_hand_ends() {
    let (world, model, mut editor) =
        stage("[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"LAST\" }]");
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    model.reached("g");
    drop(editor.input.take());
    model.open("g");
    assert_eq!(editor.stopped(turn), "end_turn");
    assert_eq!(editor.close().0, Some(0));
    let file = std::fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("FIRST LAST") && kept(&world, ".lock").is_empty());
}

#[test]
fn a_question_that_nobody_will_answer_is_refused_at_the_end_of_the_input() {
    let mut world = World::new();
    world.user("extensions/asks.lua", r#"panto.ext.on("approval", function() return { ask = "?", rule = "r" } end)"#);
    let call = "[[turn]]\nsteps = [{ tool = { name = \"std.shell\", input = { command = \"echo x > x.txt\" } } }]\n";
    let _model = Model::serve(&mut world, &format!("{call}[[turn]]\nsteps = [{{ text = \"END\" }}]"));
    let mut editor = Editor::open(&world);
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    editor.question();
    drop(editor.input.take());
    assert_eq!(editor.stopped(turn), "end_turn");
    assert_eq!(editor.close().0, Some(0));
    assert!(!world.project().join("x.txt").exists());
}

#[test]
fn an_editor_that_dies_in_a_turn_costs_nothing_that_was_said() {
    let (world, model, mut editor) =
        stage("[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"LAST\" }]");
    let id = editor.session(&world);
    editor.say(&id, "go");
    model.reached("g");
    editor.until(|update| update["content"]["text"].to_string().contains("FIRST"));
    // Both pipes are gone.
    drop(editor.input.take());
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let gone: std::process::ChildStdout = std::os::fd::OwnedFd::from(reader).into();
    editor.output = BufReader::new(gone);
    model.open("g");
    assert_eq!(editor.child.wait().expect("it ends").code(), Some(0));
    let file = std::fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("FIRST") && kept(&world, ".lock").is_empty(), "{file}");
}

#[test]
fn a_signal_ends_it_with_everything_written() {
    let (world, model, mut editor) =
        stage("[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"LAST\" }]");
    let id = editor.session(&world);
    let turn = editor.say(&id, "go");
    model.reached("g");
    editor.until(|update| update["content"]["text"].to_string().contains("FIRST"));
    // SAFETY: kill has no memory effects; the process is our child and not yet waited for.
    unsafe { libc::kill(editor.child.id() as libc::pid_t, libc::SIGTERM) };
    assert_eq!(editor.stopped(turn), "cancelled");
    assert_eq!(editor.child.wait().expect("it ends").code(), Some(143));
    let file = std::fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("FIRST") && kept(&world, ".lock").is_empty(), "{file}");
    let written = editor.input.take().expect("a pipe").write_all(b"x\n");
    assert_eq!(written.map_err(|error| error.kind()), Err(ErrorKind::BrokenPipe));
}
