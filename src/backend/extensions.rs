//! The port through which a scripting runtime plugs into the program, beside `tool::ToolSource`.

use super::{
    Completion, ExtensionList, KeyBinding, Mode, Notice, Program, ProviderDecl, Reloaded, RenderCall, ScriptedEvent,
    ThemeDecl,
};
use crate::element::Element;
use futures_util::{future::BoxFuture, stream::BoxStream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// A slash command that an extension brings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandDecl {
    /// Without the slash.
    pub name: String,
    pub description: String,
    /// The extension it comes from.
    pub origin: String,
    /// What may follow its name can be asked for.
    pub completes: bool,
}

/// Something that an extension did wrong, or could not do.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Its name, or the path of a script.
    pub extension: String,
    /// Readable, with file and line where there is one.
    pub message: String,
}

/// What the policies say of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It runs when the user has agreed to all that is asked, in this order; within these bounds.
    Run { questions: Vec<Wish>, bounds: Option<Value> },
    /// The model is told the reason.
    Block { reason: String },
}

impl Decision {
    /// Nobody objects.
    pub const ALLOW: Decision = Decision::Run { questions: vec![], bounds: None };
}

/// What a policy wants the user to be asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wish {
    /// Why.
    pub reason: String,
    /// What "always" would allow.
    pub rules: Vec<String>,
    /// What the call would change, as a unified diff.
    pub diff: Option<String>,
    /// What it would run.
    pub command: Option<String>,
}

/// A hook on a call, before it runs: the input may be changed, the call may be blocked or asked for.
#[derive(Debug, Clone, Default)]
pub struct ToolHook {
    pub call_id: String,
    pub name: String,
    pub input: Value,
    /// `main`, or the id of the job that a child works for.
    pub agent: String,
    pub session_id: String,
    pub cwd: PathBuf,
    pub mode: Mode,
    /// The tool is declared so.
    pub readonly: bool,
    /// Rules that the user has agreed to, for this session or this project.
    pub granted: Vec<String>,
}

/// An event of lua-api.md: a name and its data, an object.
#[derive(Debug, Clone)]
pub struct HookCall {
    pub event: &'static str,
    pub data: Value,
}

/// The scripting runtime. All methods may be called from any thread and never block. What concerns the screen has a
/// default: a runtime need not care for it.
pub trait Extensions: Send + Sync {
    /// Gives the way back into the program. Called once, before `load`; a runtime without it answers scripts that ask for
    /// something of the program that there is none.
    fn attach(&self, program: Program);
    /// Loads what is configured; with `trusted` also what the project brings. Called once before the first turn, and
    /// again with `trusted` when the user trusts the folder. Resolves to all that has failed so far.
    fn load(&self, trusted: bool) -> BoxFuture<'static, Vec<Diagnostic>>;
    /// Runs the code of one extension anew, or of all that are found now. The old code goes when the new one has loaded,
    /// and stays when that fails.
    fn reload(&self, name: Option<&str>) -> BoxFuture<'static, Reloaded>;
    /// Switches an extension on or off and remembers it. Errors: there is none of this name, or it can't be written down.
    fn enable(&self, name: &str, on: bool) -> BoxFuture<'static, Result<Reloaded, String>>;
    /// All that were found, with their state.
    fn list(&self) -> BoxFuture<'static, ExtensionList>;
    /// In registration order.
    fn commands(&self) -> Vec<CommandDecl>;
    /// Runs a command. The error is a readable traceback.
    fn run_command(&self, name: &str, args: &str) -> BoxFuture<'static, Result<(), String>>;
    /// Providers that scripts have registered, in registration order.
    fn providers(&self) -> Vec<ProviderDecl>;
    /// Has the script of a provider answer a request. Dropping the stream ends it; an error in it is the last event.
    fn stream(&self, provider: &str, request: Value) -> BoxStream<'static, ScriptedEvent>;
    /// Asks the `tool_call` and `approval` handlers; returns the input to use. Without handlers it resolves at once.
    fn tool_call(&self, hook: ToolHook) -> BoxFuture<'static, (Value, Decision)>;
    /// Whether the user has switched off what decides about calls: all run, whatever the mode.
    fn unheld(&self) -> bool {
        false
    }
    /// Whether an event has handlers at this moment. To be asked before data is made for them; costs next to nothing.
    fn listens(&self, event: &str) -> bool;
    /// Tells handlers of an event; nothing is waited for. What one extension is told reaches it in order.
    fn emit(&self, hook: HookCall);
    /// Resolves when handlers have dealt with all that they were told so far.
    fn heard(&self) -> BoxFuture<'static, ()>;
    /// Asks the handlers of an event that may change something, one after the other, each with what the one before
    /// changed. Gives the data as the last one left it, checked: `system_prompt {text}`, `context {messages}`,
    /// `before_request {max_tokens?, thinking, tool_choice, extra, headers}`, `tool_end {content, is_error, details?}`,
    /// `input {text, handled?}`, `compact_before {cancel?, reason?, summary?}`. Dropping the future ends the handler.
    fn ask(&self, hook: HookCall) -> BoxFuture<'static, Value>;
    /// Tells what session scripts look at: `session_id`, `session_dir`, `model`, `reasoning`.
    fn session_changed(&self, info: Value);
    /// Whether somebody renders the calls of a tool.
    fn renders(&self, _tool: &str) -> bool {
        false
    }
    /// What a call looks like; none: as usual. An error has been told.
    fn render(&self, _call: RenderCall) -> BoxFuture<'static, Option<Element>> {
        Box::pin(std::future::ready(None))
    }
    /// Keys that are bound, in order.
    fn key_bindings(&self) -> Vec<KeyBinding> {
        vec![]
    }
    /// Calls the function of a key. The error is a readable traceback.
    fn press(&self, _function: i64) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn themes(&self) -> Vec<ThemeDecl> {
        vec![]
    }
    /// What may follow the name of a command, where `prefix` is typed so far. An error has been told.
    fn complete(&self, _name: &str, _prefix: &str) -> BoxFuture<'static, Vec<Completion>> {
        Box::pin(std::future::ready(vec![]))
    }
    /// What may be written behind an `@` beside files. An error has been told.
    fn mentions(&self) -> BoxFuture<'static, Vec<Completion>> {
        Box::pin(std::future::ready(vec![]))
    }
    /// Where notices of scripts (`panto.ext.ui.notify`) go.
    fn on_notice(&self, sink: tokio::sync::mpsc::UnboundedSender<Notice>);
}
