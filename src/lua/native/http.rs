//! Requests for scripts: any method and body, an answer read whole or in chunks, bounded in time and size.
//!
//! Dropping a future or an answer closes its connection. Errors name the address without user, password and query.

use crate::util::http::{self, Env, Settings, root_cause, shown};
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, Url};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Redirects that are followed where a request doesn't say otherwise.
const REDIRECTS: usize = 10;

/// What to ask for.
#[derive(Debug, Clone)]
pub struct Request {
    pub url: Url,
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Option<Vec<u8>>,
    pub redirects: bool,
    /// From the start to the last byte.
    pub timeout: Option<Duration>,
    /// Without a single byte.
    pub idle_timeout: Duration,
    /// A longer body is an error.
    pub max_bytes: u64,
}

/// The clients, each built when it is first needed.
pub struct Http {
    env: Env,
    connect_timeout: Duration,
    following: OnceLock<Result<Client, String>>,
    staying: OnceLock<Result<Client, String>>,
}

impl Http {
    pub fn new(env: Env, connect_timeout: Duration) -> Self {
        Http { env, connect_timeout, following: OnceLock::new(), staying: OnceLock::new() }
    }

    /// Reads certificates: not on a thread that must not wait.
    pub fn client(&self, redirects: bool) -> Result<Client, String> {
        let (cell, redirects) = if redirects { (&self.following, REDIRECTS) } else { (&self.staying, 0) };
        let settings = Settings { connect_timeout: self.connect_timeout, redirects, plain: false };
        cell.get_or_init(|| http::client(settings, &self.env)).clone()
    }
}

/// An answer whose head has come.
pub struct Answer {
    response: Response,
    limits: Limits,
    read: u64,
}

struct Limits {
    deadline: Option<Instant>,
    timeout: Option<Duration>,
    idle: Duration,
    bytes: u64,
    /// The address as errors show it.
    place: String,
}

impl Limits {
    /// `work`, or the error that says which time is up.
    async fn watch<T>(&self, work: impl Future<Output = reqwest::Result<T>>) -> Result<T, String> {
        let idle = timeout(self.idle, work);
        let result = match self.deadline {
            Some(deadline) => timeout_at(deadline, idle).await.map_err(|_| {
                self.error(format!("not done after {} s (`timeout`)", self.timeout.unwrap_or_default().as_secs_f64()))
            })?,
            None => idle.await,
        };
        let silent = |_| self.error(format!("silent for {} s (`idle_timeout`)", self.idle.as_secs_f64()));
        result.map_err(silent)?.map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() && error.is_connect() {
            return self.error("no connection in time");
        }
        let cause = root_cause(error);
        let certificate = cause.to_ascii_lowercase().contains("certificate");
        let advice = if certificate { " (SSL_CERT_FILE may name further certificates)" } else { "" };
        self.error(format!("{cause}{advice}"))
    }

    fn error(&self, problem: impl std::fmt::Display) -> String {
        format!("{}: {problem}", self.place)
    }
}

impl Request {
    /// Sends it; resolves when the head of the answer is there.
    pub async fn send(self, client: Client) -> Result<Answer, String> {
        let limits = Limits {
            deadline: self.timeout.and_then(|t| Instant::now().checked_add(t)),
            timeout: self.timeout,
            idle: self.idle_timeout,
            bytes: self.max_bytes,
            place: shown(&self.url),
        };
        let mut request = client.request(self.method, self.url).headers(self.headers);
        if let Some(body) = self.body {
            request = request.body(body);
        }
        let response = limits.watch(request.send()).await?;
        Ok(Answer { response, limits, read: 0 })
    }
}

impl Answer {
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Where it came from, after redirects.
    pub fn url(&self) -> String {
        self.response.url().to_string()
    }

    /// By lower-case name; what comes several times is joined by `, `.
    pub fn headers(&self) -> Vec<(String, Vec<u8>)> {
        let all = self.response.headers();
        let joined = |name: &HeaderName| {
            let values: Vec<&[u8]> = all.get_all(name).iter().map(HeaderValue::as_bytes).collect();
            (name.as_str().to_owned(), values.join(&b", "[..]))
        };
        all.keys().map(joined).collect()
    }

    /// The next bytes as they arrive; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        let chunk = self.limits.watch(self.response.chunk()).await?;
        self.read += chunk.as_ref().map_or(0, |c| c.len() as u64);
        match self.read > self.limits.bytes {
            true => Err(self.limits.error(format!(
                "the answer is longer than {} bytes: raise `max_bytes`, or take it in pieces with panto.http.stream",
                self.limits.bytes
            ))),
            false => Ok(chunk),
        }
    }

    /// The whole body.
    pub async fn body(mut self) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// A header that can be sent, or what is wrong with it; its value is never shown.
pub fn header(name: &str, value: &[u8]) -> Result<(HeaderName, HeaderValue), String> {
    let named =
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} can't be the name of a header"))?;
    let value = HeaderValue::from_bytes(value)
        .map_err(|_| format!("the value of header `{name}` holds line breaks or control characters"))?;
    Ok((named, value))
}

/// An address that can be asked, or what is wrong with it.
pub fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|e| format!("`url` is none ({e}): write http://… or https://…"))?;
    match matches!(url.scheme(), "http" | "https") && url.host_str().is_some() {
        true => Ok(url),
        false => Err("`url` must begin with http:// or https:// and a host".into()),
    }
}
