//! Calls that tools make of other tools, through `Program::call_tool`: a source in Rust, the backend around it.

use super::setup;
use futures_util::{FutureExt, future::BoxFuture, stream::BoxStream};
use panto::backend::{
    self, CallSite, Command, CommandDecl, Completion, Decision, Diagnostic, Event, ExtensionList, Extensions, HookCall,
    Item, ItemBody, KeyBinding, Link, Notice, Program, ProviderDecl, Reloaded, RenderCall, ScriptedEvent, ThemeDecl,
    ToolHook,
};
use panto::config::Options;
use panto::conversation::Part;
use panto::element::Element;
use panto::tool::{Call, Outcome, ToolDecl, ToolSource, Update, UpdateKind};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// `outer` calls `inner` with its own input; `inner` says what it got.
#[derive(Default)]
struct Source {
    program: OnceLock<Program>,
}

impl Source {
    fn site(call: &Call) -> CallSite {
        CallSite { session_id: call.session_id.clone(), parent: Some(call.id.clone()), cancel: call.cancel.clone() }
    }

    async fn outcome(&self, call: &Call, updates: &UnboundedSender<Update>) -> Outcome {
        let program = self.program.get().expect("attached");
        let inner = |input: Value| program.call_tool(Self::site(call), "inner".into(), input);
        match call.name.as_str() {
            "outer" => {
                let (first, second) = tokio::join!(inner(call.input.clone()), inner(json!({"x": 13})));
                let unknown = program.call_tool(Self::site(call), "none".into(), json!({})).await;
                let text = |o: &Outcome| Part::joined(&o.parts);
                Outcome::text(format!("{} | {} | {}", text(&first), text(&second), text(&unknown)))
            }
            _ => {
                let kind = UpdateKind::Append("live".into());
                let _ = updates.send(Update { call_id: call.id.clone(), kind });
                Outcome::text(format!("inner {} {}", call.input["x"], "y".repeat(200_000)))
            }
        }
    }
}

struct Shared(Arc<Source>);

impl ToolSource for Shared {
    fn name(&self) -> &str {
        "rust"
    }

    fn tools(&self) -> Vec<ToolDecl> {
        let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
        ["outer", "inner"].map(|name| ToolDecl { schema: schema.clone(), ..ToolDecl::named(name) }).into()
    }

    fn run(&self, batch: Vec<Call>, updates: UnboundedSender<Update>) -> BoxFuture<'static, ()> {
        let source = self.0.clone();
        async move {
            for call in batch {
                let outcome = source.outcome(&call, &updates).await;
                let _ = updates.send(Update { call_id: call.id, kind: UpdateKind::Finished(outcome) });
            }
        }
        .boxed()
    }
}

impl Extensions for Source {
    fn attach(&self, program: Program) {
        let _ = self.program.set(program);
    }

    fn load(&self, _: bool) -> BoxFuture<'static, Vec<Diagnostic>> {
        async { vec![] }.boxed()
    }

    fn reload(&self, _: Option<&str>) -> BoxFuture<'static, Reloaded> {
        async { Reloaded::default() }.boxed()
    }

    fn enable(&self, name: &str, _: bool) -> BoxFuture<'static, Result<Reloaded, String>> {
        let why = format!("there is no extension `{name}`");
        async { Err(why) }.boxed()
    }

    fn list(&self) -> BoxFuture<'static, ExtensionList> {
        async { ExtensionList::default() }.boxed()
    }

    fn commands(&self) -> Vec<CommandDecl> {
        vec![]
    }

    fn providers(&self) -> Vec<ProviderDecl> {
        vec![]
    }

    fn stream(&self, _: &str, _: Value) -> BoxStream<'static, ScriptedEvent> {
        Box::pin(futures_util::stream::empty())
    }

    fn run_command(&self, _: &str, _: &str) -> BoxFuture<'static, Result<(), String>> {
        async { Ok(()) }.boxed()
    }

    fn tool_call(&self, hook: ToolHook) -> BoxFuture<'static, (Value, Decision)> {
        let unlucky = hook.name == "inner" && hook.input["x"] == 13;
        let decision = if unlucky { Decision::Block { reason: "UNLUCKY".into() } } else { Decision::ALLOW };
        async move { (hook.input, decision) }.boxed()
    }

    fn listens(&self, _: &str) -> bool {
        false
    }

    fn ask(&self, _: HookCall) -> BoxFuture<'static, Value> {
        async { Value::Null }.boxed()
    }

    fn emit(&self, _: HookCall) {}

    fn heard(&self) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }

    fn renders(&self, _: &str) -> bool {
        false
    }

    fn render(&self, _: RenderCall) -> BoxFuture<'static, Option<Element>> {
        async { None }.boxed()
    }

    fn key_bindings(&self) -> Vec<KeyBinding> {
        vec![]
    }

    fn press(&self, _: i64) -> BoxFuture<'static, Result<(), String>> {
        async { Ok(()) }.boxed()
    }

    fn themes(&self) -> Vec<ThemeDecl> {
        vec![]
    }

    fn complete(&self, _: &str, _: &str) -> BoxFuture<'static, Vec<Completion>> {
        async { vec![] }.boxed()
    }

    fn session_changed(&self, _: Value) {}

    fn on_notice(&self, _: UnboundedSender<Notice>) {}
}

