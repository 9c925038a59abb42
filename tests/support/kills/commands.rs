//! Commands over `panto rpc`, killed between their answers.

use super::{Life, Moment, Run, Stage, is_answer};
use panto::session::{self, EntryKind, Store};
use serde_json::{Value, json};
use std::{collections::HashMap, fs, path::Path, time::Duration};

/// What a command leaves in the file.
enum Leaves {
    Word(String),
    /// One more entry of this type.
    Entry(&'static str),
}

struct Ask {
    method: &'static str,
    request: Value,
    leaves: Leaves,
}

impl Stage {
    /// Kills after some of the answers: what was answered is in the file.
    pub(super) fn commands(&mut self, life: &mut Life, at: &str) -> Result<(), String> {
        let path = Store::new(&self.world.data()).find(life.id.as_deref().unwrap_or_default());
        let path = path.map_err(|error| error.to_string())?;
        let asks = self.asks(at, &path)?;
        let read = || fs::read_to_string(&path).map_err(|error| error.to_string());
        let before = read()?;
        let input: String = asks.iter().map(|ask| format!("{}\n", ask.request)).collect();
        let moment = Moment { lines: 0, wait: Duration::from_micros(self.dice.below(2500) as u64) };
        let mut run = Run::rpc(&self.world, &["rpc", "-c", "--model", &self.model], &input);
        let mut told = run.until_answers(1 + self.dice.below(asks.len()));
        let ended = run.end(Some(moment));
        told.extend(ended.output);
        let answers: Vec<Value> = told.iter().filter_map(|l| serde_json::from_str(l).ok()).filter(is_answer).collect();
        if ended.code.is_some() || answers.is_empty() {
            return Err(format!("`panto rpc` ended with {:?} and said {told:?}: {}", ended.code, ended.errors));
        }
        life.kills += 1;
        self.report.kills += 1;
        let (commands, compactions) = acknowledged(&asks, &answers, &before, &read()?)?;
        self.report.commands += commands;
        self.report.compactions += compactions;
        self.check(life)
    }

    /// Small changes, and at the end of some lists a large one: what follows that would be busy.
    fn asks(&mut self, at: &str, path: &Path) -> Result<Vec<Ask>, String> {
        self.prompts += 1;
        let word = |n: usize| format!("word-{:05}-{n:02}", self.prompts);
        let named =
            |n, method, params| Ask { method, request: request(n, method, params), leaves: Leaves::Word(word(n)) };
        let counted = |n, method, params, entry| Ask {
            method,
            request: request(n, method, params),
            leaves: Leaves::Entry(entry),
        };
        let all = 4 * self.dice.below(5) + 1;
        let mut asks: Vec<Ask> = (0..all)
            .map(|n| match n % 4 {
                0 => named(n, "rename", json!({"name": word(n)})),
                1 => named(n, "label", json!({"entry_id": at, "label": word(n)})),
                2 => counted(n, "set_thinking", json!({"thinking": "off"}), "thinking_change"),
                _ => {
                    let model = if n % 8 == 3 { "faux:demo" } else { &self.model };
                    counted(n, "set_model", json!({"model": model}), "model_change")
                }
            })
            .collect();
        match self.dice.below(3) {
            // To the last message: nothing that was acknowledged is left behind.
            0 => asks.push(counted(all, "branch", json!({"entry_id": last_message(path)?}), "leaf")),
            1 => asks.push(counted(all, "compact", json!({}), "compaction")),
            _ => {}
        }
        Ok(asks)
    }
}

/// How many commands were acknowledged, all of which are in the file, and how many of them were compactions.
fn acknowledged(asks: &[Ask], answers: &[Value], before: &str, after: &str) -> Result<(usize, usize), String> {
    let (mut found, mut entries) = (0, HashMap::<&str, usize>::new());
    for answer in answers {
        let n = answer["id"].as_str().and_then(|id| id.parse::<usize>().ok());
        let ask = n.and_then(|n| asks.get(n)).ok_or_else(|| format!("nobody has asked for {answer}"))?;
        if answer["ok"] != true {
            match ask.method {
                // After a short talk there is nothing to sum up.
                "compact" if answer["error"]["code"] == "invalid_request" => continue,
                _ => return Err(format!("{} is refused: {answer}", ask.request)),
            }
        }
        match &ask.leaves {
            Leaves::Word(word) if !after.contains(word.as_str()) => {
                return Err(format!("{} was acknowledged, and is not in the file", ask.request));
            }
            Leaves::Word(_) => {}
            Leaves::Entry(kind) => *entries.entry(kind).or_default() += 1,
        }
        found += 1;
    }
    let count = |text: &str, kind: &str| text.matches(&format!("\"type\":\"{kind}\"")).count();
    match entries.iter().find(|(kind, n)| count(after, kind) < count(before, kind) + **n) {
        Some((kind, n)) => Err(format!("{n} entries `{kind}` were acknowledged, and not all are in the file")),
        None => Ok((found, entries.get("compaction").copied().unwrap_or_default())),
    }
}

fn last_message(path: &Path) -> Result<String, String> {
    let branch = session::load(path).map_err(|error| error.to_string())?.branch;
    let last = branch.into_iter().rfind(|e| matches!(e.kind, EntryKind::Message(_)));
    last.map(|e| e.id).ok_or_else(|| "no message is left".into())
}

fn request(n: usize, method: &str, params: Value) -> Value {
    json!({"type": "request", "id": n.to_string(), "method": method, "params": params})
}
