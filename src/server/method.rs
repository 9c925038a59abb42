//! What a request asks for: the methods of protocol.md with their parameters, each strict about what it takes.
//!
//! Every other wish of a face is a method as well, named as its `Command` is; its result is the backend's `Reply`.

mod params;

use super::wire::Refusal;
use crate::backend::{Command, OpenMode, Point};
use crate::conversation::Part;
use params::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A request that is understood.
#[derive(Debug)]
pub enum Call {
    ListModels,
    List(List),
    Create(Create),
    /// Everything else is about one session; `session_id` may be missing where a connection has only one.
    Session {
        session_id: Option<String>,
        call: SessionCall,
    },
}

#[derive(Debug)]
pub enum SessionCall {
    Attach {
        mode: OpenMode,
    },
    Detach,
    Prompt {
        command: Command,
        wait: bool,
    },
    Fork {
        entry_id: Option<String>,
    },
    ForkAt {
        to: Point,
    },
    /// Needs no attachment: another process asks.
    Release {
        by: String,
    },
    Do {
        command: Command,
        then: Then,
    },
    ReadItem(ReadItem),
    ReadItems(ReadItems),
}

/// What the answer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// `{session}`, and beside it what the reply says.
    Session,
    /// `{items, removed, revision}`.
    Changes,
    /// `{reply}`.
    Reply,
}

/// Methods about one session that are done here in their own way.
const NAMED: [&str; 21] = [
    "attach",
    "detach",
    "prompt",
    "steer",
    "follow_up",
    "abort",
    "set_model",
    "set_thinking",
    "set_mode",
    "compact",
    "fork",
    "fork_at",
    "branch",
    "rename",
    "approve",
    "job_stop",
    "job_message",
    "read_item",
    "read_items",
    "changes",
    "release",
];

/// Commands that no client may send: they have another name as methods, or only the process itself sends them.
const OWN: [&str; 12] = [
    "fork_by_script",
    "fork_source",
    "new",
    "open",
    "shutdown",
    "retire",
    "reclaim",
    "finished",
    "snapshot",
    "trace",
    "stop_job",
    "message_job",
];

/// The call that a method with these parameters is.
pub fn call(method: &str, mut params: Map<String, Value>) -> Result<Call, Refusal> {
    if let Some((field, _)) = params.iter().find(|(_, value)| value.is_null()) {
        return Err(Refusal::invalid(format!("{method}: `{field}` is null; leave it out where there is none")));
    }
    match method {
        "list_models" => read::<Nothing>(method, params).map(|_| Call::ListModels),
        "list" => read(method, params).map(Call::List),
        "create" => read(method, params).map(Call::Create),
        _ => {
            let session_id = match params.remove("session_id") {
                Some(Value::String(id)) => Some(id),
                Some(_) => return Err(Refusal::invalid(format!("{method}: `session_id` has to be a text"))),
                None => None,
            };
            Ok(Call::Session { session_id, call: session(method, params)? })
        }
    }
}

