//! `panto serve`, `panto rpc` and `panto acp`: sessions without a screen, at a socket or on standard input and output.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::handover;
use super::host::LocalHost;
use super::run::first_session;
use super::signals::Signals;
use super::start::Start;
use crate::server::{self, Host, Hub, Opening, Socket, Token};
use crate::util::{
    log,
    paths::{self, process_env},
};
use futures_util::{FutureExt, TryFutureExt};
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// Where the server listens: the flag, `[server] socket`, `$XDG_RUNTIME_DIR/panto/panto.sock`, `<data>/server/panto.sock`.
pub fn socket_path(flag: Option<&Path>, start: &Start) -> PathBuf {
    let configured = start.config.options.server.socket.as_str();
    match (flag, configured) {
        (Some(flag), _) => flag.to_owned(),
        (None, "") => handover::folder(&start.paths).join("panto.sock"),
        (None, configured) => paths::expand_home(Path::new(configured), start.paths.home.as_deref()),
    }
}

/// The token of this user's servers.
pub fn token(start: &Start) -> Result<Token, Failure> {
    let found = Token::find(&start.paths.data, process_env("PANTO_SERVER_TOKEN"));
    found.map_err(|error| {
        let at = start.paths.data.join("server").join("token");
        Failure::new(Exit::Failed, format!("the token of the server, {}: {error}", at.display()))
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| Failure::new(Exit::Failed, format!("cannot start: {error}")))
}

/// Each session needs some descriptors: as many as this user may have.
fn raise_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a struct of ours; what they refuse stays as it is.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 && limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

fn tell_unsaved(unsaved: &[String]) {
    unsaved.iter().for_each(|text| eprintln!("panto: error: {}", super::terminal::harmless(text)));
}

/// Serves to its end, or until a signal; then it is stopped, and what could not be saved is said.
async fn until_signal(
    signals: &mut Signals,
    stop: &CancellationToken,
    serving: impl Future<Output = Result<Vec<String>, Failure>>,
) -> Result<ExitCode, Failure> {
    tokio::pin!(serving);
    let number = tokio::select! {
        number = signals.next() => number,
        ended = &mut serving => {
            tell_unsaved(&ended?);
            return Ok(ExitCode::SUCCESS);
        }
    };
    stop.cancel();
    tell_unsaved(&serving.await.unwrap_or_default());
    Err(Failure::silent(Exit::Signal(number)))
}

/// Listens until a signal; exits with 128 and its number.
pub fn serve(args: Args, socket: Option<&Path>) -> Result<ExitCode, Failure> {
    let start = Start::find(&args)?;
    log::start(&start.paths.data, args.place.log);
    let (path, token) = (socket_path(socket, &start), token(&start)?);
    raise_limit();
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let socket = Socket::bind(&path).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        start.notices.iter().for_each(|text| eprintln!("panto: warning: {}", super::terminal::harmless(text)));
        let told = writeln!(std::io::stdout(), "listening at {}", path.display());
        told.or_else(|e| if e.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })?;
        let (hub, stop) = (Hub::new(Arc::new(LocalHost::new(args, start, Some(path)))), CancellationToken::new());
        let serving = server::serve(socket, token, hub, stop.clone());
        until_signal(&mut signals, &stop, serving.map(Ok)).await
    });
    runtime.shutdown_background();
    ended
}

/// Serves one session on standard input and output, until the input ends and the turn in hand is over.
pub fn rpc(args: Args) -> Result<ExitCode, Failure> {
    let start = Start::find(&args)?;
    log::start(&start.paths.data, args.place.log);
    if args.session.resume == Some(None) {
        return Err(Failure::usage(
            "--resume needs an ID with rpc; `panto sessions list` shows them, -c takes the latest",
        ));
    }
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let mut opening = Opening::of(first_session(&args.session));
        opening.cwd = Some(start.cwd.clone());
        let host = Arc::new(LocalHost::new(args, start, None));
        let stop = CancellationToken::new();
        let hub = Hub::new(host.clone());
        let opened = host.open(opening, hub.beside()).await?;
        let serving = server::rpc(hub, opened, tokio::io::stdin(), tokio::io::stdout(), stop.clone());
        until_signal(&mut signals, &stop, serving.map_err(|why| Failure::new(Exit::Failed, why.message))).await
    });
    runtime.shutdown_background();
    ended
}

/// Serves an editor on standard input and output, until it ends the input and the turns in hand are over.
pub fn acp(args: Args) -> Result<ExitCode, Failure> {
    let start = Start::find(&args)?;
    log::start(&start.paths.data, args.place.log);
    start.notices.iter().for_each(|text| tracing::warn!("{text}"));
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let (hub, stop) = (Hub::new(Arc::new(LocalHost::new(args, start, None))), CancellationToken::new());
        let serving = server::acp(hub, tokio::io::stdin(), tokio::io::stdout(), stop.clone());
        until_signal(&mut signals, &stop, serving.map(Ok)).await
    });
    runtime.shutdown_background();
    ended
}
