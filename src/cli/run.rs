//! The main program: starts a backend with what the flags say and gives it a face, the screen or print mode.

use super::args::{Args, Format, SessionFlags};
use super::failure::{Exit, Failure};
use super::start::{Start, file_or_text};
use super::{
    handover, models, print, screen, scripts, signals::Signals, stdin, terminal::harmless, theme, threads::Threads,
};
use crate::backend::{self, SessionTarget, Setup, StartSession, TrustQuestion};
use crate::config::{SystemPrompt, Trust, TrustFile};
use crate::lua::Handle;
use crate::tui::Clock;
use crate::util::{log, paths::process_env, time};
use std::{
    io,
    io::{BufWriter, IsTerminal, stderr, stdout},
    path::Path,
    process::ExitCode,
    sync::Arc,
};

pub fn run(args: Args) -> Result<ExitCode, Failure> {
    let start = Start::find(&args)?;
    log::start(&start.paths.data, args.place.log);
    let face = if args.print.print.is_some() { Face::Print } else { Face::of_a_person(&start)? };
    // Lua's own thread makes its state while everything else starts.
    let lua = scripts::start(&args, &start, face != Face::Print);
    Threads::start()?.run(async |clock| {
        let ended = face.run(args, start, &lua, clock).await;
        lua.stop().await;
        ended
    })
}

/// Who sees the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    Print,
    Plain,
    Screen,
}

/// Said where nobody asked for lines.
const DUMB: &str =
    "TERM says that this terminal can only take lines: this is plain mode (--plain), not the full screen";

impl Face {
    /// Lines where they are wanted, or where the terminal can't do more; else the full screen, which needs a terminal.
    pub fn of_a_person(start: &Start) -> Result<Self, Failure> {
        let terminal = io::stdin().is_terminal() && stdout().is_terminal();
        match () {
            () if start.config.options.tui.plain => Ok(Face::Plain),
            () if !terminal => Err(Failure::usage(
                "there is no terminal to draw on; `panto -p PROMPT` answers without one, `panto --plain` talks in lines",
            )),
            () if is_dumb() => Ok(Face::Plain),
            () => Ok(Face::Screen),
        }
    }

    async fn run(self, args: Args, start: Start, lua: &Handle, clock: Clock) -> Result<ExitCode, Failure> {
        match self {
            Face::Print => print_mode(args, start, lua).await.map(|()| ExitCode::SUCCESS),
            Face::Plain | Face::Screen => screen::run(args, start, lua, self, clock).await,
        }
    }
}

fn is_dumb() -> bool {
    process_env("TERM").is_some_and(|term| term == "dumb")
}

/// Why there are lines although nobody asked for them.
pub fn why_plain(start: &Start) -> Option<String> {
    (!start.config.options.tui.plain && is_dumb()).then(|| DUMB.to_owned())
}

async fn print_mode(args: Args, start: Start, lua: &Handle) -> Result<(), Failure> {
    let mut signals = Signals::listen()?;
    let words = [args.print.print.clone().flatten(), args.prompt.clone()];
    let format = args.print.output_format.unwrap_or_default();
    if args.session.resume == Some(None) {
        return Err(Failure::usage(
            "--resume needs an ID with -p; `panto sessions list` shows them, -c takes the latest",
        ));
    }
    let setup = setup(&args, &start, lua, false)?;
    theme::check(&args, &start, lua).await?;
    start.notices.iter().for_each(|text| eprintln!("panto: warning: {}", harmless(text)));
    let piped = tokio::task::spawn_blocking(stdin::piped);
    let (link, piped) = tokio::select! {
        biased;
        number = signals.next() => return Err(Failure::silent(Exit::Signal(number))),
        both = async { (backend::start(setup).await, piped.await) } => both,
    };
    let piped = piped.map_err(anyhow::Error::from)?.map_err(|e| Failure::usage(format!("standard input: {e}")))?;
    let prompt = stdin::join(words.into_iter().flatten().chain([piped]));
    if prompt.is_empty() {
        return Err(Failure::usage("-p needs a prompt, as an argument or on standard input"));
    }
    let (mut answer, mut notices) = (BufWriter::new(stdout().lock()), stderr());
    let terminal = stdout().is_terminal() && format == Format::Text;
    let output = print::Output { answer: &mut answer, notices: &mut notices, terminal, format };
    print::run(link?, prompt, output, signals.next()).await
}

/// What the backend is made from.
pub fn setup(args: &Args, start: &Start, lua: &Handle, interactive: bool) -> Result<Setup, Failure> {
    let options = start.config.options.clone();
    let providers = models::providers(start);
    if !interactive && args.model.model.is_none() && providers.default_model().unconfigured {
        return Err(Failure::new(Exit::Authentication, NO_KEY));
    }
    Ok(Setup {
        system: system_prompt(args, start)?,
        options,
        paths: start.paths.clone(),
        cwd: start.cwd.clone(),
        providers: Arc::new(providers),
        sources: vec![Arc::new(lua.clone())],
        extensions: Arc::new(lua.clone()),
        start: first_session(&args.session),
        name: args.session.name.clone(),
        no_session: args.session.no_session,
        handover: handover::handover(start, interactive.then(|| handover::own_socket(start))),
        model: args.model.model.clone(),
        thinking: args.model.thinking,
        tools: args.model.tools.clone(),
        trust: trust(start),
        interactive,
        hosted: None,
    })
}

const NO_KEY: &str = "no model can be asked yet: `panto login` keeps the key of a provider, or set it in \
    ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY or the like (`panto models` shows them all), or describe your own with PANTO_BASE_URL, \
    PANTO_API_KEY and PANTO_MODEL; `--model faux:demo` shows a demo";

fn system_prompt(args: &Args, start: &Start) -> Result<Vec<String>, Failure> {
    let text = args.model.system.as_deref().map(|value| file_or_text("--system", value)).transpose()?;
    let append: Vec<String> = args
        .model
        .append_system
        .iter()
        .map(|value| file_or_text("--append-system", value))
        .collect::<Result<_, _>>()?;
    let date = time::today();
    let prompt =
        SystemPrompt { paths: &start.paths, cwd: &start.cwd, date: &date, text: text.as_deref(), append: &append };
    Ok(prompt.assemble())
}

/// The session that the flags name.
pub fn first_session(flags: &SessionFlags) -> StartSession {
    match (&flags.fork, &flags.resume) {
        (Some(id), _) => StartSession::Fork { target: target(id), entry_id: None },
        (None, Some(Some(id))) => StartSession::Resume(target(id)),
        (None, _) if flags.continue_ => StartSession::Continue,
        (None, _) => StartSession::New,
    }
}

/// A file's path, or an id.
pub fn target(id: &str) -> SessionTarget {
    let path = Path::new(id);
    if path.extension().is_some_and(|e| e == "jsonl") || id.contains('/') {
        SessionTarget::Path(path.to_owned())
    } else {
        SessionTarget::Id(id.to_owned())
    }
}

fn trust(start: &Start) -> backend::Trust {
    let question = match &start.trust {
        Trust::Untrusted(q) => {
            Some(TrustQuestion { folder: q.folder.clone(), brings: q.brings.clone(), changed: q.changed })
        }
        Trust::Nothing | Trust::Trusted => None,
    };
    let (file, cwd) = (TrustFile::of(&start.paths.data), start.cwd.clone());
    let decide = Arc::new(move |trusted| file.decide(&cwd, trusted));
    backend::Trust { trusted: start.trust.allows(), question, decide }
}
