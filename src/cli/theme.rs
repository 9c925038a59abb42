//! `panto theme`: which themes there are, and what they look like on this terminal.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::start::Start;
use super::{scripts, terminal::harmless};
use crate::backend::{Diagnostic, Extensions};
use crate::lua::Handle;
use crate::tui::preview;
use crate::tui::terminal::print;
use crate::tui::text::Row;
use crate::tui::theme::{ColorDepth, Role, Theme, ThemeError, Themes};
use crate::util::paths::process_env;
use clap::Subcommand;
use std::io::{self, IsTerminal, Write, stderr};

/// Columns of a preview where the terminal does not say how many it has, and at the most.
const COLUMNS: (u16, u16) = (80, 100);
const AUTO: &str = "auto";

#[derive(Debug, Subcommand)]
pub enum ThemeCommand {
    /// Name all themes: those that ship, yours, those of extensions
    List,
    /// Print a sample transcript in a theme's colours
    Preview {
        /// Several are shown one after the other; without one the theme in use
        names: Vec<String>,
    },
}

pub fn run(args: &Args, start: &Start, command: ThemeCommand, out: &mut dyn Write) -> Result<(), Failure> {
    let themes = themes(args, start)?;
    let terminal = io::stdout().is_terminal();
    let depth = if terminal { ColorDepth::detect(&process_env) } else { ColorDepth::None };
    let shown = Shown { themes, depth, terminal, now: start.config.options.theme.clone() };
    match command {
        ThemeCommand::List => shown.list(out),
        ThemeCommand::Preview { names } => shown.preview(names, out),
    }
}

fn themes(args: &Args, start: &Start) -> Result<Themes, Failure> {
    let lua = scripts::start(args, start, false);
    for Diagnostic { extension, message } in scripts::load(&lua, start.trust.allows())? {
        let _ = writeln!(stderr(), "panto: extension {}", harmless(&format!("{extension}: {message}")));
    }
    let mut themes = own(start);
    themes.bring(&lua.themes());
    Ok(themes)
}

/// Those that ship, and the user's.
fn own(start: &Start) -> Themes {
    Themes::with_folder(&start.paths.config.join("themes"))
}

/// A theme that was named on the command line is looked for also where nothing is drawn. Extensions are asked last, since
/// they have to be loaded for it.
pub async fn check(args: &Args, start: &Start, lua: &Handle) -> Result<(), Failure> {
    let Some(name) = args.screen.theme.as_deref().filter(|name| *name != AUTO) else { return Ok(()) };
    let mut themes = own(start);
    if !themes.names().iter().any(|known| known == name) {
        // What is wrong with an extension is told when the session has them loaded.
        lua.load(start.trust.allows()).await;
        themes.bring(&lua.themes());
    }
    themes.load(name, ColorDepth::None).map(|_| ()).map_err(|e| Failure::usage(format!("--theme: {e}")))
}

struct Shown {
    themes: Themes,
    depth: ColorDepth,
    terminal: bool,
    /// The theme of the settings.
    now: String,
}

impl Shown {
    /// `name  where from`, with a few words in the theme's colours. One that cannot be used says why.
    fn list(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let names = self.themes.names();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let auto = if self.now == AUTO { "  in use: dark or light, as the terminal's background" } else { "" };
        writeln!(out, "{}", format!("{AUTO:<width$}{auto}").trim_end())?;
        for name in names {
            let used = if name == self.now { "  in use" } else { "" };
            let from = self.themes.origin(&name).map(|e| format!("  from {e}")).unwrap_or_default();
            let words = format!("{:<width$}", harmless(&name));
            match self.themes.load(&name, self.depth) {
                Ok(theme) if self.terminal => {
                    let mut row = swatch(&theme);
                    row.push(&format!("  {words}{from}{used}"), Default::default());
                    writeln!(out, "{}", styled(&row)?)?;
                }
                Ok(_) => writeln!(out, "{}", harmless(format!("{words}{from}{used}").trim_end()))?,
                Err(error) => writeln!(out, "{words}  {}", harmless(&error.to_string()))?,
            }
        }
        Ok(())
    }

    fn preview(&self, names: Vec<String>, out: &mut dyn Write) -> Result<(), Failure> {
        let names = if names.is_empty() { vec![self.now.clone()] } else { names };
        for (at, name) in names.iter().enumerate() {
            let theme = self.load(name).map_err(|e| Failure::new(Exit::Configuration, e.to_string()))?;
            if names.len() > 1 {
                writeln!(out, "{}{}", if at == 0 { "" } else { "\n" }, harmless(name))?;
            }
            for row in preview::rows(&theme, columns()) {
                match self.terminal {
                    true => writeln!(out, "{}", styled(&row)?)?,
                    false => writeln!(out, "{}", row.text().trim_end())?,
                }
            }
        }
        Ok(())
    }

    /// `auto` cannot ask the terminal here: what the dark one looks like.
    fn load(&self, name: &str) -> Result<Theme, ThemeError> {
        self.themes.load(if name == AUTO { "dark" } else { name }, self.depth)
    }
}

fn swatch(theme: &Theme) -> Row {
    let mut row = Row::new();
    let parts = [
        (" text ", Role::Text),
        ("code ", Role::Code),
        ("link", Role::Link),
        (" done ", Role::ToolDone),
        ("warn ", Role::Warning),
        ("error ", Role::Error),
    ];
    parts.iter().for_each(|(text, role)| row.push(text, theme.style(*role)));
    row.underlay(theme.style(Role::Text));
    row
}

fn styled(row: &Row) -> io::Result<String> {
    let mut bytes = vec![];
    print::spans(row, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn columns() -> u16 {
    let size = crossterm::terminal::size().map_or(0, |(columns, _)| columns);
    if size == 0 { COLUMNS.0 } else { size.min(COLUMNS.1) }
}
