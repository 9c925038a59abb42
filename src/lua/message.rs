//! What the handle sends to the Lua thread.

use crate::backend::{
    Completion, Decision, Diagnostic, ExtensionList, HookCall, Notice, Program, Reloaded, RenderCall, ScriptedEvent,
    ToolHook,
};
use crate::element::Element;
use crate::tool::{Call, Update};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// What other threads ask of the Lua thread. A dropped reply means that it has ended.
pub(super) enum Message {
    Load {
        trusted: bool,
        reply: oneshot::Sender<Vec<Diagnostic>>,
    },
    Reload {
        name: Option<String>,
        reply: oneshot::Sender<Reloaded>,
    },
    Enable {
        name: String,
        on: bool,
        reply: oneshot::Sender<Result<Reloaded, String>>,
    },
    List {
        reply: oneshot::Sender<ExtensionList>,
    },
    Batch {
        calls: Vec<Call>,
        updates: mpsc::UnboundedSender<Update>,
        reply: oneshot::Sender<()>,
    },
    /// Has the script of a provider answer; `events` closes at the end, and dropping the other side ends it.
    Stream {
        provider: String,
        request: Value,
        events: mpsc::Sender<ScriptedEvent>,
    },
    Command {
        name: String,
        args: String,
        reply: oneshot::Sender<Result<(), String>>,
    },
    ToolCall {
        hook: ToolHook,
        reply: oneshot::Sender<(Value, Decision)>,
    },
    Render {
        call: Box<RenderCall>,
        reply: oneshot::Sender<Option<Element>>,
    },
    Press {
        function: i64,
        reply: oneshot::Sender<Result<(), String>>,
    },
    Complete {
        name: String,
        prefix: String,
        reply: oneshot::Sender<Vec<Completion>>,
    },
    Mentions {
        reply: oneshot::Sender<Vec<Completion>>,
    },
    Attach(Program),
    Ask {
        hook: HookCall,
        reply: oneshot::Sender<Value>,
    },
    Emit(HookCall),
    /// Have handlers dealt with what they were told?
    Heard {
        reply: oneshot::Sender<()>,
    },
    Session(Value),
    Notices(mpsc::UnboundedSender<Notice>),
    /// Is anybody there?
    Ping {
        reply: oneshot::Sender<()>,
    },
    /// Ends the thread when the handlers of events that have been told are done, but waits no longer than `patience`.
    Stop {
        patience: Duration,
        reply: oneshot::Sender<()>,
    },
}
