//! Commands over `panto rpc`, killed between their answers.

use super::{Life, Moment, Run, Stage, is_answer};
use panto::session::Store;
use serde_json::{Value, json};
use std::{fs, time::Duration};

impl Stage {
    /// Kills after some of the answers: what was answered is in the file.
    pub(super) fn commands(&mut self, life: &mut Life, at: &str) -> Result<(), String> {
        let all = 3 * (1 + self.dice.below(6));
        self.prompts += 1;
        let word = |n: usize| format!("word-{:05}-{n:02}", self.prompts);
        let asks: Vec<(String, Value)> = (0..all)
            .map(|n| match n % 3 {
                0 => (word(n), request(n, "rename", json!({"name": word(n)}))),
                1 => (word(n), request(n, "label", json!({"entry_id": at, "label": word(n)}))),
                _ => (String::new(), request(n, "set_thinking", json!({"thinking": "off"}))),
            })
            .collect();
        let path = Store::new(&self.world.data()).find(life.id.as_deref().unwrap_or_default());
        let path = path.map_err(|error| error.to_string())?;
        let levels = |text: &str| text.matches("\"thinking_change\"").count();
        let read = || fs::read_to_string(&path).map_err(|error| error.to_string());
        let before = levels(&read()?);
        let input: String = asks.iter().map(|(_, ask)| format!("{ask}\n")).collect();
        let moment = Moment { lines: 0, wait: Duration::from_micros(self.dice.below(2500) as u64) };
        let mut run = Run::rpc(&self.world, &["rpc", "-c", "--model", &self.model], &input);
        let mut told = run.until_answers(1 + self.dice.below(all));
        let ended = run.end(Some(moment));
        told.extend(ended.output);
        let answers: Vec<Value> = told.iter().filter_map(|l| serde_json::from_str(l).ok()).filter(is_answer).collect();
        if ended.code.is_some() || answers.is_empty() {
            return Err(format!("`panto rpc` ended with {:?} and said {told:?}: {}", ended.code, ended.errors));
        }
        life.kills += 1;
        self.report.kills += 1;
        let (text, mut changes) = (read()?, 0);
        for answer in answers {
            let n = answer["id"].as_str().and_then(|id| id.parse::<usize>().ok()).filter(|_| answer["ok"] == true);
            let (word, ask) = n.and_then(|n| asks.get(n)).ok_or_else(|| format!("a command is refused: {answer}"))?;
            changes += usize::from(word.is_empty());
            if !text.contains(word.as_str()) {
                return Err(format!("{ask} was acknowledged, and is not in the file"));
            }
            self.report.commands += 1;
        }
        if levels(&text) < before + changes {
            return Err(format!("{changes} changes of the level were acknowledged, and not all are in the file"));
        }
        self.check(life)
    }
}

fn request(n: usize, method: &str, params: Value) -> Value {
    json!({"type": "request", "id": n.to_string(), "method": method, "params": params})
}
