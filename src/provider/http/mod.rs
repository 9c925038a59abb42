//! Requests over HTTP: one provider, its client, its key, and the loop that turns bytes into events.
//!
//! A client is built when it is first needed and then kept, since certificates cost start-up time; plain `http` never
//! loads any. Dropping the stream drops the response, which closes the connection.

mod ask;
mod attempt;
mod body;
mod client;
mod key;
mod retry_after;
mod rhythm;
mod told;
mod unpack;
mod url;

pub use crate::util::http::Env;
use key::Key;
pub use key::KeySource;

use super::{
    Backoff, ErrorKind, EventStream, Provider, ProviderError, Request, dialect,
    retry::{self, Policy},
};
use crate::config::{Dialect, Network};
use crate::util::http::shown;
use client::LazyClient;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Where a provider is and how to speak to it.
#[derive(Debug, Clone)]
pub struct Site {
    /// The provider's name.
    pub name: String,
    pub dialect: Dialect,
    pub base_url: String,
    pub headers: BTreeMap<String, String>,
    pub network: Network,
}

/// A provider over HTTP. Clones share the client.
#[derive(Clone)]
pub struct HttpProvider {
    inner: Arc<Inner>,
}

struct Inner {
    site: Site,
    key: KeySource,
    client: LazyClient,
    backoff: Backoff,
    /// The key of the last request, for taking it out of what servers say.
    sent: Mutex<Option<Key>>,
}

impl HttpProvider {
    pub fn new(site: Site, key: KeySource, env: Env) -> Self {
        let client = LazyClient::new(site.network.clone(), env);
        let (backoff, sent) = (Backoff::default(), Mutex::default());
        HttpProvider { inner: Arc::new(Inner { site, key, client, backoff, sent }) }
    }
}

impl Inner {
    fn url(&self, tail: &str) -> Result<Url, ProviderError> {
        url::join(&self.site.base_url, self.site.dialect, tail).map_err(|what| {
            let message = format!("base_url of provider {}: {what}", self.site.name);
            ProviderError::new(ErrorKind::Config, message)
        })
    }

    async fn headers(&self, url: &Url) -> Result<HeaderMap, ProviderError> {
        let mut headers = HeaderMap::new();
        let fixed = [("content-type", "application/json"), ("accept", "text/event-stream, application/json")];
        for (name, value) in fixed.iter().chain(dialect::fixed_headers(self.site.dialect)) {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        let key = self.key.find().await?;
        if let Some(key) = &key {
            let (name, prefix) = dialect::key_header(self.site.dialect);
            headers.insert(name, key.header(prefix)?);
        } else if self.key.required {
            return Err(self.key.missing_error(&shown(url)));
        }
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner) = key;
        for (name, value) in &self.site.headers {
            let (name, value) = self.configured_header(name, value)?;
            headers.insert(name, value);
        }
        headers.insert("accept-encoding", HeaderValue::from_static("identity"));
        Ok(headers)
    }

    /// The error without keys, header values and what the URL holds of them, whatever the server has repeated.
    fn without_secrets(&self, error: ProviderError) -> ProviderError {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let message = sent.map_or_else(|| error.message.clone(), |key| key.taken_out_of(&error.message));
        let given =
            self.site.headers.values().map(|value| value.trim().to_owned()).chain(url::secrets(&self.site.base_url));
        let message = given.fold(message, |text, secret| key::without(&text, &secret));
        ProviderError { message, ..error }
    }

    fn configured_header(&self, name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ProviderError> {
        let bad = || {
            let message =
                format!("header `{name}` of provider {} cannot be sent: it holds illegal characters", self.site.name);
            ProviderError::new(ErrorKind::Config, message)
        };
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
        value.set_sensitive(true);
        Ok((parsed, value))
    }
}

/// The headers of one request's own.
fn extra_headers(given: &[(String, String)]) -> HeaderMap {
    let parsed = |(name, value): &(String, String)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_str(value.trim()).ok()?))
    };
    given.iter().filter_map(parsed).collect()
}

impl Provider for HttpProvider {
    fn stream(&self, request: Request) -> EventStream {
        let inner = self.inner.clone();
        let body = bytes::Bytes::from(dialect::encode(inner.site.dialect, &request));
        let wish = attempt::Wish { model: request.model, body, headers: extra_headers(&request.headers) };
        let (policy, backoff) = (Policy::of(&self.inner.site.network), self.inner.backoff.clone());
        retry::retrying(policy, backoff, move || attempt::attempt(inner.clone(), wish.clone()))
    }
}
