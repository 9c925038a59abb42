//! Keys from the user's side: whose are there, keeping a new one, forgetting one.

use super::{AD_HOC, FAUX, Providers, Settings};
use crate::provider::{
    ErrorKind, ProviderError,
    auth::{self, Place},
    http::{HttpProvider, KeySource},
};
use std::{fmt, path::PathBuf};

/// A provider and its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub provider: String,
    /// Where keys are, the one that counts first; no values.
    pub origins: Vec<String>,
    /// Requests make no sense without one.
    pub required: bool,
    /// `panto login` has kept one.
    pub kept: bool,
}

/// What has become of a login. `Display` is for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedIn {
    pub provider: String,
    pub place: Place,
    /// The server has taken the key; else it has no way to ask, or nobody asked.
    pub checked: bool,
    /// What counts before the kept key.
    pub before: Option<String>,
}

impl fmt::Display for LoggedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoggedIn { provider, place, .. } = self;
        let how = if self.checked { "the key works" } else { "the key was not checked" };
        write!(f, "{provider}: {how}; it is kept in {place}")?;
        match &self.before {
            Some(origin) => write!(f, " (but {origin} is set and counts before it)"),
            None => Ok(()),
        }
    }
}

const NOTHING_KEPT: &str = "; nothing was kept (`panto login --no-check` keeps a key as it is)";

impl Providers {
    /// All providers with their keys.
    pub fn keys(&self) -> Vec<KeyRow> {
        let row = |name: String| {
            let settings = self.settings(&name).ok()??;
            let kept = settings.stored_key && auth::read(&self.auth_file, &name).is_some();
            let origins = self.key_source(&settings).origins().collect();
            Some(KeyRow { provider: name, origins, required: settings.key_required, kept })
        };
        self.names().into_iter().filter_map(row).collect()
    }

    /// Checks a key against its server and keeps it. `check: false` keeps it as it is; `keyring: false` keeps it in the file.
    pub async fn login(
        &self,
        provider: &str,
        key: &str,
        check: bool,
        keyring: bool,
    ) -> Result<LoggedIn, ProviderError> {
        let settings = self.login_settings(provider)?;
        let key = key.trim();
        if key.is_empty() {
            return Err(ProviderError::new(ErrorKind::Auth, "the key is blank; nothing was changed"));
        }
        let checked = match check {
            true => self.check(&settings, key).await?,
            false => false,
        };
        let place = auth::keep(&self.auth_file, provider, key, keyring).await.map_err(|e| self.file_error(&e))?;
        let first = self.key_source(&settings).origins().next();
        let before = first.filter(|origin| *origin != place.to_string());
        Ok(LoggedIn { provider: provider.to_owned(), place, checked, before })
    }

    /// Forgets a key that a login has kept. The text says so, and what counts now.
    pub async fn logout(&self, provider: &str) -> Result<String, ProviderError> {
        let removed = auth::remove(&self.auth_file, provider).await.map_err(|e| self.file_error(&e))?;
        let rest = self.settings(provider).ok().flatten().and_then(|s| self.key_source(&s).origins().next());
        let rest = rest.map(|origin| format!("; the key from {origin} counts on")).unwrap_or_default();
        match removed {
            true => Ok(format!("the key of {provider} is forgotten{rest}")),
            false => {
                let kept = auth::all(&self.auth_file);
                let others = if kept.is_empty() { "none is".to_owned() } else { format!("kept: {}", kept.join(" ")) };
                let message = format!("no key of {provider} is kept ({others}){rest}");
                Err(ProviderError::new(ErrorKind::NotFound, message))
            }
        }
    }

    /// Providers that a login has kept a key for.
    pub fn kept_keys(&self) -> Vec<String> {
        auth::all(&self.auth_file)
    }

    fn login_settings(&self, provider: &str) -> Result<Settings, ProviderError> {
        let config = |message: String| ProviderError::new(ErrorKind::Config, message);
        if provider == FAUX {
            return Err(config("the demo needs no key".into()));
        }
        if provider == AD_HOC {
            return Err(config("the key of `env` is PANTO_API_KEY; name a provider to keep a key".into()));
        }
        let settings = self.settings(provider).map_err(|e| config(e.to_string()))?;
        let settings = settings.ok_or_else(|| config(self.unknown_provider(provider).to_string()))?;
        match settings.stored_key {
            true => Ok(settings),
            false => Err(config(format!("{provider} is an extension's here, and takes no kept key"))),
        }
    }

    /// Whether the server takes the key; false where it cannot say. Refused and unreachable are errors.
    async fn check(&self, settings: &Settings, key: &str) -> Result<bool, ProviderError> {
        let given = KeySource {
            given: Some(key.to_owned()),
            variables: vec![],
            auth_file: PathBuf::new(),
            command: vec![],
            literal: None,
            ..self.key_source(settings)
        };
        let asked = HttpProvider::new(self.site(settings), given, self.env.clone());
        match asked.check().await {
            Ok(()) => Ok(true),
            // There is a server, but no list of models: it cannot be asked for less than an answer.
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::NotAStream) => Ok(false),
            Err(error) if error.status == Some(405) => Ok(false),
            Err(error) => {
                let words = if error.kind == ErrorKind::Auth { "" } else { "the key cannot be checked: " };
                let message = format!("{words}{}{NOTHING_KEPT}", error.message);
                Err(ProviderError { message, ..error })
            }
        }
    }

    fn file_error(&self, error: &std::io::Error) -> ProviderError {
        ProviderError::new(ErrorKind::Config, format!("{}: {error}", self.auth_file.display()))
    }
}