struct Stage {
    source: Arc<Source>,
    link: Link,
    _root: tempfile::TempDir,
}

async fn stage() -> Stage {
    let root = tempfile::tempdir().expect("a folder");
    let script = root.path().join("script.toml");
    let turns = "[[turn]]\nsteps = [{ tool = { name = \"outer\", input = { x = 7 } } }]\n[[turn]]\nsteps = [{ text = \"END\" }]\n";
    std::fs::write(&script, turns).expect("written");
    let options =
        Options { model: format!("faux:{}", script.display()), mode: panto::config::Mode::Auto, ..Options::default() };
    let source = Arc::new(Source::default());
    let sources: Vec<Arc<dyn ToolSource>> = vec![Arc::new(Shared(source.clone()))];
    let link = backend::start(setup(root.path(), options, sources, source.clone()));
    Stage { link: link.await.expect("it starts"), source, _root: root }
}

/// The tool items of one turn as they were finished, and those that had live output.
async fn turn(stage: &mut Stage) -> (Vec<Arc<Item>>, Vec<String>) {
    drop(stage.link.send(Command::Prompt { text: "go".into(), images: vec![] }));
    let (mut finished, mut live) = (vec![], vec![]);
    while let Some(event) = stage.link.events.recv().await {
        match event {
            Event::ItemFinished(item) if matches!(item.body, ItemBody::Tool { .. }) => finished.push(item),
            Event::ItemUpdated { item_id, append: Some(_), .. } => live.push(item_id),
            Event::TurnEnded { error, .. } => {
                assert_eq!(error, None);
                return (finished, live);
            }
            _ => {}
        }
    }
    panic!("the turn did not end")
}

fn parts(item: &Item) -> (&str, Option<&str>, bool, String) {
    match &item.body {
        ItemBody::Tool { tool_name, parent, is_error, content, .. } => {
            (tool_name, parent.as_deref(), *is_error, Part::joined(content))
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_tools_calls_pass_checks_gate_and_cap_and_are_shown_below_it() {
    let mut stage = stage().await;
    let (items, live) = turn(&mut stage).await;
    let outer = items.last().expect("the call of the model");
    let (name, parent, failed, text) = parts(outer);
    assert_eq!((name, parent, failed), ("outer", None, false));
    assert!(text.starts_with("inner 7 yyy") && text.len() < 60_000, "the cap holds: {}", text.len());
    assert!(
        text.contains("| UNLUCKY |") && text.contains("there is no tool named none"),
        "{}",
        &text[text.len() - 400..]
    );
    let nested = items.iter().map(|i| parts(i)).filter(|(_, parent, ..)| *parent == Some(outer.id.as_str())).count();
    assert_eq!(nested, 3);
    assert_eq!(live.len(), 1);
    assert!(live[0].starts_with(&format!("{}.", outer.id)));
}

#[tokio::test]
async fn a_call_that_nobody_made_belongs_to_the_session_and_one_that_is_dropped_ends() {
    let mut stage = stage().await;
    let program = stage.source.program.get().expect("attached").clone();
    let site = CallSite { session_id: "s".into(), parent: None, cancel: CancellationToken::new() };
    let outcome = program.call_tool(site.clone(), "inner".into(), json!({"x": "no"})).await;
    assert!(outcome.is_error, "its input is checked: {outcome:?}");
    let outcome = program.call_tool(site.clone(), "inner".into(), json!({"x": 1})).await;
    assert!(!outcome.is_error && Part::joined(&outcome.parts).starts_with("inner 1"));
    site.cancel.cancel();
    let outcome = program.call_tool(site, "inner".into(), json!({"x": 1})).await;
    assert_eq!(Part::joined(&outcome.parts), "cancelled by the user");
    drop(stage.link.send(Command::Shutdown));
    while let Some(event) = stage.link.events.recv().await {
        if matches!(event, Event::Closed) {
            break;
        }
    }
    let site = CallSite { session_id: "s".into(), parent: None, cancel: CancellationToken::new() };
    let outcome = program.call_tool(site, "inner".into(), json!({"x": 1})).await;
    assert!(outcome.is_error && Part::joined(&outcome.parts).contains("has been closed"), "{outcome:?}");
}
