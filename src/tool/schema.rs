//! The input of a call is checked against the tool's schema before the tool sees it.

use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

const MOST_VIOLATIONS: usize = 8;

/// A schema and its compiled form; none where the schema is broken.
type Compiled = (Value, Option<Arc<jsonschema::Validator>>);

/// Checks inputs; compiled schemas are kept.
#[derive(Default)]
pub struct Checker {
    compiled: Mutex<HashMap<String, Compiled>>,
}

impl Checker {
    /// What is wrong with the input, for the model: the path and reason of each violation. A schema that is itself
    /// broken accepts everything.
    pub fn check(&self, tool: &str, schema: &Value, input: &Value) -> Result<(), String> {
        let violations = self.violations(tool, schema, input);
        if violations.is_empty() {
            return Ok(());
        }
        let listed: String = violations.iter().map(|violation| format!("- {violation}\n")).collect();
        Err(format!("invalid input for {tool}:\n{listed}Correct the input and call the tool again."))
    }

    /// The same as a list of `PATH: reason`.
    pub fn violations(&self, tool: &str, schema: &Value, input: &Value) -> Vec<String> {
        let Some(validator) = self.validator(tool, schema) else { return Vec::new() };
        validator.iter_errors(input).take(MOST_VIOLATIONS).map(|e| describe(&e)).collect()
    }

    fn validator(&self, tool: &str, schema: &Value) -> Option<Arc<jsonschema::Validator>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, validator)) = compiled.get(tool)
            && known == schema
        {
            return validator.clone();
        }
        let validator = jsonschema::validator_for(schema).ok().map(Arc::new);
        compiled.insert(tool.to_owned(), (schema.clone(), validator.clone()));
        validator
    }
}

/// What is wrong with a schema itself, in words.
pub fn fault(schema: &Value) -> Option<String> {
    let error = jsonschema::validator_for(schema).err()?;
    let path = error.instance_path().to_string();
    let reason: String = error.to_string().chars().take(300).collect();
    Some(if path.is_empty() { reason } else { format!("{path}: {reason}") })
}

fn describe(error: &jsonschema::ValidationError) -> String {
    let path = error.instance_path().to_string();
    let path = if path.is_empty() { "(input)".to_owned() } else { path };
    let reason: String = error.to_string().chars().take(300).collect();
    format!("{path}: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_violation_has_its_path_and_reason() {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}, "required": ["command"]});
        let said = Checker::default().check("t", &schema, &json!({"path": ["x"], "n": "one"})).unwrap_err();
        for part in ["/path", "/n", "command", "string", "integer"] {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert!(Checker::default().check("t", &schema, &json!({"command": "x"})).is_ok());
    }

    #[test]
    fn a_broken_schema_accepts_everything() {
        assert!(Checker::default().check("t", &json!({"type": 5}), &json!({})).is_ok());
    }
}
