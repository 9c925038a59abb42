//! The parameters of each method, strict about what they hold.

use crate::backend::{Answer, Point, Scope};
use crate::conversation::{Part, Thinking};
use serde::Deserialize;
use std::path::PathBuf;

fn all() -> Scope {
    Scope::All
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    #[serde(default = "all")]
    pub scope: Scope,
    pub cwd: Option<PathBuf>,
    #[serde(default = "yes")]
    pub strict: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Create {
    pub cwd: Option<PathBuf>,
    pub name: Option<String>,
    pub model: Option<String>,
    pub thinking: Option<Thinking>,
}

/// `offset` and `limit` count bytes of the text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadItem {
    pub item_id: String,
    pub offset: Option<usize>,
    pub limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadItems {
    pub epoch: u64,
    pub before: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    pub mode: crate::backend::Mode,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    pub mode: Option<AttachMode>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum AttachMode {
    Write,
    ReadOnly,
    TakeOver,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    pub text: String,
    #[serde(default)]
    pub images: Vec<Part>,
    #[serde(default = "yes")]
    pub wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub model: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    pub thinking: Thinking,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Focus {
    pub focus: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkAt {
    pub entry_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct To {
    pub to: Point,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryId {
    pub entry_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Name {
    pub name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approve {
    pub approval_id: String,
    pub answer: Answer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobId {
    pub job_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobText {
    pub job_id: String,
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    pub epoch: u64,
    pub revision: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct By {
    pub by: String,
}
