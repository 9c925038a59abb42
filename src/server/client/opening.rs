//! Ways to a session: which one is wanted, and what has to be asked until it is there.

use crate::backend::{BackendError, OpenMode, Reply, Session, SessionSummary, SessionTarget};
use crate::conversation::Thinking;
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};
use tokio::sync::oneshot;

/// The session that a face is to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A fresh one in this folder.
    New {
        cwd: PathBuf,
    },
    /// The one of this folder with the latest activity, else a fresh one.
    Continue {
        cwd: PathBuf,
    },
    Existing {
        target: SessionTarget,
        mode: OpenMode,
    },
}

/// What is to be set once it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    pub model: Option<String>,
    pub thinking: Option<Thinking>,
    pub name: Option<String>,
}

/// A way that is being gone.
#[derive(Debug)]
pub struct Opening {
    pub settings: Settings,
    pub reply: Option<oneshot::Sender<Result<Reply, BackendError>>>,
    /// What is answered when all went well.
    pub done: Reply,
    /// A session that was attached to only to be copied.
    pub leave: Option<String>,
}

impl Opening {
    pub fn new(settings: Settings, reply: Option<oneshot::Sender<Result<Reply, BackendError>>>) -> Opening {
        Opening { settings, reply, done: Reply::Done, leave: None }
    }

    pub fn end(self, result: Result<(), BackendError>) {
        if let Some(reply) = self.reply {
            let _ = reply.send(result.map(|()| self.done));
        }
    }
}

impl Settings {
    /// As those of another session.
    pub fn like(session: &Session) -> Settings {
        Settings { model: Some(session.model.clone()), thinking: Some(session.thinking), name: None }
    }

    /// Parameters of `create`; nothing is left to be set afterwards.
    pub fn create(&mut self, cwd: &Path) -> Map<String, Value> {
        let mut params = Map::from_iter([("cwd".to_owned(), json!(cwd))]);
        let Settings { model, thinking, name } = std::mem::take(self);
        let mut put = |key: &str, value: Option<Value>| value.map(|value| params.insert(key.into(), value));
        put("model", model.map(Value::from));
        put("thinking", thinking.map(|level| json!(level)));
        put("name", name.map(Value::from));
        params
    }

    /// The next thing to be set, as a method with its parameter.
    pub fn take_next(&mut self) -> Option<(&'static str, (&'static str, Value))> {
        let model = self.model.take().map(|model| ("set_model", ("model", model.into())));
        let model = model.or_else(|| self.thinking.take().map(|level| ("set_thinking", ("thinking", json!(level)))));
        model.or_else(|| self.name.take().map(|name| ("rename", ("name", name.into()))))
    }
}

/// Ids of the sessions that were listed last, by path.
#[derive(Debug, Default)]
pub struct Listed(HashMap<PathBuf, String>);

impl Listed {
    pub fn learn(&mut self, rows: &[SessionSummary]) {
        self.0.extend(rows.iter().map(|row| (row.path.clone(), row.id.clone())));
    }

    /// The server knows sessions by their ids: those stand at the end of the names of their files.
    pub fn id(&self, target: &SessionTarget) -> String {
        let path = match target {
            SessionTarget::Id(id) => return id.clone(),
            SessionTarget::Path(path) => path,
        };
        self.0.get(path).cloned().unwrap_or_else(|| {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            stem.rsplit_once('_').map_or(stem.clone(), |(_, id)| id.to_owned())
        })
    }
}

/// The one id that begins so, of the rows of `list`.
pub fn unique(rows: &Value, beginning: &str) -> Option<String> {
    let ids = rows.as_array()?.iter().filter_map(|row| row["id"].as_str());
    let mut found = ids.filter(|id| id.starts_with(beginning));
    found.next().filter(|_| found.next().is_none()).map(str::to_owned)
}

/// The id of the session with the latest activity, of the rows of `list`.
pub fn newest(rows: &Value) -> Option<String> {
    // One that has no file is somebody's who has not said anything yet.
    let written = |row: &&Value| row.get("path").is_some() && row.get("unreadable").is_none();
    let readable = rows.as_array()?.iter().filter(written);
    let newest = readable.max_by_key(|row| row["updated_at"].as_str().unwrap_or_default().to_owned())?;
    newest["id"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_as_an_id() {
        let mut listed = Listed::default();
        let path = || SessionTarget::Path("/s/--a/20261129T161500Z_0198-7.jsonl".into());
        assert_eq!(listed.id(&path()), "0198-7");
        listed.0.insert("/s/--a/20261129T161500Z_0198-7.jsonl".into(), "other".into());
        assert_eq!(listed.id(&path()), "other");
        assert_eq!(listed.id(&SessionTarget::Id("01".into())), "01");
        assert_eq!(listed.id(&SessionTarget::Path("x.jsonl".into())), "x");
    }

    #[test]
    fn the_newest_is_the_one_with_the_latest_activity() {
        let row = |id: &str, at: &str| json!({"id": id, "updated_at": at, "path": "/s"});
        let unsaid = json!({"id": "new", "updated_at": "2026-04-01T00:00:00Z"});
        let unreadable = json!({"path": "/x", "unreadable": "x"});
        let rows = json!([row("a", "2026-01-01T00:00:00Z"), row("b", "2026-03-01T00:00:00Z"), unsaid, unreadable]);
        assert_eq!(newest(&rows).as_deref(), Some("b"));
        assert_eq!(newest(&json!([])), None);
    }

    #[test]
    fn the_beginning_of_an_id_is_enough_where_it_is_the_only_one() {
        let rows = json!([{"id": "ab1"}, {"id": "ab2"}, {"id": "b"}, {}]);
        assert_eq!(unique(&rows, "ab2").as_deref(), Some("ab2"));
        assert_eq!(unique(&rows, "b").as_deref(), Some("b"));
        assert_eq!((unique(&rows, "ab"), unique(&rows, "c")), (None, None));
    }

    #[test]
    fn settings_are_made_with_the_session_or_one_by_one() {
        let settings = || Settings { model: Some("p:m".into()), thinking: Some(Thinking::Low), name: Some("n".into()) };
        let (mut made, mut set) = (settings(), settings());
        let params = Value::from(made.create(Path::new("/w")));
        assert_eq!(params, json!({"cwd": "/w", "model": "p:m", "thinking": "low", "name": "n"}));
        assert_eq!(made.take_next(), None);
        let methods: Vec<&str> = std::iter::from_fn(|| set.take_next()).map(|(method, _)| method).collect();
        assert_eq!(methods, ["set_model", "set_thinking", "rename"]);
    }
}
