//! The Lua runtime from outside: a handle, extensions in a folder, batches of calls.

mod control;
mod handlers;
mod loading;
mod shipped;
mod tasks;
mod tools;

use crate::support::{
    hook::hook,
    wait::{running, until},
};

use panto::backend::{Decision, Diagnostic, Extensions, HookCall, Notice, Wish};
use panto::config::Options;
use panto::conversation::Part;
use panto::lua::rocks::Setup;
use panto::lua::{self, Config, Handle, Sources};
use panto::tool::{CANCELLED, Call, Outcome, ToolSource, Update, UpdateKind};
use panto::util::paths::Paths;
use serde_json::{Value, json};
use std::future::Future;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What else ships is left out, so that only what a test loads is there.
pub fn without_children() -> panto::config::Extensions {
    panto::config::Extensions { disabled: vec!["subagents".into()], ..Default::default() }
}

/// A folder with `config`, `data` and `work`, and what a runtime is to be started with.
pub struct World {
    root: tempfile::TempDir,
    pub options: Options,
    pub sources: Sources,
}

impl World {
    pub fn new() -> Self {
        // Whoever counts tools means those of the test.
        let off = vec!["subagents".to_owned()];
        let extensions = panto::config::Extensions { disabled: off, ..Default::default() };
        let world = World {
            root: tempfile::tempdir().unwrap(),
            options: Options { mode: panto::config::Mode::Auto, extensions, ..Options::default() },
            sources: Sources { shipped: false, ..Sources::default() },
        };
        std::fs::create_dir_all(world.path("work")).unwrap();
        world
    }

    /// With the Lua packages that the system has, and none that would be installed.
    pub fn with_rocks(mut self) -> Self {
        let kept = |name: &str| (name == "PANTO_BOOTSTRAP_NO_RECONCILE").then(|| "1".to_owned());
        let setup = Setup::find(&self.paths(), self.path("work"), "panto".into(), "", &kept);
        self.sources.rocks = Some(setup);
        self
    }

    /// With one user extension.
    pub fn with(code: &str) -> Self {
        let world = World::new();
        world.user("extensions/t.lua", code);
        world
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn user(&self, path: &str, text: &str) {
        self.write(&format!("config/{path}"), text);
    }

    pub fn project(&self, path: &str, text: &str) {
        self.write(&format!("work/.panto/{path}"), text);
    }

    fn paths(&self) -> Paths {
        Paths { data: self.path("data"), config: self.path("config"), home: None }
    }

    pub fn start(&self) -> Handle {
        lua::start(Config {
            options: self.options.clone().into(),
            paths: self.paths(),
            cwd: self.path("work"),
            sources: self.sources.clone(),
            builtin_commands: vec!["quit".into(), "new".into()],
            face: lua::Face::default(),
        })
    }

    /// A started runtime with everything loaded, and what failed.
    pub async fn load(&self, trusted: bool) -> (Handle, Vec<Diagnostic>) {
        let handle = self.start();
        let failed = handle.load(trusted).await;
        (handle, failed)
    }

    /// A loaded runtime in which nothing may have failed.
    pub async fn ready(&self) -> Handle {
        let (handle, failed) = self.load(false).await;
        assert_eq!(failed, []);
        handle
    }

    pub fn call(&self, id: usize, name: &str, input: Value) -> Call {
        Call {
            id: format!("c{id}"),
            name: name.into(),
            input,
            cwd: self.path("work"),
            session_id: "s1".into(),
            bounds: None,
            cancel: CancellationToken::new(),
        }
    }

    /// The outcomes of a batch, in call order.
    pub async fn batch(&self, handle: &Handle, calls: &[(&str, Value)]) -> Vec<Outcome> {
        let calls: Vec<_> = calls.iter().enumerate().map(|(i, (n, input))| self.call(i, n, input.clone())).collect();
        run(handle, calls).await
    }

    pub async fn texts(&self, handle: &Handle, names: &[&str]) -> Vec<String> {
        let calls: Vec<_> = names.iter().map(|n| (*n, json!({}))).collect();
        self.batch(handle, &calls).await.iter().map(|o| Part::joined(&o.parts)).collect()
    }

    pub async fn text(&self, handle: &Handle, name: &str) -> String {
        self.texts(handle, &[name]).await.remove(0)
    }
}

pub async fn run(handle: &Handle, calls: Vec<Call>) -> Vec<Outcome> {
    let ids: Vec<_> = calls.iter().map(|c| c.id.clone()).collect();
    let (updates, mut received) = mpsc::unbounded_channel();
    handle.run(calls, updates).await;
    let mut ended = std::collections::HashMap::new();
    while let Some(Update { call_id, kind }) = received.recv().await {
        if let UpdateKind::Finished(outcome) = kind {
            assert!(ended.insert(call_id, outcome).is_none(), "a call ends once");
        }
    }
    ids.iter().map(|id| ended.remove(id).expect("every call ends")).collect()
}

pub fn on_tokio<Fut: Future<Output = ()>>(test: Fut) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

pub fn tool(name: &str, body: &str) -> String {
    format!(
        "panto.register_tool{{name=\"{name}\", description=\"d\", schema={{type=\"object\"}}, handler=function(input, call) {body} end}}\n"
    )
}
