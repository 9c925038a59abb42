//! `panto attach`: the full-screen program on a session of a server. Which session, what it begins with, and what is done
//! when somebody else has it; from then on a remote session is like a local one.

use super::args::{Args, AttachFlags};
use super::failure::{Exit, Failure};
use super::farewell;
use super::run::{Face, target};
use super::screen;
use super::serve::socket_path;
use super::start::Start;
use super::threads::Threads;
use crate::backend::{BackendError, Code, OpenMode, SessionTarget};
use crate::server::client::{Address, DialError, Remote, Settings, Wanted};
use crate::tui::{self, Clock};
use crate::util::{log, paths::process_env};
use std::process::ExitCode;

pub fn run(mut args: Args, mut flags: AttachFlags) -> Result<ExitCode, Failure> {
    args.screen = std::mem::take(&mut flags.screen);
    let start = Start::find(&args)?;
    let face = Face::of_a_person(&start)?;
    log::start(&start.paths.data, args.place.log);
    Threads::start()?.run(|clock| attach(flags, start, (face, clock)))
}

async fn attach(flags: AttachFlags, start: Start, face: (Face, Clock)) -> Result<ExitCode, Failure> {
    let socket = socket_path(flags.socket.as_deref(), &start);
    let address = Address::new(socket, process_env("PANTO_SERVER_TOKEN"), &start.paths.data);
    let remote = Remote::connect(address, start.cwd.clone()).await?;
    let first = open(&remote, &flags, &start).await?;
    let ended = screen::show(remote.link(), first, flags.prompt, start, face).await?;
    farewell::attached(&ended);
    Ok(screen::exit_code(ended.code))
}

/// Opens what the flags say. A session that another process has is asked about on the screen.
async fn open(remote: &Remote, flags: &AttachFlags, start: &Start) -> Result<tui::Start, Failure> {
    let settings = Settings { model: flags.model.clone(), thinking: flags.thinking, name: flags.name.clone() };
    let (wanted, asked_for) = wanted(flags, start);
    let first = if flags.resume == Some(None) { tui::Start::Picker } else { tui::Start::Session };
    match (remote.open(wanted, settings.clone()).await, asked_for) {
        (Ok(()), _) => Ok(first),
        (Err(BackendError { code: Code::SessionLocked, message }), target) => {
            remote.open(Wanted::New { cwd: start.cwd.clone() }, Settings { name: None, ..settings }).await?;
            Ok(target.map_or(tui::Start::Picker, |target| tui::Start::Locked { target, message }))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// The session, and its name for the question when it is open elsewhere.
fn wanted(flags: &AttachFlags, start: &Start) -> (Wanted, Option<SessionTarget>) {
    let cwd = start.cwd.clone();
    let existing = |id: &str, mode| (Wanted::Existing { target: target(id), mode }, Some(target(id)));
    match (&flags.fork, &flags.resume) {
        (Some(id), _) => existing(id, OpenMode::Fork),
        (None, Some(Some(id))) => existing(id, OpenMode::Write),
        (None, _) if flags.continue_ => (Wanted::Continue { cwd }, None),
        (None, _) => (Wanted::New { cwd }, None),
    }
}

impl From<DialError> for Failure {
    fn from(error: DialError) -> Self {
        let exit = if matches!(error, DialError::TooLong(_)) { Exit::Usage } else { Exit::Failed };
        Failure::new(exit, error.to_string())
    }
}
