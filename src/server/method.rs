//! What a request asks for: the methods of protocol.md with their parameters, each strict about what it takes.
//!
//! Every other wish of a face is a method as well, named as its `Command` is; its result is the backend's `Reply`.

use super::wire::Refusal;
use crate::backend::{Answer, Command, OpenMode, Point, Scope};
use crate::conversation::{Part, Thinking};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

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

fn all() -> Scope {
    Scope::All
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    #[serde(default = "all")]
    pub scope: Scope,
    pub cwd: Option<PathBuf>,
    #[serde(default = "yes")]
    pub strict: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Create {
    pub cwd: Option<PathBuf>,
    pub name: Option<String>,
    pub model: Option<String>,
    pub thinking: Option<Thinking>,
}

/// `offset` and `limit` count bytes of the text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadItem {
    pub item_id: String,
    pub offset: Option<usize>,
    pub limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadItems {
    pub epoch: u64,
    pub before: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attach {
    mode: Option<AttachMode>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum AttachMode {
    Write,
    ReadOnly,
    TakeOver,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompt {
    text: String,
    #[serde(default)]
    images: Vec<Part>,
    #[serde(default = "yes")]
    wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    model: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Level {
    thinking: Thinking,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Focus {
    focus: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForkAt {
    entry_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct To {
    to: Point,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryId {
    entry_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Approve {
    approval_id: String,
    answer: Answer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobId {
    job_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobText {
    job_id: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Since {
    epoch: u64,
    revision: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct By {
    by: String,
}

/// Methods about one session that are done here in their own way.
const NAMED: [&str; 20] = [
    "attach",
    "detach",
    "prompt",
    "steer",
    "follow_up",
    "abort",
    "set_model",
    "set_thinking",
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
const OWN: [&str; 9] =
    ["new", "open", "shutdown", "retire", "finished", "snapshot", "trace", "stop_job", "message_job"];

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
mod tests {
    use super::*;

    fn refused(method: &str, params: Value) -> String {
        let Value::Object(params) = params else { panic!("an object") };
        call(method, params).expect_err("refused").message
    }

    fn taken(method: &str, params: Value) -> Call {
        let Value::Object(params) = params else { panic!("an object") };
        call(method, params).expect("taken")
    }

    #[test]
    fn what_a_method_does_not_know_is_refused_by_name() {
        assert!(refused("prompt", json!({"session_id": "s", "text": 5})).contains("`text`"));
        assert!(refused("prompt", json!({"session_id": "s", "text": "x", "surprise": 1})).contains("`surprise`"));
        assert!(refused("prompt", json!({"session_id": "s"})).contains("`text`"));
        assert!(refused("prompt", json!({"session_id": 1, "text": "x"})).contains("`session_id`"));
        assert!(refused("create", json!({"cwd": null})).contains("`cwd` is null"));
        assert!(refused("no_such_request", json!({})).contains("no method `no_such_request`"));
        assert!(refused("attach", json!({"session_id": "s", "mode": "x"})).contains("`mode`"));
        for own in OWN {
            assert!(refused(own, json!({})).contains("no method"), "{own}");
        }
    }

    #[test]
    fn a_faces_commands_are_methods() {
        for (method, params) in [
            ("take_back", json!({})),
            ("cancel_tools", json!({})),
            ("cancel_tools", json!({"call_id": "c"})),
            ("list_sessions", json!({"scope": "all"})),
            ("shell", json!({"line": "ls", "to_model": true})),
            ("branch_to", json!({"to": {"at": "e"}})),
        ] {
            let call = taken(method, params);
            assert!(matches!(call, Call::Session { call: SessionCall::Do { then: Then::Reply, .. }, .. }), "{method}");
        }
        assert!(refused("shell", json!({"line": "ls", "to_model": true, "more": 1})).contains("more"));
    }

    #[test]
    fn defaults_are_those_of_the_page() {
        let Call::List(list) = taken("list", json!({})) else { panic!("a list") };
        assert!(list.strict && list.scope == Scope::All);
        let call = taken("prompt", json!({"text": "x"}));
        assert!(matches!(call, Call::Session { session_id: None, call: SessionCall::Prompt { wait: true, .. } }));
    }
}
