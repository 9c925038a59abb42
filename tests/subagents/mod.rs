//! The extension `subagents` that ships, in the real program with a scripted model: rows R77 to R94 of the contract and the
//! cases A01 to A10.

mod background;
mod bounds;
mod children;
mod mentions;
mod narrow;
mod owed;
mod profiles;
mod results;
mod resume;
mod workflows;

use crate::support::{Model, World};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// A session whose first turn makes these calls, and whose next one ends it.
struct Play {
    world: World,
    model: Model,
}

/// A call of the parent's.
type Call = (&'static str, Value);

impl Play {
    /// `turns` are those of the children, as TOML.
    fn new(calls: &[Call], turns: &str) -> Self {
        Self::with(&[calls], turns)
    }

    /// The same with several rounds of calls, the later ones for prompts AGAIN.
    fn with(rounds: &[&[Call]], turns: &str) -> Self {
        let mut world = World::new();
        let words = ["PARENT", "AGAIN", "ONCE-MORE"];
        let script: String = rounds.iter().zip(words).map(|(calls, word)| parent(word, calls)).collect();
        let model = Model::serve(&mut world, &format!("{script}{turns}"));
        world.user("config.toml", "[network]\nretries = 0\n");
        Play { world, model }
    }

    /// Runs the first turn to its end; the results of its calls.
    #[track_caller]
    fn run(&self) -> Vec<String> {
        self.say(&["-p", "PARENT"])
    }

    #[track_caller]
    fn say(&self, words: &[&str]) -> Vec<String> {
        let ran = self.world.run(words).ok();
        assert!(ran.out.contains("END") && !ran.err.contains("handler of"), "{ran:?}");
        self.model.results()
    }

    #[track_caller]
    fn one(&self) -> String {
        self.run().pop().expect("a result")
    }

    /// Whether a child was asked to do this.
    fn asked(&self, prompt: &str) -> bool {
        self.model.asked().iter().any(|asked| asked.contains(prompt))
    }

    /// The bodies of requests whose last message of a user holds this.
    fn bodies(&self, word: &str) -> Vec<Value> {
        self.model.heard(word)
    }

    /// The files of children.
    fn kids(&self) -> Vec<PathBuf> {
        let (mut found, mut folders) = (vec![], vec![self.world.data().join("sessions")]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "jsonl") && path.parent().is_some_and(is_family) {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// Whether a folder has the name of a session's file.
fn is_family(folder: &std::path::Path) -> bool {
    folder.with_extension("jsonl").is_file()
}

/// A turn that makes the calls for each prompt with the word, and one that ends it.
fn parent(word: &str, calls: &[Call]) -> String {
    let step = |(name, input): &Call| json!({"tool": {"name": name, "input": input}});
    let steps: Vec<Value> = calls.iter().map(step).collect();
    let turns = json!({"turn": [
        {"when": word, "on": "prompt", "times": 0, "steps": steps},
        {"when": word, "on": "results", "times": 0, "steps": [{"text": "END"}]},
    ]});
    toml::to_string(&turns).expect("TOML")
}

/// `subagents.run` for a prompt, with more fields.
fn run(prompt: &str, more: Value) -> Call {
    let mut input = json!({"description": format!("job {prompt}"), "prompt": prompt});
    if let (Some(input), Value::Object(more)) = (input.as_object_mut(), more) {
        input.extend(more);
    }
    ("subagents.run", input)
}

/// A child's plain answer to prompts with this word.
fn says(word: &str, text: &str) -> String {
    format!("[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ text = \"{text}\" }}]\n")
}

/// A child that makes a call, and then says what came of it.
fn calls(word: &str, tool: &str, input: &Value) -> String {
    let turns = json!({"turn": [
        {"when": word, "on": "prompt", "times": 0, "steps": [{"tool": {"name": tool, "input": input}}]},
        {"when": word, "on": "results", "times": 0, "steps": [{"text": "GOT: {{result}}"}]},
    ]});
    toml::to_string(&turns).expect("TOML")
}

/// The id of a session in a result.
#[track_caller]
fn id_in(result: &str) -> String {
    let from = result.find("session: ").unwrap_or_else(|| panic!("no session in {result}")) + "session: ".len();
    result[from..].split_whitespace().next().expect("an id").to_owned()
}
