//! The form of the rules in `[permissions]`: `tool`, or `tool(pattern)`. What they mean is the business of the extension
//! `permissions`; here a malformed one is found while its place in the file is known.

use super::tree::{Node, Table, Value};
use super::{ConfigError, Origin};

const LISTS: [&str; 3] = ["allow", "ask", "deny"];

/// Finds the first malformed rule of a layer.
pub fn check(layer: &Table) -> Result<(), ConfigError> {
    let Some(Node { value: Value::Table(permissions), .. }) = layer.get("permissions") else { return Ok(()) };
    for list in LISTS {
        let Some(Node { value: Value::List(rules), .. }) = permissions.get(list) else { continue };
        for rule in rules {
            if let Value::Text(text) = &rule.value
                && let Some(why) = fault(text)
            {
                return Err(wrong(&rule.origin, list, text, why));
            }
        }
    }
    Ok(())
}

fn wrong(origin: &Origin, list: &str, text: &str, why: &str) -> ConfigError {
    let form = "a rule is a tool, as in \"mcp.*\", or a tool with a pattern, as in \"std.shell(cargo *)\"";
    ConfigError::wrong(origin, format!("`permissions.{list}` has the rule {text:?}, which is malformed: {why}; {form}"))
}

/// What is wrong with a rule, if something is.
pub fn fault(rule: &str) -> Option<&'static str> {
    let (tool, pattern) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest)),
        None => (rule, None),
    };
    if rule.chars().any(char::is_control) {
        return Some("it has control characters in it");
    }
    if tool.is_empty() {
        return Some("it names no tool");
    }
    if !tool.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '*' | '/' | ':')) {
        return Some(if tool.contains(')') {
            "a bracket is closed that was not opened"
        } else {
            "this is no name of a tool"
        });
    }
    match pattern {
        None => None,
        Some(pattern) if !pattern.ends_with(')') => Some("its bracket is not closed at its end"),
        Some(pattern) if pattern[..pattern.len() - 1].trim().is_empty() => Some("its brackets are empty"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_rules_are_told_from_others() {
        for rule in ["std.shell", "mcp.*", "std.shell(cargo *)", "std.edit(src/**)", "std.shell(echo (a) \\* b)", "*"] {
            assert_eq!(fault(rule), None, "{rule}");
        }
        for rule in [
            "",
            "(x)",
            "std.shell(",
            "std.shell(x",
            "std.shell()",
            "std.shell( )",
            "std.shell(x) y",
            "std shell",
            "a)",
            "a(\u{7})",
        ] {
            assert!(fault(rule).is_some(), "{rule}");
        }
    }
}
