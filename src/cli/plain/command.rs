//! Slash commands in plain mode: the built-in ones as sentences and numbered lists, and a few that only lines need.

use super::question::{Does, Question, Row};
use super::reply::Purpose;
use super::{Talk, jobs};
use crate::backend::{Command, PaneName, Point, Scope};
use crate::config::Mode;
use crate::conversation::Thinking;
use crate::tui::app::dialog::Dialog;
use crate::tui::app::words;
use crate::tui::command::Builtin;
use std::io;

/// Commands of this mode alone: usage and what it does.
pub const OWN: [(&str, &str); 4] = [
    ("output", "all of what the last tool has put out"),
    ("later TEXT", "say this when the turn is over"),
    ("skip", "give a question no answer"),
    ("transcript", "the whole conversation from its beginning"),
];

impl Talk<'_> {
    pub fn command(&mut self, name: &str, args: &str) -> io::Result<()> {
        match (name, Builtin::named(name)) {
            (_, Some(builtin)) => self.builtin(builtin, args),
            ("output", _) => match self.teller.last_output().map(str::to_owned) {
                Some(output) => self.voice.say("output", &output),
                None => self.voice.say("output", "no tool has put out anything yet"),
            },
            ("skip", _) => self.skip(),
            ("later", _) if args.is_empty() => self.voice.say("usage", "/later TEXT"),
            ("later", _) if self.is_running() => self.send(Command::FollowUp { text: args.to_owned() }, Purpose::Later),
            ("later", _) => self.say(args.to_owned()),
            ("transcript", _) => self.transcript(),
            // The backend knows, where extensions are still being loaded.
            _ if self.commands.as_ref().is_none_or(|all| all.iter().any(|c| c.name == name)) => {
                self.send(Command::RunCommand { name: name.to_owned(), args: args.to_owned() }, Purpose::Nothing)
            }
            _ => self.voice.say("warning", &format!("there is no command /{name}; /help lists all")),
        }
    }

    fn builtin(&mut self, builtin: Builtin, args: &str) -> io::Result<()> {
        let some = || Some(args).filter(|args| !args.is_empty()).map(str::to_owned);
        match builtin {
            Builtin::New => self.send(Command::New, Purpose::Nothing),
            Builtin::Resume => {
                self.send(Command::ListSessions { scope: Scope::Here, query: some() }, Purpose::Sessions)
            }
            Builtin::Fork => self.send(Command::Fork { entry_id: None }, Purpose::Nothing),
            Builtin::Tree => self.send(Command::Tree, Purpose::Tree),
            Builtin::Back => self.send(Command::Branch { to: Point::Left, summary: None }, Purpose::Branched),
            Builtin::Compact => self.send(Command::Compact { focus: some() }, Purpose::Text),
            Builtin::Name if args.is_empty() => self.voice.say("usage", "/name TEXT"),
            Builtin::Name => self.send(Command::Rename { name: args.to_owned() }, Purpose::Nothing),
            Builtin::Model if args.is_empty() => self.send(Command::ListModels, Purpose::Models),
            Builtin::Model => self.send(Command::SetModel { model: args.to_owned() }, Purpose::Nothing),
            Builtin::Login => match args.split_whitespace().next() {
                Some(provider) => self.ask_key(provider),
                None => self.send(Command::ListKeys, Purpose::Logins { out: false }),
            },
            Builtin::Logout if args.is_empty() => self.send(Command::ListKeys, Purpose::Logins { out: true }),
            Builtin::Logout => self.send(Command::Logout { provider: args.to_owned() }, Purpose::Text),
            Builtin::Thinking if args.is_empty() => self.ask_thinking(),
            Builtin::Thinking => match args.parse::<Thinking>() {
                Ok(level) => self.send(Command::SetThinking { level }, Purpose::Nothing),
                Err(wrong) => self.voice.say("error", &wrong),
            },
            Builtin::Mode if args.is_empty() => self.ask_mode(),
            Builtin::Mode => match args.parse::<Mode>() {
                Ok(mode) => self.send(Command::SetMode { mode }, Purpose::Nothing),
                Err(wrong) => self.voice.say("error", &wrong),
            },
            Builtin::Jobs => self.jobs(args),
            Builtin::Tools => self.send(Command::ListTools, Purpose::Tools),
            Builtin::Extensions => self.extensions(args),
            Builtin::Reload => self.send(Command::Reload { name: some() }, Purpose::Text),
            Builtin::Export => {
                let path = some().map(Into::into);
                self.send(Command::Export { path, session: None }, Purpose::Written)
            }
            Builtin::Import => self.import(args),
            Builtin::Copy => self.copy_last(),
            Builtin::Help => self.help(),
            Builtin::Usage => match self.session.clone() {
                Some(session) => self.voice.say("usage", &words::usage(&session)),
                None => Ok(()),
            },
            Builtin::Trust => match self.trust.clone() {
                Some(question) => self.ask(Dialog::trust(&question).into()),
                None => self.voice.say("trust", "this folder brings nothing that needs trust, or is trusted already"),
            },
            Builtin::Quit => self.leave(0),
            other => self.voice.say("notice", &format!("/{} needs the full-screen program", other.name())),
        }
    }

    fn extensions(&mut self, args: &str) -> io::Result<()> {
        let mut words = args.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) => self.send(Command::ListExtensions, Purpose::Extensions),
            (Some(on @ ("on" | "off")), Some(name)) => {
                self.send(Command::EnableExtension { name: name.to_owned(), on: on == "on" }, Purpose::Text)
            }
            _ => self.voice.say("usage", "/extensions, /extensions on NAME, /extensions off NAME"),
        }
    }

    /// `[--again] PATH`.
    fn import(&mut self, args: &str) -> io::Result<()> {
        let (path, again) = match args.strip_prefix("--again") {
            Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) => (rest.trim(), true),
            _ => (args, false),
        };
        match path.is_empty() {
            true => {
                self.voice.say("usage", "/import [--again] PATH: ~/.claude/projects, ~/.pi/agent/sessions, or a file")
            }
            false => self.send(Command::Import { path: path.into(), again }, Purpose::Text),
        }
    }

    /// `read N`, `tell N TEXT`, `stop N`.
    fn jobs(&mut self, args: &str) -> io::Result<()> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        let mut words = args.splitn(3, char::is_whitespace);
        let (verb, number, text) = (words.next().unwrap_or_default(), words.next(), words.next());
        if verb.is_empty() {
            return jobs::list(&session, &mut self.voice);
        }
        let job = number.and_then(|n| n.parse::<usize>().ok()).and_then(|n| session.jobs.get(n.checked_sub(1)?));
        let Some(job) = job else { return self.voice.say("usage", "/jobs numbers them; then /jobs stop 1") };
        match (verb, job.session_id.clone(), text) {
            ("stop", ..) => self.send(Command::StopJob { job_id: job.id.clone() }, Purpose::Nothing),
            ("tell", Some(child_id), Some(text)) => {
                self.send(Command::TellChild { child_id, text: text.to_owned() }, Purpose::Nothing)
            }
            ("read", Some(child_id), _) => self.send(Command::WatchChild { child_id, face: None }, Purpose::Nothing),
            ("read" | "tell", None, _) => self.voice.say("jobs", "this one is no agent: it has nothing to read"),
            _ => self.voice.say("usage", "/jobs, /jobs read N, /jobs tell N TEXT, /jobs stop N"),
        }
    }

    fn ask_thinking(&mut self) -> io::Result<()> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        let levels = if session.thinking_levels.is_empty() { &Thinking::ALL[..1] } else { &session.thinking_levels };
        let row = |level: &Thinking| Row {
            words: marked(level.name(), *level == session.thinking),
            does: Does::Send(Command::SetThinking { level: *level }, Purpose::Nothing),
        };
        let rows = levels.iter().map(row).collect();
        self.ask(Question::List { title: "how much the model thinks".into(), rows })
    }

    fn ask_mode(&mut self) -> io::Result<()> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        let row = |mode: Mode| Row {
            words: marked(&format!("{}: {}", mode.name(), mode.words()), mode == session.mode),
            does: Does::Send(Command::SetMode { mode }, Purpose::Nothing),
        };
        self.ask(Question::List { title: "what runs without asking".into(), rows: Mode::ALL.map(row).into() })
    }

    fn help(&mut self) -> io::Result<()> {
        let text = "type a prompt and press Enter; a backslash at the end of a line goes on with the next one; \
            !command runs a shell line. During a turn a line steers it. Ctrl-C interrupts, twice leaves; Ctrl-D leaves";
        self.voice.say("help", text)?;
        for builtin in Builtin::ALL {
            let args = builtin.args();
            let blank = if args.is_empty() { "" } else { " " };
            self.voice.add(&format!("/{}{blank}{args}: {}", builtin.name(), builtin.doc()))?;
        }
        for (usage, doc) in OWN {
            self.voice.add(&format!("/{usage}: {doc}"))?;
        }
        for command in self.commands.clone().iter().flat_map(|all| all.iter()) {
            self.voice.add(&format!("/{}: {} ({})", command.name, command.description, command.origin))?;
        }
        Ok(())
    }

    /// What an extension opens by name.
    pub fn pane(&mut self, pane: PaneName) -> io::Result<()> {
        let name = match pane {
            PaneName::Sessions => "resume",
            PaneName::Models => "model",
            PaneName::Thinking => "thinking",
            PaneName::Tools => "tools",
            PaneName::Extensions => "extensions",
            PaneName::Tree => "tree",
            PaneName::Themes | PaneName::Palette | PaneName::Keys | PaneName::Prompts => "help",
        };
        self.command(name, "")
    }
}

pub fn marked(words: &str, is_so_now: bool) -> String {
    if is_so_now { format!("{words} (now)") } else { words.to_owned() }
}
