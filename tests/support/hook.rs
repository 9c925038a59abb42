//! A call that wants to run, as handlers of `tool_call` and `approval` see it.

use panto::backend::{Mode, ToolHook};
use serde_json::Value;

pub fn hook(input: Value) -> ToolHook {
    ToolHook { call_id: "c1".into(), name: "std.shell".into(), input, mode: Mode::Auto, ..Default::default() }
}
