//! API keys: where they come from, and how they stay unseen.
//!
//! The order is that of providers.md: environment, `auth.json`, `api_key_command`, configuration. Blank keys are absent.
//! Nothing is read or run before a key is needed; a command runs once.

use super::Env;
use crate::provider::{ErrorKind, ProviderError};
use reqwest::header::HeaderValue;
use serde_json::Value;
use std::{fmt, path::PathBuf, sync::Arc};
use tokio::sync::OnceCell;

/// A key and where it comes from. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    value: String,
    /// For messages: `OPENAI_API_KEY`, `auth.json`, …
    pub source: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(from {})", self.source)
    }
}

impl Key {
    /// None for a blank value.
    pub fn new(value: &str, source: impl Into<String>) -> Option<Key> {
        let value = value.trim();
        (!value.is_empty()).then(|| Key { value: value.to_owned(), source: source.into() })
    }

    /// The header's value. Bytes that cannot be sent are an error without the value.
    pub fn header(&self, prefix: &str) -> Result<HeaderValue, ProviderError> {
        let plain = self.value.bytes().all(|b| b.is_ascii_graphic());
        let value = Some(format!("{prefix}{}", self.value)).filter(|_| plain);
        let mut value = value.and_then(|v| HeaderValue::from_str(&v).ok()).ok_or_else(|| {
            let message = format!("the API key from {} holds characters that cannot be sent: set it anew", self.source);
            ProviderError::new(ErrorKind::Auth, message)
        })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// No key was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// What to do: `set OPENAI_API_KEY`.
    pub advice: String,
}

/// Where the key of one provider may be.
#[derive(Clone)]
pub struct KeySource {
    /// The provider's name, which is the entry's in `auth.json`.
    pub provider: String,
    /// Variables, the first that is set counts.
    pub variables: Vec<String>,
    pub auth_file: PathBuf,
    pub command: Vec<String>,
    /// From the configuration.
    pub literal: Option<String>,
    /// Requests make no sense without a key.
    pub required: bool,
    pub env: Env,
    /// What the command printed.
    pub ran: Arc<OnceCell<Key>>,
}

impl KeySource {
    /// The key, if there is one. Runs the command if it comes to that.
    pub async fn find(&self) -> Result<Option<Key>, ProviderError> {
        if let Some(key) = self.stored() {
            return Ok(Some(key));
        }
        if !self.command.is_empty() {
            return self.ran.get_or_try_init(|| run(&self.command)).await.cloned().map(Some);
        }
        Ok(self.literal())
    }

    /// What is missing, as far as can be told without running anything.
    pub fn missing(&self) -> Option<MissingKey> {
        let there = !self.required || !self.command.is_empty() || self.stored().or_else(|| self.literal()).is_some();
        (!there).then(|| MissingKey { advice: self.advice() })
    }

    /// Whether a key is there, required or not (commands count).
    pub fn has_key(&self) -> bool {
        !self.command.is_empty() || self.stored().or_else(|| self.literal()).is_some()
    }

    pub fn missing_error(&self, url: &str) -> ProviderError {
        let message = format!("no API key for {}: {}", self.provider, self.advice());
        ProviderError { url: Some(url.to_owned()), ..ProviderError::new(ErrorKind::Auth, message) }
    }

    fn advice(&self) -> String {
        match self.variables.first() {
            Some(variable) => format!("set {variable}"),
            None => format!("set api_key_env in [providers.{}]", self.provider),
        }
    }

    fn stored(&self) -> Option<Key> {
        let from_env = |name: &String| Key::new(&(self.env)(name)?, name.clone());
        self.variables.iter().find_map(from_env).or_else(|| self.kept_in_file())
    }

    fn literal(&self) -> Option<Key> {
        Key::new(self.literal.as_deref()?, format!("[providers.{}] api_key", self.provider))
    }

    /// `{"NAME": "key"}` or `{"NAME": {"api_key": "key"}}`. A file that cannot be read has no keys.
    fn kept_in_file(&self) -> Option<Key> {
        let text = std::fs::read_to_string(&self.auth_file).ok()?;
        let file: Value = serde_json::from_str(&text).ok()?;
        let entry = file.get(&self.provider)?;
        let value = entry.as_str().or_else(|| entry.get("api_key")?.as_str()).or_else(|| entry.get("key")?.as_str())?;
        Key::new(value, "auth.json")
    }
}

/// Runs a command that prints a key. Errors name the command, never what it printed.
async fn run(command: &[String]) -> Result<Key, ProviderError> {
    let [program, arguments @ ..] = command else { return Err(command_failed("", "is empty")) };
    let mut child = tokio::process::Command::new(program);
    child
        .args(arguments)
        .env_remove("PANTO_SERVER_TOKEN")
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true);
    let output = child.output().await.map_err(|e| command_failed(program, &format!("cannot be run: {e}")))?;
    if !output.status.success() {
        return Err(command_failed(program, &format!("failed ({})", output.status)));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let first = printed.lines().next().unwrap_or_default();
    Key::new(first, format!("api_key_command `{program}`")).ok_or_else(|| command_failed(program, "printed no key"))
}

fn command_failed(program: &str, what: &str) -> ProviderError {
    ProviderError::new(ErrorKind::Auth, format!("api_key_command `{program}` {what}"))
}

#[cfg(test)]
mod tests;
