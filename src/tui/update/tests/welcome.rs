//! The question of the first run, and what it leads to.

use super::*;
use crate::backend::{Command, Reply};
use crate::tui::keymap::Context;

/// The question is open, and these models were found.
fn found(references: &[&str]) -> Desk {
    let mut d = Desk::with(Setup { start: Start::Welcome, prompt: Some("fix it".into()), ..setup() });
    assert!(d.screen().contains("Looking for servers on this machine (Ollama 11434"), "{}", d.screen());
    assert_eq!(d.sent(), [format!("{:?}", Command::FindModels)], "the prompt is not sent to the demo");
    let models = references.iter().map(|r| model(r)).collect();
    d.tell(Message::Reply(Purpose::Servers, Ok(Reply::Models(models))));
    d
}

#[test]
fn esc_goes_on_with_the_demo_and_the_prompt_is_a_draft() {
    let mut d = found(&["ollama", "lmstudio", "anthropic:claude"]);
    assert!(d.screen().contains("No server answers on this machine"), "{}", d.screen());
    assert_eq!(d.keys("esc").sent(), ["Welcomed"]);
    assert_eq!((d.app.context(), d.draft().as_str()), (Context::Main, "fix it"));
    assert_eq!(found(&[]).keys("d").sent(), ["Welcomed"]);
}

#[test]
fn a_key_is_asked_for_as_login_does() {
    assert_eq!(found(&[]).keys("enter").sent(), [format!("{:?}", Command::ListKeys), "Welcomed".into()]);
}

#[test]
fn a_server_with_one_model_is_used_from_now_on() {
    let mut d = found(&["ollama:qwen3:8b", "lmstudio", "anthropic:claude"]);
    assert!(d.screen().contains("[2] use Ollama on this machine: qwen3:8b"), "{}", d.screen());
    let sent = d.keys("2").sent();
    assert_eq!(sent, ["ChangeSetting { key: \"model\", change: Set(Text(\"ollama:qwen3:8b\")) }", "Welcomed"]);
}

#[test]
fn of_several_models_one_is_chosen() {
    let mut d = found(&["lmstudio:a", "lmstudio:b", "lmstudio:c"]);
    assert!(d.screen().contains("use LM Studio on this machine: a and 2 more"), "{}", d.screen());
    assert_eq!(d.keys("2").sent(), ["Welcomed"]);
    let sent = d.keys("down enter").sent();
    assert_eq!(sent, ["ChangeSetting { key: \"model\", change: Set(Text(\"lmstudio:b\")) }"]);
}

#[test]
fn where_none_answers_one_can_look_again() {
    let mut d = found(&["ollama"]);
    assert_eq!(d.keys("l").sent(), [format!("{:?}", Command::FindModels)]);
    d.tell(Message::Reply(Purpose::Servers, Ok(Reply::Models(vec![model("ollama:x")]))));
    assert!(d.screen().contains("use Ollama"), "{}", d.screen());
}
