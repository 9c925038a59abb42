//! The shipped tools as the agent calls them: aliases and schema first, then the runtime, judged by files and results.

mod code;
mod codecs;
mod edit;
mod http;
mod library;
mod look;

mod read;
#[cfg(target_os = "linux")]
mod sandboxed;
mod shell;
mod watch;

use crate::lua::without_children;
use panto::backend::Extensions;
use panto::config::Options;
use panto::conversation::Part;
use panto::lua::{self, Config, Handle, Sources};
use panto::tool::{Call, Checker, Outcome, ToolSource, Update, UpdateKind, alias};
use panto::util::paths::Paths;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A working directory and a runtime with the shipped tools.
struct Bench {
    root: tempfile::TempDir,
    handle: Handle,
}

impl Bench {
    async fn new() -> Self {
        Self::with(|_| {}, "").await
    }

    /// With other options, and an extension of the user's.
    async fn with(change: impl FnOnce(&mut Options), extension: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["work", "config/extensions"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        if !extension.is_empty() {
            std::fs::write(at("config/extensions/t.lua"), extension).unwrap();
        }
        let mut options =
            Options { mode: panto::config::Mode::Auto, extensions: without_children(), ..Options::default() };
        change(&mut options);
        let handle = lua::start(Config {
            options: options.into(),
            paths: Paths { data: at("data"), config: at("config"), home: Some(at("home")) },
            cwd: at("work"),
            sources: Sources::default(),
            builtin_commands: vec![],
            face: lua::Face::default(),
        });
        assert_eq!(handle.load(false).await, []);
        Bench { root, handle }
    }

    /// A path in the working directory.
    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join("work").join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.at(path)).unwrap()
    }

    fn mode(&self, path: &str) -> u32 {
        std::fs::metadata(self.at(path)).unwrap().permissions().mode() & 0o777
    }

    fn prepared(&self, name: &str, mut input: Value) -> Call {
        let decl = self.handle.tools().into_iter().find(|t| t.name == name).expect("the tool is offered");
        alias::apply(&decl, &mut input);
        Checker::default().check(name, &decl.schema, &input).expect("the input is in order");
        let cancel = CancellationToken::new();
        Call {
            id: "c1".into(),
            name: name.into(),
            input,
            cwd: self.at(""),
            session_id: "s1".into(),
            bounds: None,
            cancel,
        }
    }

    async fn call(&self, name: &str, input: Value) -> Outcome {
        self.watched(self.prepared(name, input)).await.0
    }

    /// The text of a call that succeeds.
    async fn ok(&self, name: &str, input: Value) -> String {
        let outcome = self.call(name, input).await;
        let text = Part::joined(&outcome.parts);
        assert!(!outcome.is_error, "{text}");
        text
    }

    /// The text of a call that fails.
    async fn fails(&self, name: &str, input: Value) -> String {
        let outcome = self.call(name, input).await;
        let text = Part::joined(&outcome.parts);
        assert!(outcome.is_error, "{text}");
        assert!(!text.starts_with("panto-lua:"), "a failure that was foreseen has words of its own: {text}");
        text
    }

    /// The outcome of a call and its live output.
    async fn watched(&self, call: Call) -> (Outcome, String) {
        let (updates, mut received) = mpsc::unbounded_channel();
        self.handle.run(vec![call], updates).await;
        let mut live = String::new();
        while let Some(Update { kind, .. }) = received.recv().await {
            match kind {
                UpdateKind::Append(text) => live += &text,
                UpdateKind::Finished(outcome) => return (outcome, live),
                UpdateKind::Title(_) | UpdateKind::Replace(_) => {}
            }
        }
        panic!("the call did not end")
    }
}

fn on_tokio<Fut: Future<Output = ()>>(test: Fut) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// A number of seconds that no other run of these tests sleeps.
fn mark(seconds: u32) -> String {
    format!("{seconds}.{}", std::process::id())
}
