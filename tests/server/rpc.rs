//! `panto rpc`: the same requests as lines.

use super::*;
use crate::support::world::Ran;

fn rpc(world: &World, flags: &[&str], lines: &[Value]) -> (Ran, Vec<Value>) {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    run(world, flags, &input)
}

fn run(world: &World, flags: &[&str], input: &str) -> (Ran, Vec<Value>) {
    let ran = world.run_with(&[&["rpc"], flags].concat(), input);
    let told = ran.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    (ran, told)
}

fn ask(id: &str, method: &str, params: Value) -> Value {
    json!({"type": "request", "id": id, "method": method, "params": params})
}

fn answer<'a>(told: &'a [Value], id: &str) -> &'a Value {
    told.iter()
        .find(|line| line["type"] == "response" && line["id"] == id)
        .unwrap_or_else(|| panic!("no {id}: {told:?}"))
}

fn world(script: &str) -> (World, Model) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    (world, model)
}

#[test]
fn ready_comes_first_and_the_answer_of_a_prompt_after_its_events() {
    let (world, _model) = world(ANSWERS);
    let (ran, told) = rpc(&world, &[], &[ask("p", "prompt", json!({"text": "hello"}))]);
    assert_eq!((ran.code, &told[0]["type"], &told[0]["version"]), (0, &json!("ready"), &json!(1)), "{ran:?}");
    let place = |what: &dyn Fn(&Value) -> bool| told.iter().position(what).expect("it came");
    let ended = place(&|line| line["event"] == "turn_ended");
    assert!(place(&|line| line["event"] == "assistant_delta") < ended);
    assert!(ended < place(&|line| line["type"] == "response"));
    assert_eq!(said(&answer(&told, "p")["result"]["session"]["transcript"][1]), "ANSWER");
    assert_eq!(told.last().expect("a line")["event"], "session_closed");
}

#[test]
fn a_line_that_is_no_request_is_told_and_the_next_is_read() {
    let (world, _model) = world(ANSWERS);
    let input = format!(
        "{{broken\n\n[1]\n{}\n{}\n{}",
        json!({"type": "request", "id": 1, "method": "list_models"}),
        ask("u", "prompt", json!({"text": "x", "surprise": 1})),
        ask("l", "list_models", json!({})), // without a newline at its end
    );
    let (ran, told) = run(&world, &[], &input);
    assert_eq!(ran.code, 0);
    let errors: Vec<_> =
        told.iter().filter(|line| line["type"] == "error").map(|line| &line["error"]["code"]).collect();
    assert_eq!(errors, [&json!("invalid_request"); 3]);
    assert_eq!(answer(&told, "u")["error"]["code"], "invalid_request");
    assert_eq!(answer(&told, "l")["ok"], true);
}

#[test]
fn at_the_end_of_the_input_the_turn_in_hand_ends() {
    let (world, model) = world("[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"LAST\" }]");
    let mut child = world
        .command(&["rpc"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(
        &mut input,
        format!("{}\n", ask("p", "prompt", json!({"text": "hello", "wait": false}))).as_bytes(),
    )
    .expect("it reads");
    model.reached("g");
    drop(input);
    model.open("g");
    let out = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0));
    assert!(text.contains("LAST") && text.contains("turn_ended"), "{text}");
    let file = fs::read_to_string(&kept(&world, ".jsonl")[0]).expect("the session");
    assert!(file.contains("FIRST LAST"));
    assert_eq!(kept(&world, ".lock"), Vec::<PathBuf>::new());
}

#[test]
fn a_question_that_nobody_will_answer_is_dismissed_at_the_end_of_the_input() {
    let (world, _model) = world(ANSWERS);
    world.user(
        "extensions/asks.lua",
        r#"panto.register_command{name = "ask", description = "asks",
            handler = function() return "answer: " .. tostring(panto.ext.ui.confirm("Sure?")) end}"#,
    );
    let (ran, told) = rpc(&world, &[], &[ask("a", "run_command", json!({"name": "ask", "args": ""}))]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(told.iter().any(|line| line["event"] == "asked"), "{told:?}");
    assert!(told.iter().any(|line| line["event"] == "ask_closed"), "{told:?}");
    answer(&told, "a");
}

#[test]
fn the_session_is_the_one_that_the_flags_say() {
    let (world, _model) = world(ANSWERS);
    let prompt = |text: &str| vec![ask("p", "prompt", json!({"text": text}))];
    let (_, first) = rpc(&world, &[], &prompt("one"));
    let id = first[0]["session_id"].as_str().expect("an id").to_owned();
    let (_, again) = rpc(&world, &["-c"], &prompt("two"));
    assert_eq!(again[0]["session_id"], json!(id));
    assert_eq!(roles(&answer(&again, "p")["result"]["session"]).len(), 4);
    let (_, fork) = rpc(&world, &["--fork", &id], &prompt("three"));
    assert_ne!(fork[0]["session_id"], json!(id));
    assert_eq!(roles(&answer(&fork, "p")["result"]["session"]).len(), 6);
    let before = kept(&world, ".jsonl").len();
    let (ran, none) = rpc(&world, &["--no-session"], &prompt("four"));
    assert_eq!((ran.code, answer(&none, "p")["ok"].clone()), (0, json!(true)));
    assert_eq!(answer(&none, "p")["result"]["session"]["locked"], false, "there is nothing to lock");
    assert_eq!(kept(&world, ".jsonl").len(), before);
}

#[test]
fn a_session_that_another_process_has_is_an_exit_code() {
    let (world, _model) = world(ANSWERS);
    let server = Server::at(&world, "s.sock");
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    let ran = world.run_with(&["rpc", "--resume", &id], "");
    assert_ne!(ran.code, 0);
    assert!(ran.err.contains(&server.child.id().to_string()), "{ran:?}");
}

#[test]
fn a_key_that_is_there_twice_is_refused_and_the_next_line_read() {
    let (world, model) = world(ANSWERS);
    let twice = r#"{"type":"request","id":"a","method":"prompt","params":{"text":"one","text":"two"}}"#;
    let (ran, told) = run(&world, &[], &format!("{twice}\n{}\n", ask("b", "state", json!({}))));
    let error = told.iter().find(|line| line["type"] == "error").unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!(error["error"]["code"], "invalid_request");
    assert!(error["error"]["message"].as_str().is_some_and(|text| text.contains("twice")), "{error}");
    assert_eq!((ran.code, &answer(&told, "b")["ok"]), (0, &json!(true)));
    assert!(model.asked().is_empty());
}
