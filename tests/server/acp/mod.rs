//! `panto acp` over its pipes, as an editor sees it.

mod asks;
mod hostile;
mod methods;
mod prompts;
mod updates;

use crate::support::{Model, World};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

/// An editor that runs panto.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    /// All updates so far, by session.
    updates: Vec<(String, Value)>,
    /// Requests of panto's that have no answer yet.
    asked: Vec<Value>,
    /// Answers that nobody has waited for yet.
    answers: Vec<Value>,
    /// Requests that panto has withdrawn.
    withdrawn: Vec<Value>,
}

impl Editor {
    fn start(world: &World, flags: &[&str]) -> Editor {
        let mut command = world.command(&[&["acp"], flags].concat());
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (updates, asked, answers, withdrawn) = (vec![], vec![], vec![], vec![]);
        Editor { child, input, output, last: 0, updates, asked, answers, withdrawn }
    }

    /// One that has said who it is.
    fn open(world: &World) -> Editor {
        Editor::with(world, json!({}))
    }

    fn with(world: &World, capabilities: Value) -> Editor {
        let mut editor = Editor::start(world, &[]);
        editor.ask("initialize", json!({"protocolVersion": 1, "clientCapabilities": capabilities}));
        editor
    }

    fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    fn reply(&mut self, question: &Value, result: Value) {
        self.write(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string());
    }

    fn choose(&mut self, question: &Value, option: &str) {
        self.reply(question, json!({"outcome": {"outcome": "selected", "optionId": option}}));
    }

    /// Reads a line and puts it where it belongs; false at the end.
    fn read(&mut self) -> bool {
        let mut line = String::new();
        if self.output.read_line(&mut line).expect("UTF-8") == 0 {
            return false;
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        match (message["method"].as_str(), message.get("id")) {
            (Some("session/update"), None) => {
                let session = message["params"]["sessionId"].as_str().expect("a session").to_owned();
                self.updates.push((session, message["params"]["update"].clone()));
            }
            (Some("$/cancel_request"), None) => self.withdrawn.push(message["params"]["requestId"].clone()),
            (Some(_), Some(_)) => self.asked.push(message),
            (None, Some(_)) => self.answers.push(message),
            _ => panic!("what is this? {line}"),
        }
        true
    }

    /// The answer to a request.
    #[track_caller]
    fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(at) = self.answers.iter().position(|answer| answer["id"] == id) {
                return self.answers.remove(at);
            }
            assert!(self.read(), "no answer to {id}: {}", self.complaint());
        }
    }

    fn complaint(&mut self) -> String {
        let mut text = String::new();
        let _ = self.child.stderr.take().expect("a pipe").read_to_string(&mut text);
        text
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The code and the words of a refusal.
    #[track_caller]
    fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let id = self.send(method, params);
        let answer = self.answer(id);
        let error = answer.get("error").unwrap_or_else(|| panic!("{method}: {answer}"));
        (error["code"].as_i64().expect("a code"), error["message"].as_str().expect("words").to_owned())
    }

    /// The next question of panto's.
    #[track_caller]
    fn question(&mut self) -> Value {
        while self.asked.is_empty() {
            assert!(self.read(), "no question: {}", self.complaint());
        }
        self.asked.remove(0)
    }

    /// Reads until an update is like this; it stays in its place.
    #[track_caller]
    fn until(&mut self, like: impl Fn(&Value) -> bool) -> Value {
        let mut from = 0;
        loop {
            if let Some((_, found)) = self.updates[from..].iter().find(|(_, update)| like(update)) {
                return found.clone();
            }
            from = self.updates.len();
            assert!(self.read(), "no such update: {:?}", self.updates);
        }
    }

    fn session(&mut self, world: &World) -> String {
        let made = self.ask("session/new", json!({"cwd": world.project(), "mcpServers": []}));
        made["sessionId"].as_str().expect("an id").to_owned()
    }

    fn say(&mut self, session: &str, text: &str) -> u64 {
        self.send("session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    /// A whole turn; why it ended.
    #[track_caller]
    fn turn(&mut self, session: &str, text: &str) -> String {
        let id = self.say(session, text);
        self.stopped(id)
    }

    #[track_caller]
    fn stopped(&mut self, id: u64) -> String {
        let answer = self.answer(id);
        answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn of(&self, kind: &str) -> Vec<&Value> {
        self.updates.iter().map(|(_, update)| update).filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// The words of all chunks of this kind.
    fn words(&self, kind: &str) -> String {
        self.of(kind).iter().filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    /// Ends the input; the exit code, when all that was told is read.
    fn close(mut self) -> (Option<i32>, Editor) {
        drop(self.input.take());
        while self.read() {}
        (self.child.wait().expect("it ends").code(), self)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stage(script: &str) -> (World, Model, Editor) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    let editor = Editor::open(&world);
    (world, model, editor)
}
