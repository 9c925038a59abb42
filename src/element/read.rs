//! Values of JSON with the path to them, for errors that say where.

use super::{ElementError, Role};
use serde_json::{Map, Value};

/// A value, and how one gets there from the root.
pub(super) struct At<'a> {
    pub value: &'a Value,
    pub path: String,
}

impl<'a> At<'a> {
    pub fn field(&self, fields: &'a Map<String, Value>, name: &str) -> Option<At<'a>> {
        let value = fields.get(name).filter(|v| !v.is_null())?;
        Some(At { value, path: format!("{}.{name}", self.path) })
    }

    pub fn error(&self, problem: impl Into<String>) -> ElementError {
        ElementError { path: self.path.clone(), problem: problem.into() }
    }

    fn expected(&self, what: &str) -> ElementError {
        let got = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) | Value::Object(_) => "a table",
        };
        self.error(format!("must be {what}, got {got}"))
    }

    pub fn text(&self) -> Result<&'a str, ElementError> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    pub fn flag(&self) -> Result<bool, ElementError> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    pub fn number(&self) -> Result<f64, ElementError> {
        self.value.as_f64().filter(|n| n.is_finite()).ok_or_else(|| self.expected("a number"))
    }

    /// A whole number from 0 to `most`.
    pub fn count(&self, most: u16) -> Result<u16, ElementError> {
        let count = self.value.as_u64().and_then(|n| u16::try_from(n).ok()).filter(|n| *n <= most);
        count.ok_or_else(|| self.expected(&format!("a whole number from 0 to {most}")))
    }

    /// The items of a list. An empty table is an empty list too.
    pub fn items(&self) -> Result<Vec<At<'a>>, ElementError> {
        match self.value {
            Value::Array(items) => {
                let at = |(i, value)| At { value, path: format!("{}[{}]", self.path, i + 1) };
                Ok(items.iter().enumerate().map(at).collect())
            }
            Value::Object(fields) if fields.is_empty() => Ok(vec![]),
            _ => Err(self.expected("a list")),
        }
    }

    pub fn role(&self) -> Result<Role, ElementError> {
        Role::find(self.text()?).map_err(|problem| self.error(problem))
    }

    /// One of several words.
    pub fn word<T: Copy>(&self, what: &str, known: &[(&str, T)]) -> Result<T, ElementError> {
        let name = self.text()?;
        let found = known.iter().find(|(word, _)| *word == name);
        let unknown = || self.error(format!("no {what} `{name}`{}", hint(name, known.iter().map(|(word, _)| *word))));
        found.map(|(_, value)| *value).ok_or_else(unknown)
    }

    /// Refuses fields that mean nothing in a `kind`.
    pub fn only(&self, kind: &str, fields: &Map<String, Value>, known: &[&str]) -> Result<(), ElementError> {
        let stray = fields.keys().find(|name| *name != "type" && !known.contains(&name.as_str()));
        match stray {
            None => Ok(()),
            Some(name) => Err(ElementError {
                path: format!("{}.{name}", self.path),
                problem: format!("a {kind} has no such field; it has {}", known.join(", ")),
            }),
        }
    }
}

/// `; did you mean …?`.
pub(super) fn hint<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let nearest = known.min_by_key(|k| strsim::damerau_levenshtein(k, word));
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
