//! `panto doctor`: what works here, what is missing and what to do about it. Shows where keys come from, never a key.

mod history;

use super::args::Args;
use super::failure::{Exit, Failure};
use super::start::{Ground, Start};
use super::terminal::harmless;
use super::{models, rocks, scripts};
use crate::backend::{Diagnostic, Extensions};
use crate::config::{FILE, PROJECT, Trust};
use crate::tool::ToolSource;
use crate::tui::keymap::Keymap;
use crate::util::{log, paths::process_env, paths::shorten};
use std::{
    collections::BTreeMap,
    io,
    io::{IsTerminal, Write},
    path::Path,
};

/// Looks around, or at one session, and tells; ends with exit code 1 when something is broken.
pub fn run(args: &Args, session: Option<&str>, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(id) = session {
        return history::run(args, id, out);
    }
    let ground = Ground::find(args)?;
    let mut report = Report { out, home: ground.paths.home.clone(), broken: 0 };
    report.say("panto", env!("CARGO_PKG_VERSION"))?;
    terminal(&mut report)?;
    report.say("sandbox", crate::sandbox::probe().describe())?;
    folders(&mut report, &ground)?;
    keys(&mut report, &ground.paths.config.join("keymap.toml"))?;
    let layers = ground.settings(args, &process_env)?;
    match layers.read() {
        Err(error) => report.fault("settings", error.to_string())?,
        Ok(config) => settings(&mut report, args, &Start::on(ground, layers, config))?,
    }
    match report.broken {
        0 => Ok(()),
        1 => Err(Failure::new(Exit::Failed, "one thing is broken, see above")),
        n => Err(Failure::new(Exit::Failed, format!("{n} things are broken, see above"))),
    }
}

struct Report<'a> {
    out: &'a mut dyn Write,
    home: Option<std::path::PathBuf>,
    broken: usize,
}

impl Report<'_> {
    fn say(&mut self, what: &str, how: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "  {what:<12} {}", how.as_ref())
    }

    fn fault(&mut self, what: &str, how: impl AsRef<str>) -> io::Result<()> {
        self.broken += 1;
        writeln!(self.out, "✗ {what:<12} {}", how.as_ref())
    }

    fn short(&self, path: &Path) -> String {
        shorten(path, self.home.as_deref())
    }
}

fn terminal(report: &mut Report<'_>) -> io::Result<()> {
    let set = |name: &str| process_env(name).filter(|v| !v.is_empty());
    let mut words = vec![set("TERM").unwrap_or_else(|| "TERM is not set".into())];
    words.extend(set("COLORTERM"));
    words.extend(set("NO_COLOR").map(|_| "NO_COLOR: no colours".into()));
    words.extend(set("TMUX").map(|_| "inside tmux".into()));
    match (io::stdout().is_terminal(), crossterm::terminal::size()) {
        (true, Ok((columns, rows))) => words.push(format!("{columns}×{rows}")),
        _ => words.push("output is no terminal".into()),
    }
    report.say("terminal", words.join(", "))
}

fn folders(report: &mut Report<'_>, ground: &Ground) -> io::Result<()> {
    let sessions = ground.paths.sessions();
    let shown = report.short(&sessions);
    match writable(&sessions) {
        Ok(()) => report.say("sessions", shown)?,
        Err(why) => report.fault("sessions", format!("{shown} cannot be written: {why}"))?,
    }
    let config = ground.paths.config.join(FILE);
    let there = if config.exists() { "" } else { " (none yet; that is fine)" };
    report.say("config", format!("{}{there}", report.short(&config)))?;
    report.say("log", report.short(&log::file(&ground.paths.data)))?;
    let folder = report.short(&ground.cwd);
    let trust = match &ground.trust {
        Trust::Nothing => format!("{folder} brings no {PROJECT}/ and no instructions"),
        Trust::Trusted => format!("{folder} is trusted"),
        Trust::Untrusted(q) => {
            format!("{folder} is not trusted, so its {PROJECT}/ is not loaded ({})", q.brings.join(", "))
        }
    };
    report.say("project", trust)?;
    ground.notices.iter().try_for_each(|text| report.fault("trust", text))
}

/// What is wrong with the user's keymap, if there is one.
fn keys(report: &mut Report<'_>, file: &Path) -> io::Result<()> {
    let map = Keymap::with_user(file);
    for complaint in map.complaints() {
        match complaint.by_terminal {
            true => report.say("keys", harmless(&complaint.to_string()))?,
            false => report.fault("keys", harmless(&complaint.to_string()))?,
        }
    }
    match file.exists() && map.complaints().is_empty() {
        true => report.say("keys", report.short(file)),
        false => Ok(()),
    }
}

/// Whether a folder, or the nearest one above it that exists, can be written to.
fn writable(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find(|f| f.exists()).unwrap_or(folder);
    if !there.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is not a folder", there.display())));
    }
    tempfile::tempfile_in(there).map(drop)
}

fn settings(report: &mut Report<'_>, args: &Args, start: &Start) -> Result<(), Failure> {
    let providers = models::providers(start);
    let mut ready: BTreeMap<String, usize> = BTreeMap::new();
    let listed = providers.list();
    for listing in listed.iter().filter(|l| l.missing.is_none()) {
        *ready.entry(listing.spec.reference.provider.clone()).or_default() += 1;
    }
    let ready: Vec<String> = ready.iter().map(|(name, models)| format!("{name} ({models})")).collect();
    report.say("providers", ready.join(", "))?;
    let choice = providers.default_model();
    let note = if choice.unconfigured { " (a demo: set ANTHROPIC_API_KEY, OPENAI_API_KEY or the like)" } else { "" };
    match providers.resolve(&choice.name) {
        Ok(_) => report.say("model", format!("{}{note}", choice.name))?,
        Err(why) => report.fault("model", why.to_string())?,
    }
    lua(report, args, start)
}

fn lua(report: &mut Report<'_>, args: &Args, start: &Start) -> Result<(), Failure> {
    let version: String = mlua::Lua::new().globals().get("_VERSION").unwrap_or_else(|_| "none".into());
    let runtime = scripts::start(args, start, false);
    let failed = scripts::load(&runtime, start.trust.allows())?;
    let (tools, commands) = (runtime.tools().len(), runtime.commands().len());
    report.say("lua", format!("{version}, {tools} tools, {commands} commands of extensions"))?;
    rocks_tree(report, start)?;
    for Diagnostic { extension, message } in failed {
        let first = message.lines().next().unwrap_or_default();
        report.fault("extension", harmless(&format!("{extension}: {first}")))?;
    }
    Ok(())
}

/// Where Lua packages lie, and what keeps C rocks from being built.
fn rocks_tree(report: &mut Report<'_>, start: &Start) -> io::Result<()> {
    let setup = rocks::setup(&start.paths, &start.cwd, &start.config.options.extensions.rocks_server);
    let mut words = vec![report.short(setup.tree.root())];
    if !setup.tree.root().exists() {
        words.push("not made yet: `panto bootstrap`".into());
    }
    if let Err(problem) = rocks::can_build(&setup) {
        words.push(problem.to_string());
    }
    report.say("rocks", words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::writable;

    #[test]
    fn a_folder_that_is_not_there_yet_is_judged_by_the_one_above() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert!(writable(&root.path().join("a/b")).is_ok());
        std::fs::write(root.path().join("file"), "").expect("a file");
        assert!(writable(&root.path().join("file/b")).is_err());
    }
}
