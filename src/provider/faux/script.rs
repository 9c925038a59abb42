//! Scripts as data, and how they are read.

use crate::conversation::{Price, Thinking};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// What the provider says, turn by turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Begin again when the turns are used up.
    pub cycle: bool,
    /// Pace of deltas; 0: as fast as possible.
    pub tokens_per_second: f64,
    /// Characters of a delta; 0: a word.
    pub chunk: usize,
    /// Deltas of random sizes around `chunk`, the same for the same seed.
    pub seed: Option<u64>,
    /// What the model is said to be able to do.
    pub model: ScriptModel,
    /// Names that `/v1/models` lists.
    pub models: Vec<String>,
    #[serde(rename = "turn")]
    pub turns: Vec<Turn>,
}

impl Default for Script {
    fn default() -> Self {
        Script {
            cycle: false,
            tokens_per_second: 0.0,
            chunk: 0,
            seed: None,
            model: ScriptModel::default(),
            models: vec!["faux".into()],
            turns: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptModel {
    /// Tokens of the window.
    pub context: Option<u64>,
    /// Tokens of an answer.
    pub output: Option<u64>,
    pub images: Option<bool>,
    pub thinking: Option<Vec<Thinking>>,
    pub price: Option<Price>,
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// Only for requests whose last user message contains this.
    pub when: Option<String>,
    pub on: On,
    /// Requests that it answers; 0: any number.
    pub times: u32,
    pub chunk: Option<usize>,
    pub tokens_per_second: Option<f64>,
    pub steps: Vec<Step>,
}

impl Default for Turn {
    fn default() -> Self {
        Turn { when: None, on: On::Any, times: 1, chunk: None, tokens_per_second: None, steps: Vec::new() }
    }
}

/// What the request must end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    #[default]
    Any,
    Prompt,
    Results,
}

/// One step of an answer. Texts and inputs may hold `{{last_user}}`, `{{result}}`, `{{result.2}}`, `{{model}}` and
/// `{{scratch}}` (a folder below the temporary one).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    Text(String),
    Thinking(String),
    /// Thinking that only the provider can read.
    Redacted(String),
    Tool(ToolStep),
    /// Seconds.
    Pause(f64),
    /// Waits until this gate is opened.
    Gate(String),
    /// Another stop reason or other figures than the natural ones; ends the answer.
    Finish(Finish),
    /// An error event inside the stream; ends the answer.
    Error(Refusal),
    /// A status instead of an answer; must be the first step.
    Status(Refusal),
    /// Seconds after which the connection breaks.
    Cut(f64),
    /// Seconds after which the stream ends as if all were well, but without its end mark.
    Quiet(f64),
    /// The connection stays open, and nothing comes any more.
    Hang(bool),
}

impl Step {
    pub fn text(text: impl Into<String>) -> Self {
        Step::Text(text.into())
    }

    pub fn thinking(text: impl Into<String>) -> Self {
        Step::Thinking(text.into())
    }

    /// A call of the tool with this canonical name. `input` is an object.
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        let input = if let Value::Object(map) = input { map } else { Map::new() };
        Step::Tool(ToolStep { name: name.into(), input, ..ToolStep::default() })
    }
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolStep {
    /// Canonical: `std.shell`.
    pub name: String,
    pub id: Option<String>,
    pub input: Map<String, Value>,
    /// The text of the arguments as it is sent, instead of `input`; may be broken.
    pub raw: Option<String>,
    /// Left out where the tool is not offered.
    pub optional: bool,
}

/// The end of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Finish {
    /// `stop`, `length` or `tool_use`; empty: the natural one.
    pub reason: String,
    pub input: u64,
    pub output: u64,
    /// Part of `input` that came from a cache.
    pub cached: u64,
}

impl Default for Finish {
    fn default() -> Self {
        Finish { reason: String::new(), input: 100, output: 20, cached: 0 }
    }
}

