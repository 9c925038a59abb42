//! Configuration: raw layers (built-in, user, project, environment, flags) become one resolved `Options`.
//!
//! `load` reads the layers as trees whose values know their file and line (`tree`), merges them and types them once
//! (`read`), so that an error names key, file, line and the nearest known key, and `panto config --show-origin` can
//! say where each value comes from. The built-in layer is `Options::default()`; `assets/config.toml` documents it, and at
//! run time nothing but its comments is read (`words`). `settings` changes the user's file for a person who looks at them
//! all, `edit` its text. `trust` decides whether a project's settings and code count, `instructions` gathers what
//! files tell the model.

mod edit;
mod instructions;
mod load;
mod options;
mod origin;
mod read;
mod rules;
mod settings;
mod tree;
mod trust;
mod words;

pub use instructions::{SystemPrompt, instruction_files};
pub use load::{FILE, Flags, Layers, PROJECT, Resolved, Setting, load};
pub use options::*;
pub use origin::{ConfigError, Origin};
pub use read::nearest;
pub use settings::{Change, Changed, Kind, SettingRow, Settings};
pub use tree::Value;
pub use trust::{INSTRUCTIONS, Question, Trust, TrustFile};
