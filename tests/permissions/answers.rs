//! Answers to questions, and what they count for: late ones, wrong ones, and the order in which questions come.

use super::{script, steps};
use crate::server::{Client, Server};
use crate::support::{Model, World};
use serde_json::{Value, json};

/// A session of a server that was just told to go, and one who is asked.
struct Stage {
    world: World,
    model: Model,
    server: Server,
    client: Client,
    id: String,
}

impl Stage {
    fn begin(mut world: World, mode: &str, script: &str) -> Stage {
        let model = Model::serve(&mut world, script);
        world.set("PANTO_MODE", mode);
        let server = Server::at(&world, "s.sock");
        let (mut client, id) = server.session();
        client.ask("prompt", json!({"session_id": id, "text": "go", "wait": false}));
        Stage { world, model, server, client, id }
    }

    #[track_caller]
    fn asked(&mut self) -> Value {
        self.client.until("approval_requested", |_| true)["approval"].clone()
    }

    fn params(&self, question: &Value, answer: &str) -> Value {
        json!({"session_id": self.id, "approval_id": question["id"], "answer": answer})
    }

    #[track_caller]
    fn answer(&mut self, question: &Value, answer: &str) {
        let params = self.params(question, answer);
        self.client.ask("approve", params);
    }

    #[track_caller]
    fn refused(&mut self, question: &Value) -> String {
        let params = self.params(question, "once");
        self.client.refused("approve", params, "not_found")
    }

    #[track_caller]
    fn ended(&mut self) {
        self.client.until("turn_ended", |_| true);
    }

    fn made(&self, name: &str) -> bool {
        self.world.project().join(name).exists()
    }
}

fn touch(name: &str) -> String {
    steps(&[("std.shell", &format!("command = 'touch {name}'"))])
}

fn two_rounds() -> String {
    let round = |file: &str| format!("[[turn]]\nsteps = [{}]\n", touch(file));
    round("one") + &round("two") + "[[turn]]\nsteps = [{ text = \"END\" }]\n"
}

#[test]
fn an_answer_counts_for_what_was_asked_whatever_the_mode_is_by_then() {
    for (answer, made) in [("once", true), ("no", false)] {
        for mode in ["plan", "auto"] {
            let mut stage = Stage::begin(World::new(), "ask", &two_rounds());
            let question = stage.asked();
            let set = json!({"session_id": stage.id, "mode": mode});
            stage.client.ask("set_mode", set);
            let open = stage.client.attach(&stage.id)["approvals"].clone();
            assert_eq!(open[0]["id"], question["id"], "a change of the mode answers nothing");
            stage.answer(&question, answer);
            stage.ended();
            // The next call is the new mode's.
            assert_eq!((stage.made("one"), stage.made("two")), (made, mode == "auto"), "{answer} {mode}");
        }
    }
}

#[test]
fn an_answer_to_another_or_no_question_changes_nothing() {
    let mut stage = Stage::begin(World::new(), "ask", &two_rounds());
    let first = stage.asked();
    let why = stage.refused(&json!({"id": "0198c000-0000-7000-8000-000000000000"}));
    assert!(why.contains("answered already"), "{why}");
    // What is known of the call is no name of its question.
    stage.refused(&json!({"id": first["call_id"]}));
    let mut other = stage.server.client();
    let elsewhere = other.create(json!({}));
    other.attach(&elsewhere);
    let params = json!({"session_id": elsewhere, "approval_id": first["id"], "answer": "once"});
    other.refused("approve", params, "not_found");
    assert!(!stage.made("one"));
    stage.answer(&first, "no");
    let second = stage.asked();
    stage.refused(&first);
    let open = stage.client.attach(&stage.id)["approvals"].clone();
    assert_eq!(open[0]["id"], second["id"], "an old answer is not one to the next question");
    assert!(!stage.made("one") && !stage.made("two"));
    stage.answer(&second, "once");
    stage.ended();
    assert!(!stage.made("one") && stage.made("two"));
}

#[test]
fn a_question_of_a_turn_that_is_aborted_counts_as_no_and_can_be_answered_no_more() {
    let script = script(&[("std.shell", "command = 'touch one'")]);
    let mut stage = Stage::begin(World::new(), "ask", &script);
    let question = stage.asked();
    let abort = json!({"session_id": stage.id});
    stage.client.ask("abort", abort);
    stage.client.until("approval_closed", |data| data["approval_id"] == question["id"]);
    stage.ended();
    stage.refused(&question);
    assert_eq!(stage.client.attach(&stage.id)["approvals"], json!([]));
    stage.client.prompt(&stage.id, "and now?");
    assert!(!stage.made("one"));
    assert_eq!(stage.model.results(), ["cancelled by the user"]);
}

/// The first call is thought about until the second one has been.
const SLOW: &str = r#"panto.ext.on("approval", function(event)
  local second = event.input.command:find("two") ~= nil
  if second then panto.fs.write("decided", "") end
  while not panto.fs.stat("decided") or not (second or panto.fs.stat("go")) do panto.task.sleep(0.01) end
  return { ask = "it runs something", rule = event.input.command }
end)"#;

#[test]
fn questions_of_a_round_come_in_the_order_of_the_calls_however_long_the_first_is_thought_about() {
    let world = World::new();
    world.user("extensions/slow.lua", SLOW);
    let both = ["command = 'touch one'", "command = 'touch two'"].map(|input| ("std.shell", input));
    let mut stage = Stage::begin(world, "auto", &script(&both));
    crate::support::wait::for_file(&stage.world.project().join("decided"));
    // Whatever is on its way by now has come.
    stage.client.settle(&stage.id);
    assert!(!stage.client.order.contains(&"approval_requested".into()), "the second one waits for the first");
    stage.world.write("go", "");
    let both = [stage.asked(), stage.asked()];
    assert_eq!(both.each_ref().map(|asked| asked["command"].clone()), ["touch one", "touch two"].map(Value::from));
    for question in &both {
        stage.answer(question, "once");
    }
    stage.ended();
    assert!(stage.made("one") && stage.made("two"));
}
