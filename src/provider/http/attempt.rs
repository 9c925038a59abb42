//! One attempt at a request: connect, see what kind of answer it is, and feed it to the decoder until it ends.

use super::{Inner, retry_after};
use crate::provider::{
    ErrorKind, EventStream, ModelSpec, ProviderError, StreamEvent,
    dialect::{self, Decode, Progress},
    refusal,
};
use crate::sse;
use crate::util::http::{root_cause, shown};
use bytes::Bytes;
use futures_util::stream;
use reqwest::Url;
use reqwest::{
    Response,
    header::{CONTENT_TYPE, HeaderMap},
};
use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::timeout;

/// Bytes of an error's body that are read, and of an answer that does not stream.
const ERROR_LIMIT: usize = 64 << 10;
const DOCUMENT_LIMIT: usize = 64 << 20;
/// How long figures may follow the stop reason, and an end mark the figures, on a connection that stays open.
const SETTLED_WAIT: Duration = Duration::from_secs(3);
/// How long the end of the body may follow the end mark; then the connection can be used again.
const DRAIN_WAIT: Duration = Duration::from_millis(20);

/// What each attempt sends.
#[derive(Clone)]
pub struct Wish {
    pub model: ModelSpec,
    pub body: Bytes,
    /// Beside those of the provider.
    pub headers: HeaderMap,
}

/// The events of one attempt; none of them is `Retrying`.
pub fn attempt(inner: Arc<Inner>, wish: Wish) -> EventStream {
    let decoder = dialect::decoder(inner.site.dialect, &wish.model);
    let attempt = Attempt { inner, wish, decoder, reader: None, url: None, queue: VecDeque::new(), over: false };
    Box::pin(stream::unfold(attempt, |mut attempt| async move {
        loop {
            if let Some(event) = attempt.queue.pop_front() {
                return Some((event, attempt));
            }
            if attempt.over {
                return None;
            }
            attempt.advance().await;
        }
    }))
}

struct Attempt {
    inner: Arc<Inner>,
    wish: Wish,
    decoder: Box<dyn Decode>,
    /// None before the response has come.
    reader: Option<Reader>,
    url: Option<Url>,
    queue: VecDeque<StreamEvent>,
    over: bool,
}

struct Reader {
    response: Response,
    shape: Shape,
    is_event_stream: bool,
    seen_events: bool,
}

/// What the body turned out to be.
enum Shape {
    /// Only blanks so far.
    Unknown,
    Events(sse::Decoder),
    Document(Vec<u8>),
}

impl Attempt {
    /// One step: connect, or read the next bytes. Puts events into the queue.
    async fn advance(&mut self) {
        let mut out = Vec::new();
        match self.reader.take() {
            None => match self.connect().await {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => self.decoder.fail(error, &mut out),
            },
            Some(reader) => self.read(reader, &mut out).await,
        }
        self.over = self.decoder.progress() == Progress::Ended;
        if self.over
            && let Some(mut reader) = self.reader.take()
        {
            // Whatever comes or does not come: the answer is complete.
            let _ = timeout(DRAIN_WAIT, reader.response.chunk()).await;
        }
        let url = self.url.as_ref().map(shown);
        self.queue.extend(out.into_iter().map(|event| located(event, url.as_deref())));
    }

    fn idle(&self) -> Duration {
        match self.decoder.progress() {
            Progress::Settled => SETTLED_WAIT,
            _ => Duration::from_secs(self.inner.site.network.idle_timeout.max(1)),
        }
    }

    fn silence(&self) -> ProviderError {
        let seconds = self.inner.site.network.idle_timeout;
        ProviderError::new(ErrorKind::Idle, format!("the server has been silent for {seconds} s"))
    }

    async fn connect(&mut self) -> Result<Reader, ProviderError> {
        let url = self.inner.url(dialect::endpoint(self.inner.site.dialect))?;
        self.url = Some(url.clone());
        let mut headers = self.inner.headers(&url).await?;
        headers.extend(self.wish.headers.clone());
        let client = self.inner.client.get(&url)?;
        let sent = client.post(url.clone()).headers(headers).body(self.wish.body.clone()).send();
        let response = timeout(self.idle(), sent).await.map_err(|_| self.silence())?;
        let response = response.map_err(|e| connection_error(&e, &url))?;
        let response = accepted(response, &url).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let kind = kind.trim().to_ascii_lowercase();
        if kind.starts_with("text/html") {
            return Err(not_a_stream(response.status().as_u16(), &url, NOT_A_STREAM));
        }
        let is_event_stream = kind.starts_with("text/event-stream");
        let shape = if kind.contains("json") { Shape::Document(Vec::new()) } else { Shape::Unknown };
        Ok(Reader { response, shape, is_event_stream, seen_events: false })
    }

