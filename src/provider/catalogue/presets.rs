//! The providers that ship: where they are, what their key is called, how they deviate.

use crate::config::{Dialect, Quirks};

#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    pub dialect: Dialect,
    pub base_url: &'static str,
    /// Variables that may hold the key; the first is the one to recommend.
    pub variables: &'static [&'static str],
    pub key_required: bool,
    pub quirks: fn() -> Quirks,
}

/// What a provider has that is no preset.
pub const NONE: Preset = local("", "");

pub const ALL: [Preset; 13] = [
    Preset {
        dialect: Dialect::AnthropicMessages,
        ..remote("anthropic", "https://api.anthropic.com", &["ANTHROPIC_API_KEY"])
    },
    Preset { dialect: Dialect::OpenaiResponses, ..remote("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"]) },
    remote("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"]),
    remote("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    Preset { quirks: deepseek, ..remote("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"]) },
    Preset { quirks: mistral, ..remote("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"]) },
    remote("xai", "https://api.x.ai/v1", &["XAI_API_KEY"]),
    remote("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", &["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    local("ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "http://127.0.0.1:1234/v1"),
    local("llamacpp", "http://127.0.0.1:8080/v1"),
    Preset { variables: &["VLLM_API_KEY"], ..local("vllm", "http://127.0.0.1:8000/v1") },
    Preset { variables: &["LITELLM_API_KEY"], ..local("litellm", "http://127.0.0.1:4000/v1") },
];

const fn remote(name: &'static str, base_url: &'static str, variables: &'static [&'static str]) -> Preset {
    Preset { name, dialect: Dialect::OpenaiChat, base_url, variables, key_required: true, quirks: none }
}

const fn local(name: &'static str, base_url: &'static str) -> Preset {
    Preset { name, dialect: Dialect::OpenaiChat, base_url, variables: &[], key_required: false, quirks: none }
}

fn none() -> Quirks {
    Quirks::default()
}

/// Wants the reasoning of the turn back, and takes no level.
fn deepseek() -> Quirks {
    Quirks { echo_reasoning: Some(true), no_thinking: Some(true), ..Quirks::default() }
}

/// Refuses fields that it does not know.
fn mistral() -> Quirks {
    Quirks { no_stream_options: Some(true), no_thinking: Some(true), ..Quirks::default() }
}

pub fn find(name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|p| p.name == name)
}

/// Where the inventors of a dialect serve it.
pub fn official(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::AnthropicMessages => "https://api.anthropic.com",
        Dialect::OpenaiChat | Dialect::OpenaiResponses => "https://api.openai.com/v1",
    }
}
