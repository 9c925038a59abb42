//! What extensions put on the screen and ask of whoever looks at it: plain data, kept by the program and shown by faces.
//!
//! Everything here belongs to an extension and goes with it. Questions wait in the session's snapshot, like approvals, so
//! that a face that comes late (or another one) can answer them.

use crate::element::{Element, Line, Role};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A question of an extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub id: String,
    /// Who asks.
    pub extension: String,
    pub title: String,
    /// More words, if there are any.
    pub text: String,
    #[serde(flatten)]
    pub kind: AskKind,
    pub created_at: String,
}

/// What an answer may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AskKind {
    /// `Response::Yes` or `Response::No`.
    Confirm {
        yes: String,
        no: String,
        /// Which one is marked.
        default: bool,
    },
    /// `Response::Chosen`.
    Select {
        items: Vec<AskItem>,
        /// Several may be taken, or none.
        multi: bool,
        /// The marked one; with `multi` those that are taken at first.
        default: Vec<usize>,
    },
    /// `Response::Text`, of one line.
    Input { default: String, placeholder: String },
    /// `Response::Text`, of any number of lines.
    Edit { default: String },
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskItem {
    pub label: String,
    pub detail: String,
}

/// The answer to an [`Ask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// Esc: no answer.
    Dismissed,
    Yes,
    No,
    Text(String),
    /// By place in the list, from 0.
    Chosen(Vec<usize>),
}

/// A few words in the status line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatusItem {
    pub extension: String,
    pub key: String,
    pub text: Line,
}

impl StatusItem {
    /// In the colour of warnings.
    pub fn warning(extension: &str, key: &str, text: &str) -> StatusItem {
        StatusItem { extension: extension.into(), key: key.into(), text: Line::of(text, Role::Warning) }
    }
}

/// Where a widget stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Over the editor.
    Above,
    /// Between the editor and the status line.
    Below,
    /// Right of the transcript; over the editor where the screen is narrow.
    Side,
}

impl Place {
    pub const ALL: &'static [(&'static str, Place)] =
        &[("above", Place::Above), ("below", Place::Below), ("side", Place::Side)];
}

/// An element that stays on the screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Widget {
    pub extension: String,
    pub id: String,
    #[serde(rename = "pane")]
    pub place: Place,
    /// Rows at the most.
    pub height: u16,
    pub element: Element,
}

/// A pane or picker that can be opened by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneName {
    Sessions,
    Models,
    Thinking,
    Themes,
    Palette,
    Keys,
    Tools,
    Extensions,
    Prompts,
    Tree,
}

impl PaneName {
    pub const ALL: &'static [(&'static str, PaneName)] = &[
        ("sessions", PaneName::Sessions),
        ("models", PaneName::Models),
        ("thinking", PaneName::Thinking),
        ("themes", PaneName::Themes),
        ("help", PaneName::Palette),
        ("keys", PaneName::Keys),
        ("tools", PaneName::Tools),
        ("extensions", PaneName::Extensions),
        ("prompts", PaneName::Prompts),
        ("tree", PaneName::Tree),
    ];
}

/// A key that an extension binds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyBinding {
    pub extension: String,
    /// As in keymap.toml: `ctrl-x g`.
    pub keys: String,
    /// A context's name as in keymap.toml.
    pub when: String,
    pub does: KeyDoes,
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyDoes {
    /// An action, by its name in kebab case.
    Action(String),
    /// A command line: `/name arguments`.
    Line(String),
    /// A function, by what `Extensions::press` calls it.
    Function(i64),
}

/// A theme that an extension brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThemeDecl {
    pub name: String,
    /// The extension it comes from.
    pub origin: String,
    /// As in a theme file (TOML).
    pub text: String,
}

/// Something that may follow the name of a command, or an `@`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// What is put in the place of the arguments, or behind the `@`.
    pub value: String,
    pub description: String,
}

/// A call, as a renderer sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RenderCall {
    pub id: String,
    pub name: String,
    pub input: serde_json::Value,
    pub title: String,
    /// `running`, `done` or `error`.
    pub state: &'static str,
    /// Its output so far, or its result.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
    /// What the tool itself wants shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<serde_json::Value>,
    /// Seconds, when it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<f64>,
}

/// An element as items and widgets share it.
pub type Rendered = Arc<Element>;
