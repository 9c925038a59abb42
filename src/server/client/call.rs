//! Commands as the server's methods: names and parameters of protocol.md, else those of the command itself.

use crate::backend::{BackendError, Code, Command, ModelListing, Reply};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// What the result of a method looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{session}`: of no more interest, events tell it.
    Done,
    /// `{session, returned}`
    Returned,
    /// `{session}`, with `returned` where texts come back
    MayReturn,
    /// `{session, text}`
    Text,
    /// `{models}`
    Models,
    /// `{items, removed, revision}`
    Changes,
    /// `{item}`
    Item,
    /// `{reply}`
    Reply,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub method: String,
    pub params: Map<String, Value>,
    pub shape: Shape,
    /// May take as long as a model or a script takes: nobody waits for it before leaving.
    pub slow: bool,
}

impl Call {
    /// None for what makes no sense from afar.
    pub fn of(command: &Command, session_id: &str) -> Option<Call> {
        let shape = shape(command)?;
        let Ok(Value::Object(mut fields)) = serde_json::to_value(command) else { return None };
        let Some(Value::String(mut method)) = fields.remove("method") else { return None };
        let mut params = match fields.remove("params") {
            Some(Value::Object(params)) => params,
            _ => Map::new(),
        };
        rename(command, &mut method, &mut params);
        // What is left out is not null; the state of an extension may well be.
        params.retain(|key, value| key == "data" || !value.is_null());
        if !matches!(command, Command::ListModels) {
            params.insert("session_id".into(), session_id.into());
        }
        Some(Call { method, params, shape, slow: is_slow(command) })
    }
}

fn shape(command: &Command) -> Option<Shape> {
    Some(match command {
        Command::Prompt { .. }
        | Command::Steer { .. }
        | Command::FollowUp { .. }
        | Command::SetModel { .. }
        | Command::SetThinking { .. }
        | Command::SetMode { .. }
        | Command::Rename { .. }
        | Command::StopJob { .. }
        | Command::MessageJob { .. }
        | Command::Release { .. } => Shape::Done,
        Command::Abort => Shape::Returned,
        Command::Approve { .. } => Shape::MayReturn,
        Command::Compact { .. } => Shape::Text,
        Command::ListModels => Shape::Models,
        Command::Changes { .. } => Shape::Changes,
        Command::ReadItem { .. } => Shape::Item,
        Command::Join(_) | Command::Refresh(_) | Command::Retire | Command::Shutdown => return None,
        // Only scripts ask for it, and they live beside the session.
        Command::ForkByScript { .. } => return None,
        Command::New | Command::Open { .. } | Command::Fork { .. } | Command::ForkAt { .. } => return None,
        _ => Shape::Reply,
    })
}

/// Where the protocol has words of its own.
fn rename(command: &Command, method: &mut String, params: &mut Map<String, Value>) {
    match command {
        Command::Prompt { images, .. } => {
            params.insert("wait".into(), false.into());
            if images.is_empty() {
                params.remove("images");
            }
        }
        Command::SetThinking { .. } => {
            let level = params.remove("level").unwrap_or_default();
            params.insert("thinking".into(), level);
        }
        Command::Branch { .. } => *method = "branch_to".into(),
        Command::StopJob { .. } => *method = "job_stop".into(),
        Command::MessageJob { .. } => *method = "job_message".into(),
        _ => {}
    }
}

fn is_slow(command: &Command) -> bool {
    matches!(
        command,
        Command::Compact { .. }
            | Command::Branch { .. }
            | Command::RunCommand { .. }
            | Command::Complete { .. }
            | Command::ListMentions
            | Command::Reload { .. }
            | Command::FindModels
            | Command::Login { .. }
            | Command::Finished
    )
}

impl Shape {
    /// The reply that a result is.
    pub fn reply(self, mut result: Value) -> Result<Reply, BackendError> {
        let result = &mut result;
        Ok(match self {
            Shape::Done => Reply::Done,
            Shape::Returned => Reply::Returned(field(result, "returned")?),
            Shape::MayReturn => match result.get("returned") {
                Some(_) => Reply::Returned(field(result, "returned")?),
                None => Reply::Done,
            },
            Shape::Text => Reply::Text(field(result, "text")?),
            Shape::Models => {
                Reply::Models(field::<Vec<Model>>(result, "models")?.into_iter().map(Into::into).collect())
            }
            Shape::Changes => Reply::Changes(Box::new(read(result.take())?)),
            Shape::Item => Reply::Item(field(result, "item")?),
            Shape::Reply => field(result, "reply")?,
        })
    }
}

/// A field of a result, taken out of it.
pub fn field<T: DeserializeOwned>(result: &mut Value, key: &str) -> Result<T, BackendError> {
    read(result.get_mut(key).map(Value::take).unwrap_or_default())
}

pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, BackendError> {
    serde_json::from_value(value).map_err(|error| {
        let why = format!("the server's answer cannot be read ({error}): is it of another version of panto?");
        BackendError::new(Code::Internal, why)
    })
}

