//! `panto -p` from outside, against a scripted model over HTTP.

use crate::support::{Model, World};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};

const HELLO: &str = "[[turn]]\ntimes = 0\nsteps = [{ thinking = \"hm\" }, { text = \"Hello.\" }]";

fn world(script: &str) -> (World, Model) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    (world, model)
}

#[test]
fn the_answer_is_all_that_goes_to_standard_output() {
    let (world, model) = world(HELLO);
    let ran = world.run(&["-p", "hi"]).ok();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("Hello.\n", ""));
    assert_eq!(model.asked(), ["hi"]);
}

#[test]
fn standard_input_is_added_to_the_prompt() {
    let (world, model) = world(HELLO);
    world.run_with(&["-p", "explain:"], "FROM A PIPE\n").ok();
    world.run_with(&["-p"], "ALONE\n").ok();
    assert_eq!(model.asked(), ["explain:\n\nFROM A PIPE", "ALONE"]);
    assert_eq!(world.run(&["-p"]).code, 2);
}

#[test]
fn json_is_one_object() {
    let (world, _model) = world(HELLO);
    let got: Value = serde_json::from_str(&world.run(&["-p", "hi", "--output-format", "json"]).ok().out).expect("JSON");
    assert_eq!((&got["type"], &got["text"], &got["stop_reason"]), (&"result".into(), &"Hello.".into(), &"stop".into()));
    assert_eq!((&got["is_error"], &got["turns"], &got["cost"]), (&false.into(), &1.into(), &Value::Null));
}

#[test]
fn stream_json_comes_while_the_answer_streams() {
    let (world, model) = world("[[turn]]\nsteps = [{ text = \"early \" }, { gate = \"g\" }, { text = \"late\" }]");
    let mut child = world.spawn(&["-p", "hi", "--output-format", "stream-json"]);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map(|l| l.expect("a line"));
    let early = lines.by_ref().find(|l| l.contains("assistant_delta")).expect("a delta while the answer is held back");
    assert!(early.contains("early"));
    model.open("g");
    let last: Value = serde_json::from_str(&lines.last().expect("a last line")).expect("JSON");
    assert_eq!((&last["type"], &last["text"]), (&"result".into(), &"early late".into()));
    assert!(child.wait().expect("the end").success());
}

#[test]
fn failures_have_their_exit_codes() {
    for (status, code, advice) in [(401, 4, "401"), (404, 1, "404"), (400, 1, "400")] {
        let (world, _model) =
            world(&format!("[[turn]]\nsteps = [{{ status = {{ code = {status}, message = \"no\" }} }}]"));
        let ran = world.run(&["-p", "hi"]);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{ran:?}");
        assert!(ran.err.contains(advice) && ran.err.contains("127.0.0.1"), "{ran:?}");
        assert_eq!(ran.err.lines().filter(|l| l.contains(advice)).count(), 1, "told once: {ran:?}");
        assert!(!ran.err.contains("sk-test"));
    }
}

#[test]
fn without_a_key_it_says_how_to_set_one() {
    let mut world = World::new();
    world.set("OPENAI_API_KEY", " ").set("ANTHROPIC_API_KEY", "");
    let ran = world.run(&["-p", "hi"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("_API_KEY"));
}

#[test]
fn a_limit_of_requests_ends_the_run() {
    let call = "{ tool = { name = \"std.shell\", input = { command = \"true\" } } }";
    let (world, model) = world(&format!("[[turn]]\ntimes = 0\nsteps = [{call}]"));
    let ran = world.run(&["-p", "for ever", "--max-turns", "2"]);
    assert_eq!((ran.code, model.asked().len()), (1, 2), "{ran:?}");
    assert!(ran.err.contains("max_turns") || ran.err.contains("limit"), "{ran:?}");
}

#[test]
fn usage_that_the_model_refuses() {
    let (world, _model) = world(HELLO);
    for (args, word) in [(&["-p", "hi", "--thinking", "max"][..], "max"), (&["-p", "hi", "-m", "nowhere:m"], "nowhere")]
    {
        let ran = world.run(args);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(word), "{ran:?}");
    }
    assert_eq!(world.run(&["-p", "hi", "-r"]).code, 2);
}

