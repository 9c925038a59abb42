//! Calls and their results: each call has exactly one, directly after it, and its id is unique in the request.

use super::common::Faults;
use serde_json::Value;
use std::collections::HashSet;

#[derive(Default)]
pub struct Rounds {
    seen: HashSet<String>,
    /// Calls whose results are due.
    due: Vec<String>,
}

impl Rounds {
    /// A call; `fits` says whether its id has the dialect's shape.
    pub fn call(&mut self, id: &Value, fits: impl Fn(&str) -> bool, at: &str, faults: &mut Faults) {
        let id = id.as_str().unwrap_or_default();
        faults.unless(
            !id.trim().is_empty() && fits(id),
            at,
            &format!("the call id {id:?} is not as the server wants it"),
        );
        faults.unless(self.seen.insert(id.to_owned()), at, &format!("the call id {id:?} is used twice"));
        self.due.push(id.to_owned());
    }

    pub fn result(&mut self, id: &Value, at: &str, faults: &mut Faults) {
        match self.due.iter().position(|due| id == due) {
            Some(n) => drop(self.due.remove(n)),
            None => faults.add(at, format!("a result of {id}, which is not due here")),
        }
    }

    /// Something else comes, or the request ends.
    pub fn close(&mut self, at: &str, faults: &mut Faults) {
        if !self.due.is_empty() {
            faults
                .add(at, format!("the results of {} are missing before it", std::mem::take(&mut self.due).join(", ")));
        }
    }
}
