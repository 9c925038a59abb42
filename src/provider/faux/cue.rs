//! A turn made concrete: texts cut into deltas, templates filled in, names of tools as they are offered.

use super::{
    script::{Finish, Refusal, Script, Step, ToolStep, Turn},
    stage::Seen,
};
use serde_json::Value;
use std::{path::Path, time::Duration};

/// One thing that happens in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Cue {
    Text(String),
    Thinking(String),
    Redacted(String),
    Call { id: String, name: String, pieces: Vec<String> },
    Pause(Duration),
    Gate(String),
    Finish(Finish),
    Error(Refusal),
    Status(Refusal),
    Cut,
    Quiet,
    Hang,
}

/// The answer to a request that the script does not foresee.
pub fn unforeseen(seen: &Seen) -> Vec<Cue> {
    vec![Cue::Text(format!("[the script has no turn for this request: {}]", seen.last_user))]
}

/// The cues of the `n`-th turn. `calls` counts the calls of the provider, for their ids.
pub fn of(script: &Script, n: usize, seen: &Seen, scratch: &Path, calls: &mut usize) -> Vec<Cue> {
    let turn = &script.turns[n];
    let mut writer = Writer { seen, scratch, cutter: Cutter::new(script, turn), calls, cues: Vec::new() };
    let pace = turn.tokens_per_second.unwrap_or(script.tokens_per_second);
    for step in &turn.steps {
        writer.step(step, (pace > 0.0).then(|| Duration::from_secs_f64(1.0 / pace)));
    }
    writer.cues
}

struct Writer<'a> {
    seen: &'a Seen,
    scratch: &'a Path,
    cutter: Cutter,
    calls: &'a mut usize,
    cues: Vec<Cue>,
}

impl Writer<'_> {
    fn step(&mut self, step: &Step, pace: Option<Duration>) {
        let cue = match step {
            Step::Text(text) => return self.prose(text, pace, Cue::Text),
            Step::Thinking(text) => return self.prose(text, pace, Cue::Thinking),
            Step::Tool(tool) => return self.tool(tool),
            Step::Redacted(data) => Cue::Redacted(data.clone()),
            Step::Pause(s) => Cue::Pause(seconds(*s)),
            Step::Gate(name) => Cue::Gate(name.clone()),
            Step::Finish(finish) => Cue::Finish(finish.clone()),
            Step::Error(refusal) => Cue::Error(refusal.clone()),
            Step::Status(refusal) => Cue::Status(refusal.clone()),
            Step::Cut(s) => self.after(*s, Cue::Cut),
            Step::Quiet(s) => self.after(*s, Cue::Quiet),
            Step::Hang(_) => Cue::Hang,
        };
        self.cues.push(cue);
    }

    fn after(&mut self, s: f64, cue: Cue) -> Cue {
        if s > 0.0 {
            self.cues.push(Cue::Pause(seconds(s)));
        }
        cue
    }

    fn prose(&mut self, text: &str, pace: Option<Duration>, cue: fn(String) -> Cue) {
        for piece in self.cutter.cut(&self.filled(text)) {
            self.cues.extend(pace.map(Cue::Pause));
            self.cues.push(cue(piece));
        }
    }

    fn tool(&mut self, step: &ToolStep) {
        let offered = wire_name(&self.seen.tools, &step.name);
        if offered.is_none() && step.optional {
            return;
        }
        *self.calls += 1;
        let id = step.id.clone().unwrap_or_else(|| format!("call_{}", self.calls));
        let name = offered.unwrap_or_else(|| step.name.replace('.', "_"));
        let arguments =
            step.raw.clone().unwrap_or_else(|| self.filled_value(&Value::Object(step.input.clone())).to_string());
        self.cues.push(Cue::Call { id, name, pieces: self.cutter.cut(&arguments) });
    }

    fn filled_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.filled(text)),
            Value::Array(list) => list.iter().map(|v| self.filled_value(v)).collect(),
            Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), self.filled_value(v))).collect(),
            other => other.clone(),
        }
    }

    /// The text with its templates filled in. What is no template stays.
    fn filled(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let Some((name, behind)) = after.split_once("}}") else {
                out.push_str("{{");
                rest = after;
                continue;
            };
            match self.template(name.trim()) {
                Some(value) => out.push_str(&value),
                None => out.extend(["{{", name, "}}"]),
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    fn template(&self, name: &str) -> Option<String> {
        let result = |n: usize| self.seen.results.get(n.checked_sub(1)?).cloned();
        match name {
            "last_user" => Some(self.seen.last_user.clone()),
            "model" => Some(self.seen.model.clone()),
            "scratch" => Some(self.scratch.display().to_string()),
            "result" => Some(result(1).unwrap_or_default()),
            _ => Some(result(name.strip_prefix("result.")?.parse().ok()?).unwrap_or_default()),
        }
    }
}

fn seconds(s: f64) -> Duration {
    Duration::try_from_secs_f64(s).unwrap_or_default()
}

/// The name under which a tool is offered, found by its canonical one.
fn wire_name(offered: &[String], canonical: &str) -> Option<String> {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
    };
    let exact = [canonical.to_owned(), canonical.replace('.', "_")];
    let last = canonical.rsplit('.').next().unwrap_or(canonical);
    let found = offered.iter().find(|o| exact.contains(o));
    let found = found.or_else(|| offered.iter().find(|o| plain(o) == plain(canonical)));
    found.or_else(|| offered.iter().find(|o| o.as_str() == last)).cloned()
}

