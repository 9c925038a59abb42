//! The faces for a person, the full screen and plain lines: what they start with.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::farewell;
use super::handover;
use super::plain;
use super::prompts::HistoryFile;
use super::run::{Face, first_session, setup, target, why_plain};
use super::signals::Signals;
use super::start::Start;
use crate::backend::{self, BackendError, Code, Level, Link, Notice, SessionTarget, StartSession};
use crate::lua::Handle;
use crate::provider::Providers;
use crate::session::Store;
use crate::tui::{self, Clock, PromptHistory, host::Host, theme::ColorDepth};
use crate::util::paths::process_env;
use std::{
    io::{self, BufWriter},
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
    sync::Arc,
};

pub async fn run(args: Args, start: Start, lua: &Handle, face: Face, clock: Clock) -> Result<ExitCode, Failure> {
    let (link, first) = open(&args, &start, lua).await?;
    let (store, cwd) = (Store::new(&start.paths.data), start.cwd.clone());
    let ended = show(link, first, args.prompt, start, (face, clock)).await?;
    if ended.code == tui::RESTART {
        return Err(begin_anew());
    }
    farewell::local(&ended, &store, &cwd);
    Ok(exit_code(ended.code))
}

/// Gives the link a face until it is left.
pub async fn show(
    link: Link,
    first: tui::Start,
    prompt: Option<String>,
    start: Start,
    (face, clock): (Face, Clock),
) -> Result<tui::Ended, Failure> {
    if face == Face::Plain {
        return in_lines(link, first, prompt, start).await;
    }
    let notice = |text| Notice { level: Level::Warning, text };
    let setup = tui::Setup {
        depth: ColorDepth::detect(&process_env),
        start: first,
        prompt,
        notices: start.notices.into_iter().map(notice).collect(),
        host: host(&start.config.options.editor.external),
        history: Arc::new(HistoryFile::of(&start.paths.data)),
        options: start.config.options,
        settings: start.settings,
        paths: start.paths,
    };
    let ended = tui::run(link, setup, clock).await;
    ended.map_err(|e| Failure::new(Exit::Failed, format!("cannot use the terminal: {e}")))
}

async fn in_lines(link: Link, first: tui::Start, prompt: Option<String>, start: Start) -> Result<tui::Ended, Failure> {
    let why = why_plain(&start).map(|text| Notice { level: Level::Info, text });
    let warnings = start.notices.into_iter().map(|text| Notice { level: Level::Warning, text });
    let mut out = BufWriter::new(io::stdout().lock());
    let setup = plain::Setup {
        options: start.config.options.tui,
        first,
        prompt,
        notices: why.into_iter().chain(warnings).collect(),
        history: HistoryFile::of(&start.paths.data),
        lines: plain::Lines::start(),
        out: &mut out,
    };
    Ok(plain::run(link, setup, Signals::listen()?).await?)
}

/// Programs of the user's; the editor of the settings comes before those of the environment.
fn host(editor: &str) -> Host {
    let found = Host::find(&process_env);
    match editor.trim() {
        "" => found,
        named => Host { editor: Some(named.to_owned()), ..found },
    }
}

pub fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(Exit::Failed.code()))
}

/// Starts the program again in the place of this one, with the same words. Returns only if that fails.
fn begin_anew() -> Failure {
    let error = std::env::current_exe().map(|exe| Command::new(exe).args(std::env::args_os().skip(1)).exec());
    let error = error.unwrap_or_else(|e| e);
    Failure::new(Exit::Failed, format!("cannot start again: {error}; start panto again by hand"))
}

/// The backend and what is shown first. A session that is open elsewhere is asked about on the screen.
async fn open(args: &Args, start: &Start, lua: &Handle) -> Result<(Link, tui::Start), Failure> {
    let setup_of = || setup(args, start, lua, true);
    let first_try = setup_of()?;
    let first = match args.session.resume {
        Some(None) => tui::Start::Picker,
        _ if is_first_run(args, start, &first_try.providers) => tui::Start::Welcome,
        _ => tui::Start::Session,
    };
    match backend::start(first_try).await {
        Ok(link) => {
            handover::listen(start, &link);
            Ok((link, first))
        }
        Err(BackendError { code: Code::SessionLocked, message }) => {
            let mut fresh = setup_of()?;
            fresh.start = StartSession::New;
            let link = backend::start(fresh).await?;
            handover::listen(start, &link);
            let locked = asked_for(args, start).map(|target| tui::Start::Locked { target, message });
            Ok((link, locked.unwrap_or(tui::Start::Picker)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Nobody has said which model answers: no flag, no key, no configuration, no answer to the question before.
fn is_first_run(args: &Args, start: &Start, providers: &Providers) -> bool {
    args.model.model.is_none()
        && first_session(&args.session) == StartSession::New
        && start.settings.is_first_run()
        && providers.default_model().unconfigured
        && providers.keys().iter().all(|key| key.origins.is_empty())
}

fn asked_for(args: &Args, start: &Start) -> Option<SessionTarget> {
    match &args.session.resume {
        Some(Some(id)) => Some(target(id)),
        _ => Store::new(&start.paths.data).newest(&start.cwd).map(SessionTarget::Path),
    }
}

impl PromptHistory for HistoryFile {
    fn load(&self) -> Vec<String> {
        HistoryFile::load(self)
    }

    fn append(&self, prompt: &str) {
        if let Err(error) = HistoryFile::append(self, prompt) {
            tracing::warn!("the prompt history cannot be written: {error}");
        }
    }
}
