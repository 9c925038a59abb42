//! What is kept of each extension besides its registrations: its rights, its globals, its last errors.
//!
//! An extension's code is named by an `Rc<str>` that is made anew at each load: the text is the extension's name, and
//! which `Rc` it is tells old code from new while both are there.

use super::manifest::{Manifest, Need};
use mlua::Table;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// Errors that are kept of one extension.
const ERRORS: usize = 5;
/// Bytes of one of them.
const ERROR: usize = 8 * 1024;

/// One load of an extension's code.
#[derive(Clone)]
pub(super) struct Member {
    pub id: Rc<str>,
    pub manifest: Option<Rc<Manifest>>,
    /// None until it runs.
    pub env: Option<Table>,
}

#[derive(Default)]
pub(super) struct Roster {
    members: Vec<Member>,
    errors: HashMap<String, VecDeque<String>>,
}

impl Roster {
    pub fn add(&mut self, id: &Rc<str>, manifest: Option<Rc<Manifest>>) {
        self.members.push(Member { id: id.clone(), manifest, env: None });
    }

    pub fn set_env(&mut self, id: &Rc<str>, env: &Table) {
        if let Some(member) = self.members.iter_mut().find(|m| Rc::ptr_eq(&m.id, id)) {
            member.env = Some(env.clone());
        }
    }

    pub fn remove(&mut self, id: &Rc<str>) {
        self.members.retain(|m| !Rc::ptr_eq(&m.id, id));
    }

    pub fn get(&self, id: &Rc<str>) -> Option<&Member> {
        self.members.iter().find(|m| Rc::ptr_eq(&m.id, id))
    }

    /// Why this code may not do `what`, if it may not.
    pub fn refusal(&self, id: &Rc<str>, what: &str, needs: &[Need]) -> Option<String> {
        self.get(id)?.manifest.as_ref()?.refusal(id, what, needs)
    }

    pub fn note_error(&mut self, extension: &str, text: &str) {
        let errors = self.errors.entry(extension.to_owned()).or_default();
        if errors.len() == ERRORS {
            errors.pop_front();
        }
        errors.push_back(cut(text.to_owned()));
    }

    /// The last ones, oldest first.
    pub fn errors(&self, extension: &str) -> Vec<String> {
        self.errors.get(extension).map(|e| e.iter().cloned().collect()).unwrap_or_default()
    }
}

fn cut(mut text: String) -> String {
    if text.len() > ERROR {
        text.truncate(text.floor_char_boundary(ERROR));
        text.push('…');
    }
    text
}