/// A model, as the protocol has it.
#[derive(Debug, Deserialize)]
struct Model {
    r#ref: String,
    name: String,
    context: u64,
    output: u64,
    input: Vec<String>,
    thinking: Vec<crate::conversation::Thinking>,
    price: Option<Price>,
    authenticated: bool,
    missing: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Price {
    input: f64,
    output: f64,
}

impl From<Model> for ModelListing {
    fn from(m: Model) -> ModelListing {
        ModelListing {
            reference: m.r#ref,
            name: m.name,
            context: m.context,
            output: m.output,
            images: m.input.iter().any(|kind| kind == "image"),
            thinking: m.thinking,
            price: m.price.map(|p| (p.input, p.output)),
            authenticated: m.authenticated,
            missing: m.missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Answer, BranchSummary, Point, Scope};
    use crate::conversation::Thinking;
    use serde_json::json;

    fn sent(command: Command) -> (String, Value, Shape) {
        let call = Call::of(&command, "s").expect("a method");
        (call.method, call.params.into(), call.shape)
    }

    #[test]
    fn commands_have_the_names_of_the_protocol() {
        let text = || "t".to_owned();
        let rows = [
            (
                Command::Prompt { text: text(), images: vec![] },
                "prompt",
                json!({"text": "t", "wait": false, "session_id": "s"}),
                Shape::Done,
            ),
            (Command::Abort, "abort", json!({"session_id": "s"}), Shape::Returned),
            (
                Command::SetThinking { level: Thinking::High },
                "set_thinking",
                json!({"thinking": "high", "session_id": "s"}),
                Shape::Done,
            ),
            (
                Command::Approve { approval_id: "a".into(), answer: Answer::NoAndInterrupt },
                "approve",
                json!({"approval_id": "a", "answer": "no_and_interrupt", "session_id": "s"}),
                Shape::MayReturn,
            ),
            (
                Command::StopJob { job_id: "j".into() },
                "job_stop",
                json!({"job_id": "j", "session_id": "s"}),
                Shape::Done,
            ),
            (Command::Compact { focus: None }, "compact", json!({"session_id": "s"}), Shape::Text),
            (Command::ListModels, "list_models", json!({}), Shape::Models),
            (Command::TakeBack { text: None }, "take_back", json!({"session_id": "s"}), Shape::Reply),
            (
                Command::TakeBack { text: Some(text()) },
                "take_back",
                json!({"text": "t", "session_id": "s"}),
                Shape::Reply,
            ),
            (
                Command::ListSessions { scope: Scope::Here, query: None },
                "list_sessions",
                json!({"scope": "here", "session_id": "s"}),
                Shape::Reply,
            ),
            (
                Command::AppendCustom { name: "n".into(), data: Value::Null },
                "append_custom",
                json!({"name": "n", "data": null, "session_id": "s"}),
                Shape::Reply,
            ),
        ];
        for (command, method, params, shape) in rows {
            let sent = sent(command);
            assert_eq!((sent.0.as_str(), &sent.1, sent.2), (method, &params, shape));
        }
        let to = Command::Branch { to: Point::Left, summary: Some(BranchSummary::default()) };
        assert_eq!(sent(to).0, "branch_to");
        assert!(Call::of(&Command::Shutdown, "s").is_none() && Call::of(&Command::Retire, "s").is_none());
    }

    #[test]
    fn results_become_replies() {
        let reply = |shape: Shape, result: Value| shape.reply(result);
        assert!(matches!(reply(Shape::Returned, json!({"returned": ["a"]})), Ok(Reply::Returned(t)) if t == ["a"]));
        assert!(matches!(reply(Shape::MayReturn, json!({"returned": ["a"]})), Ok(Reply::Returned(t)) if t == ["a"]));
        assert!(matches!(reply(Shape::MayReturn, json!({"session": {}})), Ok(Reply::Done)));
        let written = serde_json::to_value(Reply::Names(vec!["x".into()])).expect("written");
        assert!(matches!(reply(Shape::Reply, json!({"reply": written})), Ok(Reply::Names(n)) if n == ["x"]));
        let model = json!({"ref": "p:m", "name": "M", "context": 1, "output": 2, "input": ["text", "image"],
            "thinking": ["off"], "price": {"input": 1.0, "output": 2}, "authenticated": true, "new": 1});
        let Ok(Reply::Models(models)) = reply(Shape::Models, json!({"models": [model]})) else { panic!("models") };
        assert!(models[0].images && models[0].price == Some((1.0, 2.0)) && models[0].reference == "p:m");
        for (shape, wrong) in
            [(Shape::Reply, json!({})), (Shape::Models, json!({"models": 3})), (Shape::Item, json!(null))]
        {
            assert_eq!(reply(shape, wrong).expect_err("refused").code, Code::Internal);
        }
    }
}
