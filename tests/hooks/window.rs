//! A conversation that comes near the end of the model's window, or over it: what is old is summed up by itself, once,
//! and the turn goes on.

use super::{HELLO, Scene, Stage, prompt};
use panto::{
    backend::{Command, Event, ItemBody, Phase, Reply, StartSession},
    config::{ModelConfig, ProviderConfig},
};
use serde_json::Value;

/// What writes the summary.
const NOTES: &str = "[[turn]]\nwhen = \"<conversation>\"\ntimes = 0\nsteps = [{ text = \"NOTES\" }]\n";
/// Answers that the server counts as nearly the whole of a small window.
const NEARLY_FULL: &str =
    "[[turn]]\ntimes = 0\nsteps = [{ text = \"Hello.\" }, { finish = { input = 9500, output = 10 } }]\n";
const TOO_LONG: &str = "This model's maximum context length is 8192 tokens. However, you requested more.";

fn small<'a>(code: &'a str, script: &'a str) -> Scene<'a> {
    sized(code, script, 10_000)
}

/// With a window of so many tokens, and eyes.
pub fn sized<'a>(code: &'a str, script: &'a str, window: u64) -> Scene<'a> {
    let mut scene = Scene::new(code, script);
    let (context, output) = (Some(window), Some(200));
    let model = ModelConfig {
        id: "bench".into(),
        name: None,
        context,
        output,
        input: Some(vec!["text".into(), "image".into()]),
        picture: None,
        thinking: None,
        price: None,
    };
    scene.options.providers.insert("env".into(), ProviderConfig { models: vec![model], ..ProviderConfig::default() });
    scene
}

/// A word many times, so that it weighs something.
fn long(word: &str) -> String {
    format!("{word} ").repeat(100)
}

/// The texts of a request after the system prompt, each by its first word.
fn texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().expect("messages").iter().skip(1);
    let first = |m: &Value| match &m["content"] {
        Value::String(text) if !text.is_empty() => text.split_whitespace().next().unwrap_or_default().to_owned(),
        _ => m["role"].as_str().unwrap_or_default().to_owned(),
    };
    messages.map(first).collect()
}

fn summaries(stage: &Stage) -> usize {
    let asked = |body: &Value| body.to_string().contains("Write the notes.");
    stage.bodies().iter().filter(|body| asked(body)).count()
}

fn phases(stage: &Stage) -> Vec<Phase> {
    let mut phases: Vec<Phase> = stage.seen.iter().filter_map(|e| state(e).map(|s| s.phase)).collect();
    phases.dedup();
    phases
}

fn state(event: &Event) -> Option<&panto::backend::Session> {
    if let Event::SessionChanged(session) = event { Some(session) } else { None }
}

async fn used(stage: &Stage) -> (u64, u64) {
    let Ok(Reply::State(state)) = stage.ask(Command::State).await else { panic!("no state") };
    (state.context_used, state.context_window)
}

async fn talked(code: &str, script: &str) -> Stage {
    let mut stage = small(code, script).open().await;
    for word in ["one", "two"] {
        stage.prompt(&long(word)).await;
    }
    stage
}

#[tokio::test]
async fn near_the_window_what_is_old_is_summed_up_before_the_next_request() {
    let script = format!("{NOTES}{NEARLY_FULL}");
    let mut stage = small("panto.ext.on('compact_after', function(e) log(e.agent .. e.by) end)", &script).open().await;
    stage.prompt(&long("one")).await;
    assert_eq!(summaries(&stage), 0, "there was nothing to sum up yet");
    stage.seen.clear();
    stage.prompt(&long("two")).await;
    assert_eq!(texts(&stage.last()), ["Summary", "two"]);
    assert_eq!(phases(&stage), [Phase::Turn, Phase::Compaction, Phase::Turn, Phase::Idle]);
    let note = |e: &Event| matches!(e, Event::ItemFinished(i) if matches!(&i.body, ItemBody::Note { kind, .. } if kind == "compaction"));
    assert!(stage.seen.iter().any(note), "it is shown");
    let live = used(&stage).await;
    let (log, root) = stage.close().await;
    assert_eq!(log, ["mainmodel"]);
    let mut stage = small("", &script).open_in(root, StartSession::Continue).await;
    assert_eq!(used(&stage).await, live);
    let opened = stage.seen.iter().find_map(|e| if let Event::SessionOpened(s) = e { Some(s.clone()) } else { None });
    assert_eq!(opened.expect("a session").transcript.len(), 5, "the transcript shows everything");
    stage.prompt("three").await;
    assert_eq!(
        texts(&stage.last()),
        ["Summary", "two", "Hello.", "three"],
        "what is recent is not summed up for nothing"
    );
}

