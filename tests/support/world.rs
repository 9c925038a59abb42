//! A home, a project and an environment for one test, and runs of the program without a terminal.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

pub const PANTO: &str = env!("CARGO_BIN_EXE_panto");

/// Everything lies below one temporary folder, whose path screens and messages show as `<world>`.
pub struct World {
    root: tempfile::TempDir,
    env: BTreeMap<String, String>,
    program: PathBuf,
    /// `panto serve`, if it runs.
    server: Option<Child>,
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("panto-test-").tempdir_in("/tmp").expect("a temporary folder");
        let at = |name: &str| root.path().join(name).display().to_string();
        let fixed = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LANG", "C.UTF-8"),
            ("SHELL", "/bin/sh"),
            ("PANTO_MODE", "auto"),
            ("PANTO_BOOTSTRAP_NO_RECONCILE", "1"),
        ];
        let folders = [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "tmp"),
        ];
        let mut env: BTreeMap<String, String> = fixed.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        env.extend(folders.map(|(k, v)| (k.to_owned(), at(v))));
        for folder in ["project", "home", "config/panto", "data", "cache", "state", "run", "tmp"] {
            fs::create_dir_all(root.path().join(folder)).expect("a folder");
        }
        World { root, env, program: PANTO.into(), server: None }
    }

    /// Runs the program as it is now, even if it is built anew meanwhile.
    pub fn pin(&mut self) {
        let pinned = self.root.path().join("program");
        if fs::hard_link(PANTO, &pinned).is_ok() {
            self.program = pinned;
        }
    }

    /// The folder that the program runs in.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project").canonicalize().expect("the project folder")
    }

    /// `<config>/panto`.
    pub fn config(&self) -> PathBuf {
        self.root.path().join("config/panto")
    }

    /// `<data>`.
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data/panto")
    }

    pub fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn unset(&mut self, name: &str) -> &mut Self {
        self.env.remove(name);
        self
    }

    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// Starts `panto serve`; from now on the program at a terminal is `panto attach`.
    pub fn serve(&mut self) -> &mut Self {
        let mut server = self.spawn(&["serve"]);
        let mut line = String::new();
        let out = server.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        assert!(line.starts_with("listening at "), "{line:?}");
        self.server = Some(server);
        self
    }

    /// Ends the server by a signal and waits for its end; what attaches keeps trying to reach it.
    pub fn stop_server(&mut self, signal: i32) {
        let mut server = self.server.take().expect("a server runs");
        // SAFETY: kill has no memory effects; the process is our child and not yet waited for.
        unsafe { libc::kill(server.id() as libc::pid_t, signal) };
        server.wait().expect("the server ends");
    }

    /// The words that start the full-screen program.
    pub fn words<'a>(&self, args: &[&'a str]) -> Vec<&'a str> {
        let attach = self.server.is_some().then_some("attach");
        [PANTO].into_iter().chain(attach).chain(args.iter().copied()).collect()
    }

    /// Writes a file below the project, and the folders above it.
    pub fn write(&self, path: impl AsRef<Path>, content: &str) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    }

    pub fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.project().join(path)).expect("a file")
    }

    /// Writes a file of the user's: `config.toml`, `extensions/x.lua`.
    pub fn user(&self, path: &str, content: &str) -> PathBuf {
        self.write(self.config().join(path), content)
    }

    /// Runs the program to its end, without a terminal and without input.
    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::new(self.command(args).output().expect("the program starts"), self)
    }

    /// The same with something on standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut child = self.start(self.command(args).stdin(Stdio::piped()));
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
        Ran::new(child.wait_with_output().expect("the program ends"), self)
    }

    /// Starts the program and lets it run, its output piped.
    pub fn spawn(&self, args: &[&str]) -> Child {
        self.start(&mut self.command(args))
    }

    fn start(&self, command: &mut Command) -> Child {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// The program with its arguments, in the project.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().envs(&self.env).current_dir(self.project()).stdin(Stdio::null());
        command
    }

    /// Leaves the folder in its place; for a person to look at.
    pub fn keep(&mut self) -> PathBuf {
        self.root.disable_cleanup(true);
        self.root.path().to_owned()
    }

    /// The text with what differs from run to run made the same.
    pub fn steady(&self, text: &str) -> String {
        let real = self.root.path().canonicalize().expect("the folder");
        text.replace(&real.display().to_string(), "<world>").replace(&self.root.path().display().to_string(), "<world>")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn new(output: Output, world: &World) -> Self {
        let text = |bytes: &[u8]| world.steady(&String::from_utf8_lossy(bytes));
        Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Fails the test unless the run went well.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}