/// How a server refuses.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Refusal {
    pub code: u16,
    pub message: String,
    /// Seconds of a `retry-after`.
    pub retry_after: Option<f64>,
}

impl Default for Refusal {
    fn default() -> Self {
        Refusal { code: 500, message: "scripted failure".into(), retry_after: None }
    }
}

impl Turn {
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Self {
        Turn { steps: steps.into_iter().collect(), ..Turn::default() }
    }

    /// A plain answer.
    pub fn say(text: impl Into<String>) -> Self {
        Turn::of([Step::text(text)])
    }

    /// Only for requests whose last user message contains `text`.
    pub fn when(self, text: impl Into<String>) -> Self {
        Turn { when: Some(text.into()), ..self }
    }

    /// For so many requests; 0: any number.
    pub fn times(self, times: u32) -> Self {
        Turn { times, ..self }
    }
}

/// A script that cannot be used: where, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("script {path}: {what}")]
pub struct ScriptError {
    pub path: String,
    pub what: String,
}

impl Script {
    pub fn of(turns: impl IntoIterator<Item = Turn>) -> Self {
        Script { turns: turns.into_iter().collect(), ..Script::default() }
    }

    /// Reads a script. `path` is for the error, which also names the line.
    pub fn parse(text: &str, path: &str) -> Result<Script, ScriptError> {
        let error = |what: String| ScriptError { path: path.to_owned(), what };
        let script: Script = toml::from_str(text).map_err(|e: toml::de::Error| {
            let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            error(format!("line {line}: {}", crate::util::text::one_line(e.message())))
        })?;
        if script.turns.is_empty() {
            return Err(error("there is no [[turn]]".into()));
        }
        Ok(script)
    }

    pub fn load(path: &Path) -> Result<Script, ScriptError> {
        let shown = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|e| ScriptError { path: shown.clone(), what: e.to_string() })?;
        Script::parse(&text, &shown)
    }

    /// A tour that ships, by name.
    pub fn tour(name: &str) -> Option<Result<Script, ScriptError>> {
        let (_, text) = super::TOURS.into_iter().find(|(n, _)| *n == name)?;
        Some(Script::parse(text, &format!("{name}.toml")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tour_loads() {
        for (name, _) in super::super::TOURS {
            let script = Script::tour(name).expect("a tour").unwrap_or_else(|e| panic!("{e}"));
            assert!(!script.turns.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_step_can_be_written() {
        let text = r#"
            seed = 3
            model = { context = 1000, price = { input = 1.0 } }
            [[turn]]
            when = "x"
            on = "results"
            times = 0
            steps = [
              { text = "a" }, { thinking = "b" }, { redacted = "c" }, { pause = 0.5 }, { gate = "g" },
              { tool = { name = "std.shell", input = { command = "ls" } } },
              { finish = { reason = "length", input = 3 } }, { error = { code = 529, message = "m" } },
              { status = { code = 503, retry_after = 2 } }, { cut = 0 }, { quiet = 0 }, { hang = true },
            ]
        "#;
        let script = Script::parse(text, "s.toml").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(script.turns[0].steps.len(), 12);
        assert_eq!(script.turns[0].steps[5], Step::tool("std.shell", serde_json::json!({"command": "ls"})));
    }

    #[test]
    fn errors_name_file_and_line() {
        for (text, line, word) in [
            ("[[turn]]\nsteps = [ { txt = \"a\" } ]", "line 2", "txt"),
            ("\n\ncycel = true", "line 3", "cycel"),
            ("a = [", "line 1", "s.toml"),
            ("cycle = true", "", "[[turn]]"),
        ] {
            let error = Script::parse(text, "s.toml").expect_err(text).to_string();
            assert!(error.contains("s.toml") && error.contains(line) && error.contains(word), "{error}");
        }
        let error = Script::load(Path::new("/nowhere/s.toml")).expect_err("no file").to_string();
        assert!(error.contains("/nowhere/s.toml"), "{error}");
    }
}