#[tokio::test]
async fn what_is_in_use_is_known_before_the_first_answer() {
    let script = "[[turn]]\nsteps = [{ gate = \"answer\" }, { text = \"Hello.\" }]\n";
    let mut stage = small("", script).open().await;
    assert_eq!(used(&stage).await.0, 0, "nothing was said");
    stage.ask(prompt(&long("one"))).await.expect("accepted");
    stage.wait(|e| state(e).is_some_and(|s| s.context_used > 1000)).await;
    stage.served.gates().open("answer");
}

/// Calls of a tool whose results are long, until the server counts a nearly full window.
const ROUNDS: &str = r#"
    [[turn]]
    on = "prompt"
    steps = [{ tool = { id = "a", name = "std.shell", input = { command = "seq 1 150" } } }, { finish = { input = 100 } }]
    [[turn]]
    on = "results"
    steps = [{ tool = { id = "b", name = "std.shell", input = { command = "seq 1 150" } } }, { finish = { input = 9400 } }]
    [[turn]]
    on = "results"
    steps = [{ text = "Done." }]
    [[turn]]
    steps = [{ text = "Done." }]
"#;

#[tokio::test]
async fn a_turn_that_alone_is_too_long_is_divided_between_its_rounds() {
    let script = format!("{NOTES}{ROUNDS}");
    let mut stage = small("", &script).open().await;
    stage.prompt("FIND the needle").await;
    assert_eq!((stage.error(), summaries(&stage)), (None, 1));
    let last = stage.last();
    assert_eq!(texts(&last), ["Summary", "assistant", "1"]);
    let summary = last["messages"][1]["content"].as_str().expect("a text");
    assert!(summary.contains("NOTES") && summary.contains("word for word\n\nFIND the needle"), "{summary}");
    assert_eq!(last["messages"][2]["tool_calls"][0]["id"], last["messages"][3]["tool_call_id"], "{last}");
    let (_, root) = stage.close().await;
    let mut stage = small("", &script).open_in(root, StartSession::Continue).await;
    stage.prompt("go on").await;
    assert_eq!(texts(&stage.bodies()[0]), ["Summary", "assistant", "1", "Done.", "go"], "what is loaded is what was");
}

fn refusing(times: u32) -> String {
    format!(
        "{NOTES}[[turn]]\nwhen = \"last\"\ntimes = {times}\nsteps = [{{ status = {{ code = 400, message = \"{TOO_LONG}\" }} }}]\n\
         [[turn]]\ntimes = 0\nsteps = [{{ text = \"Hello.\" }}, {{ finish = {{ input = 50 }} }}]\n"
    )
}

#[tokio::test]
async fn what_the_server_finds_too_long_is_summed_up_once_and_sent_once_more() {
    let script = refusing(1);
    let mut stage = talked("", &script).await;
    stage.prompt("last").await;
    assert_eq!((stage.error(), summaries(&stage), stage.bodies().len()), (None, 1, 5));
    assert_eq!(texts(&stage.last()), ["Summary", "two", "Hello.", "last"]);
    assert_eq!(used(&stage).await.1, 8192, "the window is as large as the server says");
    stage.prompt("and on").await;
    assert_eq!(used(&stage).await.1, 8192, "and stays that");
}

#[tokio::test]
async fn a_second_overflow_is_an_error_that_says_what_to_do() {
    let script = refusing(0);
    let mut stage = talked("", &script).await;
    stage.prompt("last").await;
    let error = stage.error().expect("an error");
    assert!(error.contains("maximum context length is 8192") && error.contains("new session"), "{error}");
    assert_eq!((summaries(&stage), stage.bodies().len()), (1, 5));
}

#[tokio::test]
async fn an_overflow_with_nothing_old_asks_for_no_summary() {
    let script = refusing(0);
    let mut stage = small("", &script).open().await;
    stage.prompt("last").await;
    let error = stage.error().expect("an error");
    assert!(error.contains("Nothing older"), "{error}");
    assert_eq!((summaries(&stage), stage.bodies().len()), (0, 1));
}

#[tokio::test]
async fn a_summary_that_does_not_fit_itself_is_asked_of_less() {
    let script = format!(
        "[[turn]]\nwhen = \"<conversation>\"\nsteps = [{{ status = {{ code = 400, message = \"prompt is too long\" }} }}]\n{}",
        refusing(1)
    );
    let mut stage = sized("", &script, 100_000).open().await;
    for word in ["one", "two", "three"] {
        stage.prompt(&long(word).repeat(20)).await;
    }
    stage.prompt("last").await;
    let sizes: Vec<usize> = stage
        .bodies()
        .iter()
        .map(Value::to_string)
        .filter(|b| b.contains("Write the notes."))
        .map(|b| b.len())
        .collect();
    assert!(matches!(sizes[..], [first, second] if second < first * 3 / 4), "{sizes:?}");
    assert_eq!(stage.error(), None);
}

