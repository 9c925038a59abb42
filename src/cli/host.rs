//! What a server stands on: each session gets the settings, extensions and Lua state of its own folder, as if panto had
//! been started there.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::{models, run, scripts, start::Start};
use crate::backend::{
    self, BackendError, Code, Hosting, ModelListing, OpenBeside, Scope, SessionSummary, SessionTarget, StartSession,
    model_listing,
};
use crate::server::{Host, Opened, Opening};
use crate::session::{self, Store};
use futures_util::{FutureExt, future::BoxFuture};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Sessions on this machine.
pub struct LocalHost {
    args: Arc<Args>,
    start: Arc<Start>,
    /// Where this process listens, if it does.
    socket: Option<PathBuf>,
}

impl LocalHost {
    /// `args`: the flags that all sessions get. `start`: where the server itself was started.
    pub fn new(args: Args, start: Start, socket: Option<PathBuf>) -> LocalHost {
        LocalHost { args: Arc::new(args), start: Arc::new(start), socket }
    }

    fn store(&self) -> Store {
        Store::new(&self.start.paths.data)
    }
}

impl Host for LocalHost {
    fn open(&self, opening: Opening, beside: OpenBeside) -> BoxFuture<'static, Result<Opened, BackendError>> {
        let (args, store, here) = (self.args.clone(), self.store(), self.start.cwd.clone());
        let socket = self.socket.clone();
        async move {
            let Opening { start, cwd, name, model, thinking, by_script } = opening;
            let flags = args.clone();
            let ground = tokio::task::spawn_blocking(move || {
                is_whole(&store, &start)?;
                let cwd = cwd.or_else(|| folder_of(&store, &start)).unwrap_or(here);
                let args = flags.at(checked(&cwd)?);
                Start::find(&args).map(|ground| (ground, args, start)).map_err(refused)
            });
            let (ground, args, start) = ground.await.map_err(crashed)??;
            let lua = scripts::start(&args, &ground, true);
            let opened = async {
                let mut setup = run::setup(&args, &ground, &lua, true).map_err(refused)?;
                (setup.start, setup.hosted) = (start, Some(Hosting { beside, by_script }));
                setup.handover.socket = socket;
                setup.name = name.or(setup.name);
                setup.model = model.or(setup.model);
                setup.thinking = thinking.or(setup.thinking);
                backend::start(setup).await
            };
            match opened.await {
                Ok(link) => Ok(Opened { link, ended: async move { lua.stop().await }.boxed() }),
                Err(why) => {
                    lua.stop().await;
                    Err(why)
                }
            }
        }
        .boxed()
    }

    fn list(
        &self,
        scope: Scope,
        cwd: Option<PathBuf>,
    ) -> BoxFuture<'static, Result<Vec<SessionSummary>, BackendError>> {
        let (store, cwd) = (self.store(), cwd.unwrap_or_else(|| self.start.cwd.clone()));
        let listed = tokio::task::spawn_blocking(move || store.list(scope.into(), &cwd, None));
        async move {
            let unreadable = |e: session::FindError| BackendError::new(Code::SessionUnreadable, e.to_string());
            listed.await.map_err(crashed)?.map_err(unreadable)
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'static, Vec<ModelListing>> {
        let start = self.start.clone();
        let listed = tokio::task::spawn_blocking(move || {
            models::providers(&start).list().into_iter().map(model_listing).collect::<Vec<_>>()
        });
        async move { listed.await.unwrap_or_default() }.boxed()
    }
}

/// Clients name sessions by their whole ids: a beginning might be that of a session which is open here already.
fn is_whole(store: &Store, start: &StartSession) -> Result<(), BackendError> {
    let (StartSession::Resume(SessionTarget::Id(id))
    | StartSession::TakeOver(SessionTarget::Id(id))
    | StartSession::ReadOnly(SessionTarget::Id(id))) = start
    else {
        return Ok(());
    };
    match store.find(id) {
        Ok(path) if session::id_of(&path) != Some(id) => {
            Err(BackendError::new(Code::NotFound, format!("there is no session {id}; ids have to be whole")))
        }
        _ => Ok(()),
    }
}

/// The folder that a session belongs to, if it is still there.
fn folder_of(store: &Store, start: &StartSession) -> Option<PathBuf> {
    let target = match start {
        StartSession::Resume(target)
        | StartSession::TakeOver(target)
        | StartSession::ReadOnly(target)
        | StartSession::Fork { target, .. } => target,
        StartSession::New | StartSession::Continue => return None,
    };
    let path = match target {
        SessionTarget::Path(path) => path.clone(),
        SessionTarget::Id(id) => store.find(id).ok()?,
    };
    let cwd = session::header(&path)?.cwd;
    cwd.is_dir().then_some(cwd)
}

fn checked(cwd: &Path) -> Result<PathBuf, BackendError> {
    let wrong = |why: String| BackendError::new(Code::InvalidRequest, format!("cwd {}: {why}", cwd.display()));
    match cwd.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(wrong("this is not a folder".into())),
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn refused(failure: Failure) -> BackendError {
    let code = if failure.exit == Exit::Locked { Code::SessionLocked } else { Code::InvalidRequest };
    BackendError::new(code, failure.message)
}

fn crashed(error: tokio::task::JoinError) -> BackendError {
    BackendError::new(Code::Internal, format!("opening a session crashed: {error}"))
}
