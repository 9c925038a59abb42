//! The runtime as the rest of the program holds it.

use super::host::View;
use super::message::Message;
use super::pulse::{DOUBT, Pulse};
use super::runtime::{self, Config};
use crate::backend::{
    CommandDecl, Completion, Decision, Diagnostic, ExtensionList, Extensions, HookCall, KeyBinding, Notice, Program,
    ProviderDecl, Reloaded, RenderCall, ScriptedEvent, ThemeDecl, ToolHook,
};
use crate::element::Element;
use crate::tool::{CANCELLED, Call, Outcome, ToolDecl, ToolSource, Update, UpdateKind};
use futures_util::{
    future::{BoxFuture, join_all},
    stream,
    stream::BoxStream,
};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How long handlers of the last events may still run at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Nested callbacks between Lua and Rust take a lot of stack.
const STACK: usize = 16 << 20;

/// Events of a provider's script that may wait to be taken.
const AHEAD: usize = 64;

const ENDED: &str = "the Lua runtime has ended";

/// A running Lua runtime; clones are the same one. When the last is dropped, the runtime ends.
#[derive(Clone)]
pub struct Handle {
    messages: mpsc::UnboundedSender<Message>,
    view: Arc<View>,
    pulse: Arc<Pulse>,
}

/// Starts a runtime and returns at once; its thread makes the state meanwhile.
pub fn start(config: Config) -> Handle {
    let (messages, receiver) = mpsc::unbounded_channel();
    let view = Arc::new(View::default());
    let pulse = Arc::new(Pulse::new(Duration::from_secs(config.options.lua.wedge_timeout.max(1))));
    let (seen, felt) = (view.clone(), pulse.clone());
    let body = move || runtime::run(config, seen, felt, receiver);
    if let Err(error) = std::thread::Builder::new().name("lua".into()).stack_size(STACK).spawn(body) {
        tracing::error!("panto: no thread for Lua: {error}");
    }
    Handle { messages, view, pulse }
}

impl Handle {
    /// Ends the runtime: handlers of events that have been told may finish (for a second), calls are cancelled, processes
    /// killed. Resolves when that is done.
    pub fn stop(&self) -> BoxFuture<'static, ()> {
        let this = self.clone();
        Box::pin(async move {
            let patience = FAREWELL + FAREWELL;
            let stopped = this.send(|reply| Message::Stop { patience: FAREWELL, reply });
            let _ = tokio::time::timeout(patience, stopped).await;
        })
    }

    fn send<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        let _ = self.messages.send(message(reply));
        answer
    }

    /// The answer, or why none will come. While it waits it makes sure that the thread lives.
    async fn answer<T>(&self, mut answer: oneshot::Receiver<T>) -> Result<T, String> {
        loop {
            if let Ok(answer) = tokio::time::timeout(self.pulse.doubt(), &mut answer).await {
                return answer.map_err(|_| ENDED.into());
            }
            let alive = self.send(|reply| Message::Ping { reply });
            if !self.pulse.beats(alive).await {
                return answer.try_recv().map_err(|_| self.pulse.problem());
            }
        }
    }
}

impl ToolSource for Handle {
    fn name(&self) -> &str {
        "lua"
    }

    fn tools(&self) -> Vec<ToolDecl> {
        self.view.tools().to_vec()
    }

    fn run(&self, batch: Vec<Call>, updates: mpsc::UnboundedSender<Update>) -> BoxFuture<'static, ()> {
        let this = self.clone();
        let ids: Vec<_> = batch.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
        let all_cancelled =
            join_all(batch.iter().map(|call| call.cancel.clone().cancelled_owned()).collect::<Vec<_>>());
        let told = updates.clone();
        let ended = self.send(|reply| Message::Batch { calls: batch, updates, reply });
        Box::pin(async move {
            let lost = async {
                all_cancelled.await;
                tokio::time::sleep(DOUBT).await;
            };
            let outcome: Box<dyn Fn(String) -> Outcome + Send> = tokio::select! {
                ended = this.answer(ended) => match ended {
                    Ok(()) => return,
                    Err(problem) => Box::new(move |name| {
                        Outcome::error(format!("panto-lua: tool '{name}' failed: panto: {problem}"))
                    }),
                },
                // Whoever has cancelled need not find out that the thread is wedged.
                () = lost => Box::new(|_| Outcome::error(CANCELLED)),
            };
            for (call_id, name) in ids {
                let _ = told.send(Update { call_id, kind: UpdateKind::Finished(outcome(name)) });
            }
        })
    }
}

impl Extensions for Handle {
    fn attach(&self, program: Program) {
        let _ = self.messages.send(Message::Attach(program));
    }