#[tokio::test]
async fn while_a_summary_waits_for_a_retry_the_countdown_is_shown() {
    let busy = "[[turn]]\nwhen = \"<conversation>\"\nsteps = [{ status = { code = 503, message = \"BUSY\" } }]\n";
    let mut stage = small("", &format!("{busy}{NOTES}{NEARLY_FULL}")).open().await;
    let waits = |e: &Event| {
        state(e).is_some_and(|s| {
            let retry = s.retry.as_ref().is_some_and(|r| r.attempt == 1 && r.reason.contains("BUSY"));
            retry && s.phase == Phase::Compaction
        })
    };
    stage.prompt(&long("one")).await;
    stage.prompt(&long("two")).await;
    assert_eq!(stage.seen.iter().filter(|e| waits(e)).count(), 1);
    let after = stage.seen.iter().skip_while(|e| !waits(e)).filter_map(state);
    let resumed = |s: &&panto::backend::Session| s.phase == Phase::Compaction && s.retry.is_none();
    assert!(after.clone().any(|s| resumed(&s)), "the wait ends");
    assert_eq!(after.last().expect("a state").phase, Phase::Idle);
    assert_eq!(texts(&stage.last()), ["Summary", "two"]);
    // The same when it is asked for.
    let script = format!("{busy}{NOTES}{HELLO}");
    let mut scene = small("", &script);
    scene.options.agent.keep_recent = 10;
    let mut stage = scene.open().await;
    for word in ["one", "two", "three"] {
        stage.prompt(&long(word)).await;
    }
    stage.ask(Command::Compact { focus: None }).await.expect("a summary");
    stage.wait(waits).await;
}

#[tokio::test]
async fn escape_ends_the_turn_and_ctrl_c_only_the_compaction() {
    let script =
        format!("[[turn]]\nwhen = \"<conversation>\"\ntimes = 0\nsteps = [{{ gate = \"notes\" }}]\n{NEARLY_FULL}");
    let mut stage = small("", &script).open().await;
    stage.prompt(&long("one")).await;
    stage.seen.clear();
    let compacting = |e: &Event| state(e).is_some_and(|s| s.phase == Phase::Compaction);
    stage.ask(prompt(&long("two"))).await.expect("accepted");
    stage.wait(compacting).await;
    stage.ask(Command::Abort).await.expect("aborted");
    stage.wait(|e| matches!(e, Event::TurnEnded { error: None, .. })).await;
    stage.notice("nothing has changed").await;
    assert_eq!(texts(&stage.last()).len(), 1, "the last request was for the summary");
    stage.seen.clear();
    stage.ask(prompt(&long("three"))).await.expect("accepted");
    stage.wait(compacting).await;
    stage.ask(Command::CancelTools { call_id: None }).await.expect("stopped");
    stage.wait(|e| matches!(e, Event::TurnEnded { error: None, .. })).await;
    assert_eq!(texts(&stage.last()), ["one", "Hello.", "two", "three"], "the turn went on with all of it");
}

#[tokio::test]
async fn what_is_said_meanwhile_steers_the_turn() {
    let script = format!(
        "[[turn]]\nwhen = \"<conversation>\"\nsteps = [{{ gate = \"notes\" }}, {{ text = \"NOTES\" }}]\n{NEARLY_FULL}"
    );
    let mut stage = small("", &script).open().await;
    stage.prompt(&long("one")).await;
    stage.seen.clear();
    stage.ask(prompt(&long("two"))).await.expect("accepted");
    stage.wait(|e| state(e).is_some_and(|s| s.phase == Phase::Compaction)).await;
    stage.ask(Command::Steer { text: "three".into() }).await.expect("kept");
    stage.served.gates().open("notes");
    stage.wait(|e| matches!(e, Event::TurnEnded { error: None, .. })).await;
    assert_eq!(texts(&stage.last()), ["Summary", "two", "Hello.", "three"]);
}

#[tokio::test]
async fn handlers_write_the_summary_or_refuse_it_and_are_asked_once_a_turn() {
    let code = "panto.ext.on('compact_before', function(e)
            log(e.agent .. ' ' .. #e.messages)
            if asked then return {summary = 'MINE'} end
            asked = true return {cancel = true, reason = 'NOT-NOW'}
        end)";
    // Three rounds, each of which the server counts as nearly full.
    let calls = "[[turn]]\nwhen = \"two\"\nsteps = [{ tool = { name = \"std.shell\", input = { command = \"true\" } } }, { finish = { input = 9500 } }]\n\
        [[turn]]\non = \"results\"\nsteps = [{ tool = { name = \"std.shell\", input = { command = \"true\" } } }, { finish = { input = 9550 } }]\n";
    let script = format!("{calls}{NEARLY_FULL}");
    let mut stage = small(code, &script).open().await;
    stage.prompt(&long("one")).await;
    stage.prompt(&long("two")).await;
    stage.notice("NOT-NOW").await;
    assert_eq!((stage.error(), stage.log()), (None, vec!["main 2".to_owned()]), "it is not asked again for nothing");
    stage.prompt("three").await;
    assert!(stage.last()["messages"][1]["content"].as_str().is_some_and(|text| text.contains("MINE")));
    assert_eq!(summaries(&stage), 0, "no model was asked");
}
