//! The Lua side of a run.

use super::{args::Args, failure::Failure, start::Start};
use crate::backend::{CommandDecl, Decision, Diagnostic, Extensions, HookCall, Notice, ToolHook};
use crate::tool::ToolSource;
use futures_util::future::{BoxFuture, FutureExt, ready};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

pub fn start(_args: &Args, _start: &Start) -> Result<(Vec<Arc<dyn ToolSource>>, Arc<dyn Extensions>), Failure> {
    Ok((vec![], Arc::new(Nothing)))
}

struct Nothing;

impl Extensions for Nothing {
    fn load(&self, _: bool) -> BoxFuture<'static, Vec<Diagnostic>> {
        ready(vec![]).boxed()
    }
    fn commands(&self) -> Vec<CommandDecl> {
        vec![]
    }
    fn run_command(&self, _: &str, _: &str) -> BoxFuture<'static, Result<(), String>> {
        ready(Ok(())).boxed()
    }
    fn tool_call(&self, hook: ToolHook) -> BoxFuture<'static, (Value, Decision)> {
        ready((hook.input, Decision::Allow)).boxed()
    }
    fn emit(&self, _: HookCall) {}
    fn session_changed(&self, _: Value) {}
    fn on_notice(&self, _: UnboundedSender<Notice>) {}
}