    async fn read(&mut self, mut reader: Reader, out: &mut Vec<StreamEvent>) {
        match timeout(self.idle(), reader.response.chunk()).await {
            Ok(Ok(Some(bytes))) => match self.take(&mut reader, &bytes, out) {
                Ok(()) => self.reader = Some(reader),
                Err(error) => self.decoder.fail(error, out),
            },
            Ok(Ok(None)) => self.end(reader, out),
            Ok(Err(error)) => {
                let message = format!("the connection broke: {}", root_cause(&error));
                self.decoder.fail(ProviderError::new(ErrorKind::Cut, message), out);
            }
            Err(_) => self.decoder.fail(self.silence(), out),
        }
    }

    fn take(&mut self, reader: &mut Reader, bytes: &[u8], out: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        if let Shape::Unknown = reader.shape {
            let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
            match first {
                None => return Ok(()),
                Some(b'<') => return Err(self.no_stream(reader)),
                Some(b'{' | b'[') => reader.shape = Shape::Document(Vec::new()),
                Some(_) => reader.shape = Shape::Events(sse::Decoder::new()),
            }
        }
        match &mut reader.shape {
            Shape::Unknown => Ok(()),
            Shape::Document(text) if text.len() + bytes.len() > DOCUMENT_LIMIT => Err(self.no_stream(reader)),
            Shape::Document(text) => {
                text.extend_from_slice(bytes);
                Ok(())
            }
            Shape::Events(events) => {
                let (decoder, seen) = (&mut self.decoder, &mut reader.seen_events);
                let fed = events.feed(bytes, &mut |event| {
                    *seen = true;
                    decoder.event(event, out);
                });
                fed.map_err(|e| ProviderError::new(ErrorKind::NotAStream, e.to_string()))
            }
        }
    }

    /// The body is over.
    fn end(&mut self, reader: Reader, out: &mut Vec<StreamEvent>) {
        match &reader.shape {
            Shape::Document(text) => {
                let text = String::from_utf8_lossy(text);
                if !self.decoder.document(&text, out) {
                    self.decoder.fail(self.no_stream(&reader), out);
                }
            }
            _ if !reader.seen_events && !reader.is_event_stream => self.decoder.fail(self.no_stream(&reader), out),
            _ => self.decoder.finish(out),
        }
    }

    fn no_stream(&self, reader: &Reader) -> ProviderError {
        let status = reader.response.status().as_u16();
        not_a_stream(status, reader.response.url(), NOT_A_STREAM)
    }
}

const NOT_A_STREAM: &str = "is not an event stream";

/// The response, if its status is a good one.
async fn accepted(mut response: Response, url: &Url) -> Result<Response, ProviderError> {
    let status = response.status().as_u16();
    if response.status().is_success() {
        return Ok(response);
    }
    let asked = shown(url);
    if response.status().is_redirection() {
        let message = format!("{status} from {asked}: the server sends elsewhere: check base URL");
        return Err(ProviderError { status: Some(status), ..ProviderError::new(ErrorKind::Config, message) });
    }
    let wait = retry_after::from_headers(response.headers(), SystemTime::now());
    let mut body = Vec::new();
    while let Ok(Ok(Some(bytes))) = timeout(Duration::from_secs(5), response.chunk()).await {
        body.extend_from_slice(&bytes);
        if body.len() > ERROR_LIMIT {
            break;
        }
    }
    let body = String::from_utf8_lossy(&body);
    let error = refusal::from_status(status, &body, &asked);
    let error = if refusal::looks_like_html(&body) { page(error) } else { error };
    Err(ProviderError { retry_after: wait.or(error.retry_after), ..error })
}

/// An error status with a web page as its body: most likely not the API at all.
fn page(error: ProviderError) -> ProviderError {
    tracing::debug!(status = error.status, "a web page instead of an error object");
    ProviderError { message: format!("{}: not an event stream: check base URL", error.message), ..error }
}

pub fn not_a_stream(status: u16, url: &Url, what: &str) -> ProviderError {
    let message = match what {
        NOT_A_STREAM => format!("{status} from {}: not an event stream: check base URL", shown(url)),
        what => format!("{status} from {}: the answer {what}: check base URL", shown(url)),
    };
    ProviderError { status: Some(status), ..ProviderError::new(ErrorKind::NotAStream, message) }
}

/// No connection, or one that broke before the response.
pub fn connection_error(error: &reqwest::Error, url: &Url) -> ProviderError {
    let cause = root_cause(error);
    let certificate = cause.to_ascii_lowercase().contains("certificate");
    let kind = if certificate { ErrorKind::Config } else { ErrorKind::Connection };
    let advice = match url.host_str() {
        _ if certificate => ". SSL_CERT_FILE may name further certificates",
        Some("localhost" | "127.0.0.1" | "[::1]") if error.is_connect() => ". Is the server running?",
        _ => "",
    };
    let what = if error.is_timeout() { "no connection in time".to_owned() } else { cause };
    ProviderError::new(kind, format!("cannot reach {}: {what}{advice}", shown(url)))
}

/// Failures say where.
fn located(event: StreamEvent, url: Option<&str>) -> StreamEvent {
    match event {
        StreamEvent::Failed { mut error, partial } => {
            error.url = error.url.or_else(|| url.map(str::to_owned));
            StreamEvent::Failed { error, partial }
        }
        other => other,
    }
}
