//! Sessions go from one panto process to another: where this one is asked for its own, and how it asks others.

use super::start::Start;
use crate::backend::{Event, Handover, Link, Phase};
use crate::server::{Address, Socket, Token, hold, release};
use crate::util::paths::{Paths, process_env};
use futures_util::FutureExt;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Beginning of the names of such sockets; the pid follows.
const NAME: &str = "hold-";

/// The folder of sockets: `$XDG_RUNTIME_DIR/panto`, else `<data>/server`.
pub fn folder(paths: &Paths) -> PathBuf {
    match process_env("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => Path::new(&dir).join("panto"),
        None => paths.data.join("server"),
    }
}

/// For a process that listens at `socket`, if it does.
pub fn handover(start: &Start, socket: Option<PathBuf>) -> Handover {
    let data = start.paths.data.clone();
    let ask = move |holder: crate::session::Holder, session_id: String| {
        let data = data.clone();
        async move {
            let socket = holder.socket.ok_or("it takes no requests")?;
            let address = Address::new(socket, process_env("PANTO_SERVER_TOKEN"), &data);
            release(&address, &session_id, &format!("process {}", std::process::id())).await
        }
        .boxed()
    };
    Handover { socket, ask: Some(Arc::new(ask)) }
}

/// Where a full-screen program is asked for its session.
pub fn own_socket(start: &Start) -> PathBuf {
    folder(&start.paths).join(format!("{NAME}{}.sock", std::process::id()))
}

/// Takes requests for the session from the moment on at which this process may hold it: nothing is made on the disk
/// before.
pub fn listen(start: &Start, link: &Link) {
    let (mut face, _) = link.join();
    let (path, data) = (own_socket(start), start.paths.data.clone());
    tokio::spawn(async move {
        loop {
            match face.events.recv().await {
                Some(event) if may_hold(&event) => break,
                Some(_) => {}
                None => return,
            }
        }
        let requests = face.requests.clone();
        drop(face);
        let bound = tokio::task::spawn_blocking(move || {
            path.parent().into_iter().for_each(sweep);
            let token = Token::find(&data, process_env("PANTO_SERVER_TOKEN")).map_err(|e| e.to_string())?;
            Ok::<_, String>((path, token))
        });
        match bound.await.map_err(|e| e.to_string()).flatten() {
            Ok((path, token)) => match Socket::bind(&path) {
                Ok(socket) => hold(socket, token, requests).await,
                Err(error) => tracing::info!(%error, "this process cannot be asked to hand its session over"),
            },
            Err(error) => tracing::info!(%error, "this process cannot be asked to hand its session over"),
        }
    });
}

fn may_hold(event: &Event) -> bool {
    match event {
        Event::SessionOpened(session) => !session.transcript.is_empty() && !session.read_only,
        Event::SessionChanged(session) => session.phase != Phase::Idle,
        _ => false,
    }
}

/// Takes away what killed processes have left.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split('.').next()?.parse::<i32>().ok());
        if pid.is_some_and(is_gone) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_gone(pid: i32) -> bool {
    // SAFETY: signal 0 asks only whether there is such a process.
    let failed = pid > 0 && unsafe { libc::kill(pid, 0) } != 0;
    failed && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}
