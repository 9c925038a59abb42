//! Agents that scripts make, in the real program: an extension's tool runs them, the scripted model answers all.

mod calls;
mod conversations;
mod failures;
mod jobs;
mod limits;
mod models;
mod runs;
mod tools;

use crate::support::{Model, World};
use panto::backend::{Extensions, Setup, StartSession, Trust};
use panto::config::Options;
use panto::provider::Providers;
use panto::tool::ToolSource;
use panto::util::paths::Paths;
use serde_json::Value;
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// The program with one extension, whose tool `probe` the parent's only turn calls.
struct Play {
    world: World,
    model: Model,
}

const PARENT: &str = r#"
[[turn]]
when = "PARENT"
on = "prompt"
times = 0
steps = [{ tool = { name = "probe" } }]
[[turn]]
when = "PARENT"
on = "results"
times = 0
steps = [{ text = "END" }]
"#;

/// What every body may use: a store in the project, a child with it, and a child that keeps nothing.
const PRELUDE: &str = r#"
local ext, task = panto.ext, panto.task
local store = panto.file_system_jsonl_store{dir = "kids"}
local function child(more)
    local options = { config = assert(ext.resolve_model{ model = "env:child" }), store = store }
    for k, v in pairs(more or {}) do options[k] = v end
    return panto.agent(options)
end
local function passing() return child{ store = panto.null_store() } end
local function failing(f, ...)
    local ok, message = pcall(f, ...)
    return ok and "no error" or message
end
"#;

impl Play {
    /// `turns` are those of the children.
    fn new(turns: &str) -> Self {
        let mut world = World::new();
        let model = Model::serve(&mut world, &format!("{PARENT}{turns}"));
        world.user("config.toml", "[network]\nretries = 0\n");
        Play { world, model }
    }

    fn extension(&self, body: &str, before: &str) {
        let probe = format!(
            "panto.register_tool{{name='probe', description='d', schema={{type='object'}}, handler=function(input, call)\n{body}\nend}}\n"
        );
        self.world.user("extensions/probe.lua", &format!("{PRELUDE}\n{before}\n{probe}"));
    }

    /// What `probe` with this body returns.
    #[track_caller]
    fn probe(&self, body: &str) -> String {
        self.probe_with(body, "")
    }

    /// The same, with more code in the extension.
    #[track_caller]
    fn probe_with(&self, body: &str, before: &str) -> String {
        self.extension(body, before);
        self.world.run(&["-p", "PARENT"]).ok();
        self.model.results().pop().expect("the probe has a result")
    }

    /// Waits for a file in the project, which a script makes.
    #[track_caller]
    fn comes(&self, mark: &str) {
        let (mark, deadline) = (self.world.project().join(mark), Instant::now() + Duration::from_secs(20));
        while !mark.exists() {
            assert!(Instant::now() < deadline, "{} has not come", mark.display());
            std::thread::yield_now();
        }
    }

    #[track_caller]
    fn json(&self, body: &str) -> Value {
        let text = self.probe(body);
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON: {text}"))
    }
}

/// A child's plain answer to prompts with this word.
fn says(word: &str, text: &str) -> String {
    format!("[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ text = \"{text}\" }}]\n")
}

/// A backend in the test's own process, in whose session nothing is written.
fn setup(root: &Path, options: Options, sources: Vec<Arc<dyn ToolSource>>, extensions: Arc<dyn Extensions>) -> Setup {
    let paths = Paths { data: root.join("data"), config: root.join("config"), home: None };
    Setup {
        providers: Arc::new(Providers::new(&options, Arc::new(|_| None), &paths.data.join("auth.json"))),
        options,
        cwd: root.to_owned(),
        paths,
        sources,
        extensions,
        start: StartSession::New,
        name: None,
        no_session: true,
        handover: Default::default(),
        model: None,
        thinking: None,
        tools: None,
        system: vec![],
        trust: Trust { trusted: false, question: None, decide: Arc::new(|_| Ok(())) },
        interactive: true,
        hosted: None,
    }
}
