//! What can go wrong with a provider, for those who branch on it, and in words for those who read it.

use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// 401, 403, or no key at all.
    Auth,
    /// 404: no such model or route.
    NotFound,
    /// 400 and its like: the same request would fail again.
    BadRequest,
    /// The conversation does not fit the window.
    Overflow,
    /// The request has too many bytes (413), or pictures that the server does not take.
    TooLarge,
    /// 429.
    RateLimit,
    /// 408, 409, 5xx, 529, an error object inside the stream.
    Server,
    /// No connection, or one that broke.
    Connection,
    /// The stream ended before its end mark.
    Cut,
    /// Nothing came for too long.
    Idle,
    /// The answer is no event stream.
    NotAStream,
    /// A proxy, certificate, URL or header setting.
    Config,
}

impl ErrorKind {
    /// By its name in snake case.
    pub fn named(name: &str) -> Option<ErrorKind> {
        use ErrorKind::*;
        let all = [
            ("auth", Auth),
            ("not_found", NotFound),
            ("bad_request", BadRequest),
            ("overflow", Overflow),
            ("too_large", TooLarge),
            ("rate_limit", RateLimit),
            ("server", Server),
            ("connection", Connection),
            ("cut", Cut),
            ("idle", Idle),
            ("not_a_stream", NotAStream),
            ("config", Config),
        ];
        all.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }

    /// Whether trying again may help.
    pub fn retryable(self) -> bool {
        use ErrorKind::*;
        matches!(self, RateLimit | Server | Connection | Cut | Idle)
    }
}

/// A failed request. `Display` is one line for people: what happened, where, and what to do. It holds no key.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderError {
    pub kind: ErrorKind,
    pub message: String,
    pub status: Option<u16>,
    /// The full URL that was asked, without credentials.
    pub url: Option<String>,
    pub retry_after: Option<Duration>,
    /// Tokens of the model's window, where the server names them when something does not fit.
    pub window: Option<u64>,
}

impl ProviderError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        ProviderError { kind, message: message.into(), status: None, url: None, retry_after: None, window: None }
    }

    /// A smaller request may be taken.
    pub fn is_about_size(&self) -> bool {
        matches!(self.kind, ErrorKind::Overflow | ErrorKind::TooLarge)
    }

    /// With a further sentence on what to do.
    pub fn advised(self, advice: &str) -> Self {
        let told = self.message.trim_end_matches('.');
        ProviderError { message: format!("{told}. {advice}"), ..self }
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProviderError {}
