//! Sessions of a server: each has several clients, so that nothing takes its place. What a script forks there becomes
//! another session of the server, beside the one that it is a copy of.
//!
//! How another session is opened is not known here: whoever starts the backend brings it.

use super::{
    BackendError, Code, Level, Reply, Session,
    lifecycle::Change,
    lists,
    obey::Answered,
    runtime::{News, Runtime},
};
use crate::session::{self, Ack, EntryKind};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};
use tokio::sync::oneshot;

/// What a fork is made of.
pub struct ForkWanted {
    /// The session as it is, without its transcript: the fork has its folder, model and level.
    pub of: Box<Session>,
    pub path: PathBuf,
    pub entry_id: Option<String>,
    /// None: that of the session.
    pub name: Option<String>,
}

/// Opens a fork as a session of its own; its id.
pub type OpenBeside = Arc<dyn Fn(ForkWanted) -> BoxFuture<'static, Result<String, BackendError>> + Send + Sync>;

/// How a server has a session.
#[derive(Clone)]
pub struct Hosting {
    pub beside: OpenBeside,
    /// A script has made it. It is written at once, for its id has been given away and nobody looks at it yet.
    pub by_script: bool,
}

impl Runtime {
    /// A script's fork: in the place of this session, or beside it where a server has it. `Reply::Text` with its id.
    pub fn fork_by_script(&mut self, entry_id: Option<String>, name: Option<String>, reply: oneshot::Sender<Answered>) {
        if let Err(why) = name.as_deref().map_or(Ok(()), lists::named).and_then(|()| self.may_fork_beside()) {
            let _ = reply.send(Err(why));
            return;
        }
        match self.shared.hosted.clone() {
            None => {
                let named = entry_id.clone();
                self.fork_as(entry_id, Change::ForkByScript { entry_id: named, name }, reply);
            }
            Some(hosting) => self.fork_beside(entry_id, name, hosting.beside, reply),
        }
    }

    /// A fork that its own scripts fork as soon as it is there would be the first of many without end.
    fn may_fork_beside(&self) -> Result<(), BackendError> {
        match &self.shared.hosted {
            Some(hosting) if hosting.by_script && !self.faces.were_joined() => {
                let text = "this session is a script's fork that nobody has looked at yet: it is forked no further";
                Err(BackendError::new(Code::InvalidRequest, text))
            }
            _ => Ok(()),
        }
    }

    fn fork_beside(
        &mut self,
        entry_id: Option<String>,
        name: Option<String>,
        beside: OpenBeside,
        reply: oneshot::Sender<Answered>,
    ) {
        let (asked, source) = oneshot::channel();
        self.fork_source(entry_id, asked);
        let news = self.news.clone();
        self.errands.spawn(async move {
            let made = async {
                match source.await {
                    Ok(Ok(Reply::ForkSource { session: of, path, entry_id })) => {
                        beside(ForkWanted { of, path, entry_id, name }).await
                    }
                    Ok(Err(why)) => Err(why),
                    _ => Err(BackendError::new(Code::Internal, "the session was closed meanwhile")),
                }
            };
            let made = made.await;
            if let Ok(id) = &made {
                let _ = news.send(News::ForkedBeside(id.clone()));
            }
            let _ = reply.send(made.map(Reply::Text));
        });
    }

    pub fn forked_beside(&mut self, id: &str) {
        self.notice(Level::Info, format!("an extension has made a fork of this session: /resume goes to it ({id})"));
    }

    /// Makes the file of a fork that a script has made. The error says that it could not be written.
    pub async fn write_at_once(&mut self) -> Result<(), BackendError> {
        if !self.shared.is_by_script() {
            return Ok(());
        }
        let mut entries = std::mem::take(&mut self.open.early);
        if entries.is_empty()
            && !self.open.log.has_file()
            && let Some(tip) = self.open.log.tip()
        {
            entries.push(session::Entry::new(EntryKind::Leaf { target_id: tip.to_owned() }));
        }
        match self.write(entries).await {
            Ack::Saved => Ok(()),
            _ => Err(BackendError::new(Code::InvalidRequest, "the fork could not be written: make room first")),
        }
    }

    /// What `session_fork` says, where the session is a fork that nothing was added to.
    pub fn as_fork(&self) -> Option<Value> {
        let (path, entry_id) = self.open.elsewhere.origin()?;
        Some(told_of_fork(session::id_of(path)?, entry_id))
    }
}

/// What `session_fork` says.
pub fn told_of_fork(parent: &str, entry_id: Option<&str>) -> Value {
    match entry_id {
        Some(id) => json!({"parent_session_id": parent, "entry_id": id}),
        None => json!({"parent_session_id": parent}),
    }
}