    fn load(&self, trusted: bool) -> BoxFuture<'static, Vec<Diagnostic>> {
        let this = self.clone();
        let loaded = self.send(|reply| Message::Load { trusted, reply });
        Box::pin(async move {
            this.answer(loaded)
                .await
                .unwrap_or_else(|problem| vec![Diagnostic { extension: "lua".into(), message: problem }])
        })
    }

    fn reload(&self, name: Option<&str>) -> BoxFuture<'static, Reloaded> {
        let this = self.clone();
        let name = name.map(str::to_owned);
        let done = self.send(|reply| Message::Reload { name, reply });
        Box::pin(async move {
            this.answer(done).await.unwrap_or_else(|problem| {
                let failed = vec![Diagnostic { extension: "lua".into(), message: problem }];
                Reloaded { diagnostics: failed.clone(), failed, ..Reloaded::default() }
            })
        })
    }

    fn enable(&self, name: &str, on: bool) -> BoxFuture<'static, Result<Reloaded, String>> {
        let this = self.clone();
        let name = name.to_owned();
        let done = self.send(|reply| Message::Enable { name, on, reply });
        Box::pin(async move { this.answer(done).await.unwrap_or_else(Err) })
    }

    fn list(&self) -> BoxFuture<'static, ExtensionList> {
        let this = self.clone();
        let list = self.send(|reply| Message::List { reply });
        Box::pin(async move { this.answer(list).await.unwrap_or_default() })
    }

    fn commands(&self) -> Vec<CommandDecl> {
        self.view.commands().to_vec()
    }

    fn providers(&self) -> Vec<ProviderDecl> {
        self.view.providers().to_vec()
    }

    fn stream(&self, provider: &str, request: Value) -> BoxStream<'static, ScriptedEvent> {
        let (events, received) = mpsc::channel(AHEAD);
        let _ = self.messages.send(Message::Stream { provider: provider.to_owned(), request, events });
        Box::pin(stream::unfold(received, |mut received| async {
            received.recv().await.map(|event| (event, received))
        }))
    }

    fn run_command(&self, name: &str, args: &str) -> BoxFuture<'static, Result<(), String>> {
        let this = self.clone();
        let (name, args) = (name.to_owned(), args.to_owned());
        let ended = self.send(|reply| Message::Command { name, args, reply });
        Box::pin(async move { this.answer(ended).await.unwrap_or_else(Err) })
    }

    fn tool_call(&self, hook: ToolHook) -> BoxFuture<'static, (Value, Decision)> {
        if let Some(reason) = self.view.closed() {
            let reason = format!("{} was not run: {reason}", hook.name);
            return Box::pin(std::future::ready((hook.input, Decision::Block { reason })));
        }
        if !self.view.listens("tool_call") && !self.view.listens("approval") {
            return Box::pin(std::future::ready((hook.input, Decision::ALLOW)));
        }
        let this = self.clone();
        let input = hook.input.clone();
        let asked = self.send(|reply| Message::ToolCall { hook, reply });
        Box::pin(async move {
            let refused = |problem: String| (input, Decision::Block { reason: format!("panto: {problem}") });
            this.answer(asked).await.unwrap_or_else(refused)
        })
    }

    fn unheld(&self) -> bool {
        self.view.unheld()
    }

    fn listens(&self, event: &str) -> bool {
        self.view.listens(event)
    }

    fn heard(&self) -> BoxFuture<'static, ()> {
        let this = self.clone();
        let heard = self.send(|reply| Message::Heard { reply });
        Box::pin(async move {
            let _ = this.answer(heard).await;
        })
    }

    fn emit(&self, hook: HookCall) {
        if self.view.listens(hook.event) {
            let _ = self.messages.send(Message::Emit(hook));
        }
    }

    fn ask(&self, hook: HookCall) -> BoxFuture<'static, Value> {
        if !self.view.listens(hook.event) {
            return Box::pin(std::future::ready(hook.data));
        }
        let (this, unchanged) = (self.clone(), hook.data.clone());
        let asked = self.send(|reply| Message::Ask { hook, reply });
        Box::pin(async move { this.answer(asked).await.unwrap_or(unchanged) })
    }

    fn session_changed(&self, info: Value) {
        let _ = self.messages.send(Message::Session(info));
    }

    fn renders(&self, tool: &str) -> bool {
        self.view.renders(tool)
    }

    fn render(&self, call: RenderCall) -> BoxFuture<'static, Option<Element>> {
        let this = self.clone();
        let asked = self.send(|reply| Message::Render { call: Box::new(call), reply });
        Box::pin(async move { this.answer(asked).await.unwrap_or(None) })
    }

    fn key_bindings(&self) -> Vec<KeyBinding> {
        self.view.keys().to_vec()
    }

    fn press(&self, function: i64) -> BoxFuture<'static, Result<(), String>> {
        let this = self.clone();
        let ended = self.send(|reply| Message::Press { function, reply });
        Box::pin(async move { this.answer(ended).await.unwrap_or_else(Err) })
    }

    fn themes(&self) -> Vec<ThemeDecl> {
        self.view.themes().to_vec()
    }

    fn complete(&self, name: &str, prefix: &str) -> BoxFuture<'static, Vec<Completion>> {
        if !self.view.completes(name) {
            return Box::pin(std::future::ready(vec![]));
        }
        let this = self.clone();
        let (name, prefix) = (name.to_owned(), prefix.to_owned());
        let asked = self.send(|reply| Message::Complete { name, prefix, reply });
        Box::pin(async move { this.answer(asked).await.unwrap_or_default() })
    }

    fn mentions(&self) -> BoxFuture<'static, Vec<Completion>> {
        if !self.view.mentions() {
            return Box::pin(std::future::ready(vec![]));
        }
        let this = self.clone();
        let asked = self.send(|reply| Message::Mentions { reply });
        Box::pin(async move { this.answer(asked).await.unwrap_or_default() })
    }

    fn on_notice(&self, sink: mpsc::UnboundedSender<Notice>) {
        self.pulse.listen(sink.clone());
        let _ = self.messages.send(Message::Notices(sink));
    }
}