#[test]
fn a_signal_ends_the_run_with_its_code() {
    for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let (world, model) = world("[[turn]]\nsteps = [{ text = \"x \" }, { gate = \"never\" }]");
        let child = world.spawn(&["-p", "hi"]);
        model.reached("never");
        // SAFETY: kill has no memory effects; the child has not been waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        let ended = child.wait_with_output().expect("the end");
        assert_eq!(ended.status.code(), Some(code), "{ended:?}");
    }
}

#[test]
fn instructions_are_read_but_strange_settings_are_not() {
    let (world, model) = world(HELLO);
    world.write(".panto/config.toml", "[tools]\ndisabled = [\"std.ls\"]\n");
    let note = world.data().with_file_name("note").display().to_string();
    world.write(".panto/extensions/spy.lua", &format!("io.open({note:?}, 'w'):write('loaded'):close()"));
    world.run(&["-p", "hi"]).ok();
    assert!(model.tools().contains(&"std_ls".to_owned()) && !std::path::Path::new(&note).exists());
}

#[test]
fn a_scripted_provider_is_served_until_a_signal() {
    let world = World::new();
    let script = world.write("s.toml", HELLO).display().to_string();
    let mut child = world.spawn(&["faux", "serve", &script]);
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    let url = line.trim().rsplit(' ').next().expect("a URL").to_owned();
    let mut asker = World::new();
    asker.set("PANTO_BASE_URL", &url).set("PANTO_API_KEY", "k").set("PANTO_MODEL", "faux");
    assert_eq!(asker.run(&["-p", "hi"]).ok().out, "Hello.\n");
    // SAFETY: kill has no memory effects; the child has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    assert_eq!(child.wait().expect("the end").code(), Some(143));
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "");
    assert_eq!(world.run(&["faux", "serve", "nowhere.toml"]).code, 3);
}

#[test]
fn r51_the_environment_names_the_provider_and_the_folders() {
    let (mut world, model) = world(HELLO);
    world.user(
        "extensions/t.lua",
        "panto.register_tool { name = 'mine', description = 'd', schema = { type = 'object' }, handler = print }",
    );
    world.run(&["-p", "hi"]).ok();
    assert!(world.data().join("sessions").is_dir(), "XDG_DATA_HOME");
    assert!(model.tools().contains(&"mine".to_owned()), "XDG_CONFIG_HOME: {:?}", model.tools());
    let own = world.project().join("own");
    world.set("PANTO_HOME", &own.display().to_string());
    world.run(&["-p", "hi"]).ok();
    assert!(own.join("sessions").is_dir() && model.asked().len() == 2, "PANTO_HOME, and PANTO_BASE_URL still");
    world.set("PANTO_MODEL", "");
    assert_ne!(world.run(&["-p", "hi"]).code, 0, "PANTO_MODEL");
}

#[test]
fn a_theme_that_is_named_is_looked_for_where_nothing_is_drawn() {
    let (world, model) = world(HELLO);
    let ran = world.run(&["-p", "hi", "--theme", "no-such-theme"]);
    assert!(ran.code == 2 && ran.err.contains("no-such-theme"), "{} {}", ran.code, ran.err);
    assert!(ran.out.is_empty() && model.asked().is_empty(), "{}", ran.out);
    world.run(&["-p", "hi", "--theme", "light"]).ok();
    world.run(&["-p", "hi", "--theme", "auto"]).ok();
}

#[test]
fn a_theme_of_an_extension_may_be_named_there_too() {
    let (world, model) = world(HELLO);
    world.user("extensions/dusk.lua", "panto.ext.register_theme{name = 'dusk', inherits = 'dark'}");
    let ran = world.run(&["-p", "hi", "--theme", "dusk"]).ok();
    assert_eq!((ran.out.as_str(), model.asked().len()), ("Hello.\n", 1));
}