fn session(method: &str, params: Map<String, Value>) -> Result<SessionCall, Refusal> {
    if OWN.contains(&method) {
        return Err(unknown(method));
    }
    if !NAMED.contains(&method) {
        let name = if method == "branch_to" { "branch" } else { method };
        return Ok(SessionCall::Do { command: command(name, params)?, then: Then::Reply });
    }
    let then_session = |command| SessionCall::Do { command, then: Then::Session };
    Ok(match method {
        "attach" => {
            let Attach { mode } = read(method, params)?;
            SessionCall::Attach {
                mode: match mode {
                    None | Some(AttachMode::Write) => OpenMode::Write,
                    Some(AttachMode::ReadOnly) => OpenMode::ReadOnly,
                    Some(AttachMode::TakeOver) => OpenMode::TakeOver,
                },
            }
        }
        "detach" => read::<Nothing>(method, params).map(|_| SessionCall::Detach)?,
        "prompt" => prompt(read(method, params)?)?,
        "steer" => read(method, params).map(|Text { text }| then_session(Command::Steer { text }))?,
        "follow_up" => read(method, params).map(|Text { text }| then_session(Command::FollowUp { text }))?,
        "abort" => read::<Nothing>(method, params).map(|_| then_session(Command::Abort))?,
        "set_model" => read(method, params).map(|Model { model }| then_session(Command::SetModel { model }))?,
        "set_thinking" => {
            read(method, params).map(|Level { thinking: level }| then_session(Command::SetThinking { level }))?
        }
        "set_mode" => read(method, params).map(|Mode { mode }| then_session(Command::SetMode { mode }))?,
        "compact" => read(method, params).map(|Focus { focus }| then_session(Command::Compact { focus }))?,
        "fork" => read(method, params).map(|ForkAt { entry_id }| SessionCall::Fork { entry_id })?,
        "fork_at" => read(method, params).map(|To { to }| SessionCall::ForkAt { to })?,
        "branch" => {
            let EntryId { entry_id } = read(method, params)?;
            then_session(Command::Branch { to: Point::At(entry_id), summary: None })
        }
        "rename" => read(method, params).map(|Name { name }| then_session(Command::Rename { name }))?,
        "approve" => read(method, params)
            .map(|Approve { approval_id, answer }| then_session(Command::Approve { approval_id, answer }))?,
        "job_stop" => read(method, params).map(|JobId { job_id }| then_session(Command::StopJob { job_id }))?,
        "job_message" => {
            read(method, params).map(|JobText { job_id, text }| then_session(Command::MessageJob { job_id, text }))?
        }
        "read_item" => SessionCall::ReadItem(read(method, params)?),
        "read_items" => SessionCall::ReadItems(read(method, params)?),
        "changes" => {
            let Since { epoch, revision } = read(method, params)?;
            SessionCall::Do { command: Command::Changes { epoch, revision }, then: Then::Changes }
        }
        "release" => {
            let By { by } = read(method, params)?;
            SessionCall::Release { by }
        }
        name => return Err(unknown(name)),
    })
}

fn prompt(Prompt { text, images, wait }: Prompt) -> Result<SessionCall, Refusal> {
    if images.iter().any(|part| !matches!(part, Part::Image { .. })) {
        return Err(Refusal::invalid("prompt: `images` holds parts {type: \"image\", mime, data} and no others"));
    }
    Ok(SessionCall::Prompt { command: Command::Prompt { text, images }, wait })
}

fn unknown(method: &str) -> Refusal {
    Refusal::invalid(format!("there is no method `{method}`"))
}

/// The face's command of this name. One without parameters has none at all.
fn command(method: &str, params: Map<String, Value>) -> Result<Command, Refusal> {
    let bare = || json!({"method": method});
    let full = |params: Map<String, Value>| json!({"method": method, "params": params});
    if params.is_empty()
        && let Ok(command) = serde_json::from_value(bare())
    {
        return Ok(command);
    }
    serde_json::from_value(full(params)).map_err(|error| {
        let why = error.to_string();
        if why.starts_with("unknown variant") { unknown(method) } else { Refusal::invalid(format!("{method}: {why}")) }
    })
}

fn read<T: DeserializeOwned>(method: &str, params: Map<String, Value>) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(Value::Object(params)).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => Refusal::invalid(format!("{method}: {}", error.inner())),
            field => Refusal::invalid(format!("{method}: `{field}`: {}", error.inner())),
        }
    })
}

/// All methods.
#[cfg(test)]
pub fn names() -> Vec<String> {
    // The one list of commands that there is.
    let wrong = serde_json::from_value::<Command>(json!({"method": ""})).expect_err("no command").to_string();
    let commands = wrong.split('`').skip(1).step_by(2).filter(|name| !name.is_empty()).map(str::to_owned);
    let mut names: Vec<String> = commands.filter(|name| !OWN.contains(&name.as_str())).collect();
    let others = ["list_models", "list", "create", "branch_to"].into_iter().chain(NAMED);
    names.extend(others.map(str::to_owned));
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests;
