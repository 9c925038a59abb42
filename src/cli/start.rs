//! What every subcommand stands on: folders, trust and settings, found without starting anything.

use super::args::{Args, ModelFlags, ScreenFlags, SessionFlags};
use super::failure::{Exit, Failure};
use crate::config::{Flags, Layers, Resolved, Settings, Trust, TrustFile, Value};
use crate::util::paths::{Env, Paths, process_env};
use std::path::{Path, PathBuf};

/// The ground of a run.
#[derive(Debug)]
pub struct Start {
    pub paths: Paths,
    /// Absolute, links resolved.
    pub cwd: PathBuf,
    pub trust: Trust,
    pub config: Resolved,
    /// To read them anew, and to change the user's.
    pub settings: Settings,
    /// For the user, once there is a face.
    pub notices: Vec<String>,
}

impl Start {
    pub fn find(args: &Args) -> Result<Start, Failure> {
        let ground = Ground::find(args)?;
        let settings = ground.settings(args, &process_env)?;
        let config = settings.read()?;
        Ok(Start::on(ground, settings, config))
    }

    pub fn on(ground: Ground, settings: Settings, config: Resolved) -> Start {
        let Ground { paths, cwd, trust, notices } = ground;
        Start { paths, cwd, trust, config, settings, notices }
    }
}

/// What is there before the configuration is read.
#[derive(Debug)]
pub struct Ground {
    pub paths: Paths,
    pub cwd: PathBuf,
    pub trust: Trust,
    pub notices: Vec<String>,
}

impl Ground {
    pub fn find(args: &Args) -> Result<Ground, Failure> {
        let paths = Paths::find(&process_env)?;
        let cwd = folder(args.place.cwd.as_deref())?;
        let (trust, message) = TrustFile::of(&paths.data).state(&cwd);
        Ok(Ground { paths, cwd, trust, notices: message.into_iter().collect() })
    }

    pub fn config(&self, args: &Args, env: Env<'_>) -> Result<Resolved, Failure> {
        Ok(self.settings(args, env)?.read()?)
    }

    pub fn settings(&self, args: &Args, env: Env<'_>) -> Result<Settings, Failure> {
        let layers = Layers {
            paths: &self.paths,
            cwd: &self.cwd,
            trusted: self.trust.allows(),
            file: args.place.config.clone(),
            env,
            flags: flags(args)?,
        };
        Ok(Settings::of(layers))
    }
}

fn folder(cwd: Option<&Path>) -> Result<PathBuf, Failure> {
    let wanted = cwd.unwrap_or(Path::new("."));
    let found = wanted.canonicalize();
    match found {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(Failure::usage(format!("--cwd {}: this is not a folder", wanted.display()))),
        Err(e) if cwd.is_none() => Err(Failure::new(Exit::Failed, format!("the working directory is gone: {e}"))),
        Err(e) => Err(Failure::usage(format!("--cwd {}: {e}", wanted.display()))),
    }
}

/// The flags that set a key of config.toml.
fn flags(args: &Args) -> Result<Flags, Failure> {
    let mut flags = Flags::default();
    if let Some(mode) = args.model.mode {
        flags.set("--mode", "mode", Value::Text(mode.name().into()));
    }
    if let Some(theme) = &args.screen.theme {
        flags.set("--theme", "theme", Value::Text(theme.clone()));
    }
    if args.screen.no_motion {
        flags.set("--no-motion", "tui.motion", Value::Bool(false));
    }
    if args.screen.plain {
        flags.set("--plain", "tui.plain", Value::Bool(true));
    }
    if let Some(turns) = args.print.max_turns {
        flags.set("--max-turns", "agent.max_turns", Value::Whole(turns.into()));
    }
    if let Some(usd) = args.print.max_cost {
        flags.set("--max-cost", "agent.max_cost", Value::Number(usd));
    }
    Ok(flags)
}

/// A flag's value that may be a file: its text if there is such a file, else the value itself.
pub fn file_or_text(flag: &str, value: &str) -> Result<String, Failure> {
    let path = Path::new(value);
    if value.contains('\n') || !path.is_file() {
        return Ok(value.to_owned());
    }
    std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("{flag} {value}: {e}")))
}

/// A subcommand with flags of its own takes them behind its name.
pub fn refuse_flags(args: &Args, subcommand: &str) -> Result<(), Failure> {
    refuse_prompt(args)?;
    let own = (&args.model, &args.session, &args.screen);
    if own == (&ModelFlags::default(), &SessionFlags::default(), &ScreenFlags::default()) {
        return Ok(());
    }
    Err(Failure::usage(format!("flags of `panto {subcommand}` stand behind it: `panto {subcommand} --model …`")))
}

/// A prompt makes no sense beside a subcommand.
pub fn refuse_prompt(args: &Args) -> Result<(), Failure> {
    match (&args.prompt, &args.print.print) {
        (None, None) => Ok(()),
        _ => Err(Failure::usage("a prompt and a subcommand exclude each other; -- stands before a prompt")),
    }
}
