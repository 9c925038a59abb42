//! What a call is called: one line of words, from the tool's own or from its most telling argument.

use super::Words;
use crate::util::text::one_line;
use serde_json::Value;

const TITLE_LENGTH: usize = 160;

/// Which of a tool's words a title takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    Ask,
    Doing,
    Done,
}

/// One line of words for a call: the tool's own (`Running {command}`), else its name and its most telling argument.
pub fn title(words: Option<&Words>, name: &str, input: &Value, tense: Tense) -> String {
    let own = words.and_then(|w| match tense {
        Tense::Ask => w.ask.as_deref(),
        Tense::Doing => w.doing.as_deref(),
        Tense::Done => w.done.as_deref().or(w.doing.as_deref()),
    });
    let line = match own {
        Some(templates) => fill(fitting(templates, input), input),
        None => format!("{name} {}", telling(input)),
    };
    one_line(&line).chars().take(TITLE_LENGTH).collect()
}

/// Of several templates, one a line, the first whose fields the input has; else the last.
fn fitting<'t>(templates: &'t str, input: &Value) -> &'t str {
    let told =
        |field: &str| input.get(field).is_some_and(|v| !v.is_null() && v.as_str().is_none_or(|t| !t.trim().is_empty()));
    let has_all = |line: &&str| line.split('{').skip(1).filter_map(|rest| rest.split_once('}')).all(|(f, _)| told(f));
    let mut lines = templates.lines();
    lines.clone().find(has_all).or(lines.next_back()).unwrap_or_default()
}

fn fill(template: &str, input: &Value) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((field, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&input.get(field).map(plain).unwrap_or_default());
        rest = tail;
    }
    out + rest
}

fn telling(input: &Value) -> String {
    const TELLING: [&str; 8] = ["description", "command", "path", "pattern", "query", "url", "name", "prompt"];
    let named = TELLING.iter().find_map(|f| input.get(f)).filter(|v| v.is_string());
    let first = || input.as_object().and_then(|o| o.values().find(|v| v.is_string()));
    named.or_else(first).map(plain).unwrap_or_default()
}

/// Words as they are; of a list how many it has.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.len().to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_title_is_one_line_of_the_tools_words() {
        let words = Words { doing: Some("Running {command}".into()), ..Words::default() };
        let input = json!({"command": "cargo\n  test", "n": 1});
        assert_eq!(title(Some(&words), "std.shell", &input, Tense::Doing), "Running cargo test");
        assert_eq!(title(Some(&words), "std.shell", &input, Tense::Done), "Running cargo test");
        let words = Words { doing: Some("Running {tasks} agents\nRunning {name}\nRunning one".into()), ..words };
        for (input, said) in [
            (json!({"tasks": [{}, {}]}), "Running 2 agents"),
            (json!({"name": "it", "tasks": null}), "Running it"),
            (json!({"name": " "}), "Running one"),
        ] {
            assert_eq!(title(Some(&words), "x", &input, Tense::Doing), said);
        }
        assert_eq!(title(None, "odd", &json!({"x": 1, "path": "a.rs"}), Tense::Doing), "odd a.rs");
    }
}
