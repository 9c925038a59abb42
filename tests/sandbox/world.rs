//! A home folder with a project, credentials and start-up files, and commands that run in its sandbox.

use panto::sandbox::{Ground, Namespaces, Plans, Policy, Support, probe};
use std::{
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub struct World {
    folder: tempfile::TempDir,
    pub policy: Policy,
    /// As in the program: what was worked out for one command is kept for the next.
    plans: Plans,
    pub support: Support,
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    pub ok: bool,
    pub output: String,
}

/// What to test with: the system as it is, and as if it had no namespaces. None where there is no sandbox.
pub fn supports() -> Vec<Support> {
    let support = probe();
    if !support.available {
        eprintln!("skipped: {}", support.describe());
        return vec![];
    }
    let mut all = vec![support.clone().without_namespaces()];
    match support.namespaces {
        Namespaces::None => eprintln!("skipped with namespaces: {}", support.describe()),
        _ => all.push(support),
    }
    all
}

/// Runs a test with every support there is.
pub fn each(test: impl Fn(World)) {
    supports().into_iter().for_each(|support| test(World::new(support)));
}

/// Runs a test where there are namespaces.
pub fn with_namespaces(test: impl Fn(World)) {
    supports().into_iter().filter(|s| s.namespaces != Namespaces::None).for_each(|s| test(World::new(s)));
}

impl World {
    pub fn new(support: Support) -> World {
        let folder =
            tempfile::Builder::new().prefix("sandbox-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let mut world = World { folder, policy: Policy::of(Path::new("/")), plans: Plans::default(), support };
        for name in ["work", "elsewhere", "tmp", "home/.cache", "home/.config/panto", "home/data/sessions"] {
            fs::create_dir_all(world.at(name)).expect("a folder");
        }
        world.put("elsewhere/victim", "PRECIOUS");
        world.put("home/.bashrc", "");
        world.usual();
        world
    }

    /// The usual policy anew. The temp folder of the test takes the place of the system's, which it may lie in.
    pub fn usual(&mut self) {
        let (home, data, config) = (self.at("home"), self.at("home/data"), self.at("home/.config/panto"));
        let tmp = self.at("tmp");
        let env = move |name: &str| (name == "TMPDIR").then(|| tmp.to_string_lossy().into_owned());
        let ground = Ground {
            cwd: &self.at("work"),
            home: Some(&home),
            config: &config,
            data: &data,
            env: &env,
            write: &[],
            read_deny: &[],
            network: true,
        };
        self.policy = Policy::usual(&ground);
        let root = self.root();
        self.policy.write.retain(|p| !root.starts_with(p));
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists")
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, text).expect("a file");
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// A command for a process of this world, not sandboxed.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-c", line]).current_dir(self.at("work")).env("HOME", self.at("home"));
        command.env("TMPDIR", self.at("tmp")).env("AWAY", self.at("elsewhere")).stdin(Stdio::null());
        command
    }

    /// Runs a command line in the sandbox.
    pub fn run(&self, line: &str) -> Ran {
        self.start(self.command(line))
    }

    pub fn start(&self, mut command: Command) -> Ran {
        let (prepared, _) = self.plans.prepare(&self.policy, &self.support, &self.at("work")).expect("a sandbox");
        let prepared = std::sync::Arc::new(prepared);
        let inside = prepared.clone();
        // SAFETY: `enter` is made for this place.
        unsafe { command.pre_exec(move || inside.enter()) };
        let output = match command.output() {
            Ok(output) => output,
            Err(e) => panic!("{}", prepared.explain(&e).unwrap_or_else(|| e.to_string())),
        };
        let text = [output.stdout, output.stderr].concat();
        Ran { ok: output.status.success(), output: String::from_utf8_lossy(&text).into_owned() }
    }
}
