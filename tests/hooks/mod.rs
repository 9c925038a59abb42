//! Hooks and events: a session in this process with real extensions, against a scripted model over HTTP.

mod branches;
mod changes;
mod compaction;
mod events;
mod order;
mod pictures;
mod rest;
mod session;
mod window;

use panto::{
    backend::{self, BackendError, Command, Event, Link, Reply, Setup, StartSession, Trust},
    config::Options,
    lua::{self, Handle, Sources},
    provider::{
        Providers,
        faux::{Script, Served, serve},
    },
    util::paths::Paths,
};
use serde_json::Value;
use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

/// However slow the machine: what has not happened by then will not.
const PATIENCE: Duration = Duration::from_secs(20);

/// What every extension of a test finds: `log(text)` writes a line that `Stage::log` reads.
const LOG: &str = r#"
    local function log(text) local f = io.open("LOGFILE", "a") f:write(tostring(text), "\n") f:close() end
"#;

const HELLO: &str = "[[turn]]\ntimes = 0\nsteps = [{ text = \"Hello.\" }]";

/// A call of `std.shell`, then an answer.
const CALL: &str = r#"
    [[turn]]
    on = "prompt"
    times = 0
    steps = [{ tool = { name = "std.shell", input = { command = "echo OUT" } } }]
    [[turn]]
    on = "results"
    times = 0
    steps = [{ text = "Done." }]
"#;

struct Stage {
    root: tempfile::TempDir,
    served: Served,
    lua: Handle,
    link: Link,
    /// All that was told so far.
    seen: Vec<Event>,
}

/// A stage that is still to be opened.
struct Scene<'a> {
    code: &'a str,
    script: &'a str,
    options: Options,
    no_session: bool,
}

impl<'a> Scene<'a> {
    fn new(code: &'a str, script: &'a str) -> Self {
        Scene {
            code,
            script,
            options: Options { mode: panto::config::Mode::Auto, ..Options::default() },
            no_session: false,
        }
    }

    async fn open(self) -> Stage {
        let root = tempfile::tempdir().expect("a folder");
        self.open_in(root, StartSession::New).await
    }

    async fn open_in(self, root: tempfile::TempDir, start: StartSession) -> Stage {
        let at = |path: &str| root.path().join(path);
        for folder in ["work", "config/extensions", "data"] {
            std::fs::create_dir_all(at(folder)).expect("a folder");
        }
        let log = LOG.replace("LOGFILE", &at("log").display().to_string());
        std::fs::write(at("config/extensions/t.lua"), log + self.code).expect("an extension");
        let served = serve(Script::parse(self.script, "the script").expect("a good script"), 0).await.expect("a port");
        let paths = Paths { data: at("data"), config: at("config"), home: None };
        let cwd = at("work").canonicalize().expect("a folder");
        let lua = lua::start(lua::Config {
            face: lua::Face::default(),
            options: self.options.clone().into(),
            paths: paths.clone(),
            cwd: cwd.clone(),
            sources: Sources::default(),
            builtin_commands: vec![],
        });
        let link = backend::start(Setup {
            providers: Arc::new(providers(&self.options, &served.url())),
            options: self.options,
            paths,
            cwd,
            sources: vec![Arc::new(lua.clone())],
            extensions: Arc::new(lua.clone()),
            start,
            name: None,
            no_session: self.no_session,
            handover: Default::default(),
            model: Some("env:bench".into()),
            thinking: None,
            tools: None,
            system: vec!["be good".into()],
            trust: Trust { trusted: true, question: None, decide: Arc::new(|_| Ok(())) },
            interactive: true,
            hosted: None,
        })
        .await
        .expect("a session");
        let mut stage = Stage { root, served, lua, link, seen: vec![] };
        stage.wait(|e| matches!(e, Event::Commands(_))).await;
        stage
    }
}

fn providers(options: &Options, url: &str) -> Providers {
    let env: HashMap<&str, String> = [("PANTO_BASE_URL", url.to_owned()), ("PANTO_API_KEY", "sk-test".into())].into();
    Providers::new(options, Arc::new(move |name| env.get(name).cloned()), &PathBuf::from("/nowhere/auth.json"))
}

impl Stage {
    async fn new(code: &str, script: &str) -> Self {
        Scene::new(code, script).open().await
    }

    /// Waits for an event, also one that has been told already.
    #[track_caller]
    fn wait(&mut self, right: impl Fn(&Event) -> bool) -> impl Future<Output = ()> {
        let place = std::panic::Location::caller();
        async move {
            while !self.seen.iter().any(&right) {
                let event = tokio::time::timeout(PATIENCE, self.link.events.recv()).await;
                let event = event.unwrap_or_else(|_| panic!("it never came: {place}\n{:#?}", self.texts()));
                self.seen.push(event.expect("the backend lives"));
            }
        }
    }

    /// Notices so far.
    fn texts(&self) -> Vec<String> {
        let notice = |e: &Event| if let Event::Notice(n) = e { Some(n.text.clone()) } else { None };
        self.seen.iter().filter_map(notice).collect()
    }

    /// Waits for a notice that contains the text.
    async fn notice(&mut self, part: &str) {
        self.wait(|e| matches!(e, Event::Notice(n) if n.text.contains(part))).await;
    }

    async fn ask(&self, command: Command) -> Result<Reply, BackendError> {
        let answer = tokio::time::timeout(PATIENCE, self.link.send(command)).await;
        answer.expect("an answer in time").expect("the backend lives")
    }

    async fn run(&self, command: &str, args: &str) -> Result<(), String> {
        let run = Command::RunCommand { name: command.into(), args: args.into() };
        self.ask(run).await.map(drop).map_err(|e| e.message)
    }

    /// A whole turn.
    async fn prompt(&mut self, text: &str) {
        self.seen.retain(|e| !matches!(e, Event::TurnEnded { .. }));
        self.ask(prompt(text)).await.expect("accepted");
        self.wait(|e| matches!(e, Event::TurnEnded { .. })).await;
    }

    /// The error of the last turn.
    fn error(&self) -> Option<String> {
        self.seen.iter().rev().find_map(|e| match e {
            Event::TurnEnded { error, .. } => Some(error.clone()),
            _ => None,
        })?
    }

    /// Bodies of the requests so far.
    fn bodies(&self) -> Vec<Value> {
        self.served.log().into_iter().filter_map(|heard| heard.body).collect()
    }

    fn last(&self) -> Value {
        self.bodies().pop().expect("a request")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// The lines that the extension has logged.
    fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Ends it all; what handlers had to say is in the log then.
    async fn close(self) -> (Vec<String>, tempfile::TempDir) {
        let _ = self.ask(Command::Shutdown).await;
        self.lua.stop().await;
        (self.log(), self.root)
    }
}

fn prompt(text: &str) -> Command {
    Command::Prompt { text: text.into(), images: vec![] }
}
