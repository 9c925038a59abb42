//! The permissions extension. Its pure parts in the real runtime: how command lines come apart, what rules say, which
//! commands only read. And the whole program: what each mode lets run, what is asked, and what is told.

mod drops;
mod late;
mod modes;
mod policy;
mod questions;
mod readonly;
mod rules;
pub mod shells;
mod split;

use crate::lua::{World, on_tokio, tool};
use crate::support::{self, Model};
use serde_json::{Value, json};

/// What one Lua function says about each input.
pub fn ask(code: &str, inputs: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let text = inputs.to_string();
    on_tokio(async {
        let world = World::with(&format!(
            "local shell = require('panto.extensions.permissions.shell')
             local rules = require('panto.extensions.permissions.rules')
             local readonly = require('panto.extensions.permissions.readonly')
             {code}
             {}",
            tool(
                "ask",
                "local out = {} for i, item in ipairs(input.items) do out[i] = tostring(answer(item)) end
                 return panto.json.encode(out)"
            )
        ));
        let handle = world.ready().await;
        let given: Value = serde_json::from_str(&text).unwrap();
        let outcome = world.batch(&handle, &[("ask", json!({ "items": given }))]).await.remove(0);
        let answer = panto::conversation::Part::joined(&outcome.parts);
        assert!(!outcome.is_error, "{answer}");
        texts = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    });
    texts
}

/// Compares all rows at once, so that a run shows every one that is wrong.
pub fn compare(code: &str, rows: &[(&str, &str)]) {
    let lines: Vec<_> = rows.iter().map(|row| row.0).collect();
    let got = ask(code, &json!(lines));
    assert_eq!(got.len(), rows.len());
    let wrong: Vec<_> = rows.iter().zip(&got).filter(|(row, got)| row.1 != got.as_str()).collect();
    assert!(wrong.is_empty(), "(line, expected), got:\n{wrong:#?}");
}

/// A model's turn with these calls (name, fields of the input in TOML), and one that ends it.
pub fn script(calls: &[(&str, &str)]) -> String {
    let steps: Vec<_> = calls
        .iter()
        .map(|(name, input)| format!("{{ tool = {{ name = \"{name}\", input = {{ {input} }} }} }}"))
        .collect();
    format!("[[turn]]\nsteps = [{}]\n[[turn]]\nsteps = [{{ text = \"END\" }}]\n", steps.join(", "))
}

/// Has the model make these calls in a mode, with nobody to ask; their results.
pub fn calls(world: &mut support::World, mode: &str, calls: &[(&str, &str)]) -> Vec<String> {
    let model = Model::serve(world, &script(calls));
    world.set("PANTO_MODE", mode);
    world.run(&["-p", "go"]).ok();
    let results = model.results();
    assert_eq!(results.len(), calls.len(), "{results:?}");
    results
}

/// Whether the system can hold commands here.
pub fn has_sandbox() -> bool {
    let support = panto::sandbox::probe();
    if !support.available {
        eprintln!("skipped: {}", support.describe());
    }
    support.available
}
