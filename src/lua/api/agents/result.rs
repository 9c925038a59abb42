//! The result of a job as a table.

use crate::backend::{Job, Settled};
use crate::lua::convert::{Nulls, json_to_lua};
use mlua::{Lua, Value};
use serde_json::json;

/// `{status = "completed", text, tool_calls?}`, else `{status, error, text?}`; with `session_id`, `usage`, `turns` and
/// `seconds`.
pub(super) fn to_lua(lua: &Lua, settled: &Settled, job: &Job) -> mlua::Result<Value> {
    let (view, effort) = (job.view(), job.effort());
    let mut table = json!({
        "status": settled.state().name(), "error": settled.error(), "session_id": view.session_id, "usage": view.usage,
        "turns": effort.requests, "seconds": effort.time.as_secs_f64(),
    });
    match settled {
        Settled::Completed { text, calls } => {
            table["text"] = json!(text);
            if let Some(calls) = calls {
                let call =
                    |c: &crate::backend::CallMade| json!({"id": c.id, "name": c.name, "input": c.input.to_string()});
                table["tool_calls"] = calls.iter().map(call).collect();
            }
        }
        Settled::Limit { text, .. } => table["text"] = json!(text),
        Settled::Failed { .. } | Settled::Cancelled => {}
    }
    json_to_lua(lua, &table, Nulls::Absent)
}