/// Cuts texts into deltas.
struct Cutter {
    /// Characters; 0: words.
    chunk: usize,
    random: Option<u64>,
}

impl Cutter {
    fn new(script: &Script, turn: &Turn) -> Self {
        Cutter { chunk: turn.chunk.unwrap_or(script.chunk), random: script.seed }
    }

    fn cut(&mut self, text: &str) -> Vec<String> {
        if self.chunk == 0 && self.random.is_none() {
            return text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
        }
        let chars: Vec<char> = text.chars().collect();
        let (mut pieces, mut at) = (Vec::new(), 0);
        while at < chars.len() {
            let end = (at + self.size()).min(chars.len());
            pieces.push(chars[at..end].iter().collect());
            at = end;
        }
        pieces
    }

    fn size(&mut self) -> usize {
        let Some(seed) = &mut self.random else { return self.chunk };
        // Knuth's linear congruential generator: the same sizes on every machine.
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let most = if self.chunk == 0 { 12 } else { 2 * self.chunk as u64 };
        1 + ((*seed >> 33) % most) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cues(steps: Vec<Step>, seen: &Seen, script: Script) -> Vec<Cue> {
        let script = Script { turns: vec![Turn::of(steps)], ..script };
        of(&script, 0, seen, Path::new("/scratch"), &mut 0)
    }

    fn said(cues: &[Cue]) -> Vec<&str> {
        cues.iter().filter_map(|c| if let Cue::Text(t) = c { Some(t.as_str()) } else { None }).collect()
    }

    #[test]
    fn templates() {
        let seen = Seen { last_user: "hi {{x}}".into(), results: vec!["A".into(), "B".into()], ..Seen::default() };
        let steps = vec![Step::text("{{last_user}}|{{ result.2 }}|{{result}}|{{scratch}}|{{nothing}}|{{result.9}}|{{")];
        assert_eq!(said(&cues(steps, &seen, Script::default())).concat(), "hi {{x}}|B|A|/scratch|{{nothing}}||{{");
    }

    #[test]
    fn chunks_by_words_size_or_seed() {
        let text = "one two\nthree é";
        let cut = |script| {
            let cues = cues(vec![Step::text(text)], &Seen::default(), script);
            said(&cues).iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(cut(Script::default()), ["one ", "two\n", "three ", "é"]);
        assert_eq!(cut(Script { chunk: 6, ..Script::default() }), ["one tw", "o\nthre", "e é"]);
        let seeded = || cut(Script { seed: Some(1), chunk: 2, ..Script::default() });
        assert_eq!(seeded(), seeded());
        assert_eq!(seeded().concat(), text);
        assert!(seeded().iter().any(|s| s.chars().count() != seeded()[0].chars().count()));
    }

    #[test]
    fn tools_by_their_wire_name() {
        let seen = Seen { tools: vec!["std_shell".into()], ..Seen::default() };
        let optional = Step::Tool(ToolStep { name: "std.ls".into(), optional: true, ..ToolStep::default() });
        let steps = vec![
            Step::tool("std.shell", json!({"command": "{{scratch}}"})),
            optional,
            Step::tool("no.such", json!({})),
        ];
        let cues = cues(steps, &seen, Script { chunk: 1000, ..Script::default() });
        let call = |id: &str, name: &str, piece: &str| Cue::Call {
            id: id.into(),
            name: name.into(),
            pieces: vec![piece.into()],
        };
        assert_eq!(cues, [call("call_1", "std_shell", r#"{"command":"/scratch"}"#), call("call_2", "no_such", "{}")]);
    }

    #[test]
    fn pace_lies_between_deltas() {
        let script = Script { tokens_per_second: 100.0, ..Script::default() };
        let cues = cues(vec![Step::text("a b")], &Seen::default(), script);
        assert_eq!(cues.iter().filter(|c| matches!(c, Cue::Pause(d) if *d == Duration::from_millis(10))).count(), 2);
    }
}
