//! A scripted model over HTTP for the program under test: what it says is data, when it goes on is up to the test.

use super::World;
use panto::provider::{
    check,
    faux::{Script, Served, serve},
};
use std::time::Duration;

/// A running server; it ends with the value.
pub struct Model {
    served: Served,
    runtime: tokio::runtime::Runtime,
}

/// Whatever a test is about: the program has sent nothing that a strict server would refuse.
impl Drop for Model {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for heard in self.served.log() {
            let (Some(dialect), Some(body)) = (heard.dialect, heard.body) else { continue };
            assert_eq!(check::check(dialect, &body), [], "{body}");
        }
    }
}

impl Model {
    /// Serves a script (TOML, see assets/tours/demo.toml) and makes it the world's provider `env`.
    pub fn serve(world: &mut World, script: &str) -> Self {
        let script = Script::parse(script, "the test's script").expect("a good script");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let served = runtime.block_on(serve(script, 0)).expect("a free port");
        world.set("PANTO_BASE_URL", &served.url()).set("PANTO_API_KEY", "sk-test").set("PANTO_MODEL", "scripted");
        Model { served, runtime }
    }

    /// Lets an answer go on that waits (or will wait) at this gate.
    pub fn open(&self, gate: &str) -> &Self {
        self.served.gates().open(gate);
        self
    }

    /// Waits until an answer has come to this gate.
    #[track_caller]
    pub fn reached(&self, gate: &str) -> &Self {
        let gates = self.served.gates();
        let reached = async { tokio::time::timeout(Duration::from_secs(20), gates.reached(gate)).await };
        self.runtime.block_on(reached).unwrap_or_else(|_| panic!("no answer has come to the gate {gate:?}"));
        self
    }

    /// The last user message of each request so far.
    pub fn asked(&self) -> Vec<String> {
        self.served.log().into_iter().map(|heard| heard.seen.last_user).collect()
    }

    /// Wire names of the tools that the latest request offered.
    pub fn tools(&self) -> Vec<String> {
        self.served.log().pop().map(|heard| heard.seen.tools).unwrap_or_default()
    }

    /// The results that the latest request with any ended with; others of a child may have come since.
    pub fn results(&self) -> Vec<String> {
        let results = self.served.log().into_iter().rev().map(|heard| heard.seen.results);
        results.into_iter().find(|results| !results.is_empty()).unwrap_or_default()
    }

    /// The results that the latest request of whoever was told this word ended with.
    pub fn results_of(&self, word: &str) -> Vec<String> {
        let heard = self.served.log().into_iter().rev().filter(|heard| heard.seen.last_user.contains(word));
        heard.map(|heard| heard.seen.results).find(|results| !results.is_empty()).unwrap_or_default()
    }

    /// The bodies of the requests whose last user message holds this word, oldest first.
    pub fn heard(&self, word: &str) -> Vec<serde_json::Value> {
        let heard = self.served.log().into_iter().filter(|heard| heard.seen.last_user.contains(word));
        heard.filter_map(|heard| heard.body).collect()
    }

    /// The body of the latest request.
    pub fn body(&self) -> serde_json::Value {
        self.served.log().pop().and_then(|heard| heard.body).unwrap_or_default()
    }
}
