//! API keys: where they come from, and how they stay unseen.
//!
//! The order is that of providers.md: a key that was given for this one purpose, environment, system keyring or
//! `auth.json`, `api_key_command`, configuration. Blank keys are absent. Nothing is read, unlocked or run before a key is
//! needed; a command runs once.

mod command;

use super::Env;
use crate::provider::auth::{self, Kept};
use crate::provider::{ErrorKind, ProviderError};
use reqwest::header::HeaderValue;
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

    /// The text without the key in it.
    pub fn taken_out_of(&self, text: &str) -> String {
        without(text, &self.value)
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

/// The text without a secret in it: servers like to repeat what they refuse. What is shorter than any key is a word.
pub fn without(text: &str, secret: &str) -> String {
    if secret.len() < 8 { text.to_owned() } else { text.replace(secret, "(secret)") }
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
    /// Tried before all others: a key that is being checked.
    pub given: Option<String>,
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
    /// The key, if there is one. Asks the keyring or runs the command if it comes to that.
    pub async fn find(&self) -> Result<Option<Key>, ProviderError> {
        if let Some(key) = self.given().or_else(|| self.in_env()) {
            return Ok(Some(key));
        }
        match self.kept() {
            Some(Kept::Key(key)) => return Ok(Key::new(&key, "auth.json")),
            Some(Kept::Keyring) => return self.in_keyring().await.map(Some),
            None => {}
        }
        if !self.command.is_empty() {
            return self.ran.get_or_try_init(|| command::run(&self.command)).await.cloned().map(Some);
        }
        Ok(self.literal())
    }

    /// What is missing, as far as can be told without running anything.
    pub fn missing(&self) -> Option<MissingKey> {
        let there = !self.required || self.has_key();
        (!there).then(|| MissingKey { advice: self.advice() })
    }

    /// Whether a key is there, required or not (commands count).
    pub fn has_key(&self) -> bool {
        self.origins().next().is_some()
    }

    /// Where keys are, the one that counts first; none of them is read from a keyring or a command.
    pub fn origins(&self) -> impl Iterator<Item = String> {
        let kept = self.kept().map(|kept| match kept {
            Kept::Key(_) => auth::Place::File.to_string(),
            Kept::Keyring => auth::Place::Keyring.to_string(),
        });
        let command = self.command.first().map(|program| command::name(program));
        let set = self.variables.iter().filter_map(|name| self.variable(name)).map(|key| key.source);
        let set: Vec<String> = self.given().map(|key| key.source).into_iter().chain(set).collect();
        set.into_iter().chain(kept).chain(command).chain(self.literal().map(|key| key.source))
    }

    pub fn missing_error(&self, url: &str) -> ProviderError {
        let message = format!("no API key for {}: {}", self.provider, self.advice());
        ProviderError { url: Some(url.to_owned()), ..ProviderError::new(ErrorKind::Auth, message) }
    }

    fn advice(&self) -> String {
        match self.variables.first() {
            Some(variable) => format!("set {variable}, or `panto login {}`", self.provider),
            None => format!("`panto login {}`, or api_key_env in [providers.{0}]", self.provider),
        }
    }

    fn given(&self) -> Option<Key> {
        Key::new(self.given.as_deref()?, "this login")
    }

    fn variable(&self, name: &str) -> Option<Key> {
        Key::new(&(self.env)(name)?, name)
    }

    fn in_env(&self) -> Option<Key> {
        self.variables.iter().find_map(|name| self.variable(name))
    }

    fn literal(&self) -> Option<Key> {
        Key::new(self.literal.as_deref()?, format!("[providers.{}] api_key", self.provider))
    }

    /// What `panto login` has kept.
    fn kept(&self) -> Option<Kept> {
        auth::read(&self.auth_file, &self.provider)
    }

    async fn in_keyring(&self) -> Result<Key, ProviderError> {
        let failed = |why: String| {
            let words = format!("no API key for {0}: {why}; `panto login {0}` keeps one anew", self.provider);
            ProviderError::new(ErrorKind::Auth, words)
        };
        let key = auth::from_keyring(&self.provider).await.map_err(failed)?;
        Key::new(&key, auth::Place::Keyring.to_string()).ok_or_else(|| failed("the kept key is blank".into()))
    }
}

#[cfg(test)]
mod tests;
