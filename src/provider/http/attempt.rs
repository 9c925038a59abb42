//! One attempt at a request: connect, see what kind of answer it is, and feed it to the decoder until it ends.

use super::{
    Inner,
    body::{Body, Wrong},
    retry_after,
    rhythm::Rhythm,
    unpack::Unpack,
};
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
    header::{HeaderMap, LOCATION},
};
use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::timeout;

/// Bytes of an error's body that are read.
const ERROR_LIMIT: usize = 64 << 10;
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
    // Boxed, since each event moves it.
    Box::pin(stream::unfold(Box::new(attempt), |mut attempt| async move {
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
    reader: Option<Box<Reader>>,
    url: Option<Url>,
    queue: VecDeque<StreamEvent>,
    over: bool,
}

struct Reader {
    response: Response,
    body: Body,
    rhythm: Rhythm,
}

impl Attempt {
    /// One step: connect, or read the next bytes. Puts events into the queue.
    async fn advance(&mut self) {
        let mut out = Vec::new();
        match self.reader.take() {
            None => match self.connect().await {
                Ok(reader) => self.reader = Some(Box::new(reader)),
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
        let (url, inner) = (self.url.as_ref(), &self.inner);
        self.queue.extend(out.into_iter().map(|event| located(event, url, inner)));
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
        let body = Body::new(response.headers());
        Ok(Reader { response, body, rhythm: Rhythm::default() })
    }

    async fn read(&mut self, mut reader: Box<Reader>, out: &mut Vec<StreamEvent>) {
        let piece = reader.rhythm.next(reader.response.chunk());
        match timeout(self.idle(), piece).await {
            Ok(Ok(Some(bytes))) => match reader.body.take(&bytes, self.decoder.as_mut(), out) {
                Ok(()) => self.reader = Some(reader),
                Err(wrong) => self.decoder.fail(failure(wrong, &reader.response), out),
            },
            Ok(Ok(None)) => {
                let Reader { response, body, .. } = *reader;
                if let Err(wrong) = body.end(self.decoder.as_mut(), out) {
                    self.decoder.fail(failure(wrong, &response), out);
                }
            }
            Ok(Err(error)) => {
                let message = format!("the connection broke: {}", root_cause(&error));
                self.decoder.fail(ProviderError::new(ErrorKind::Cut, message), out);
            }
            Err(_) => self.decoder.fail(self.silence(), out),
        }
    }
}

/// Why an answer is none, in words that say what to do.
fn failure(wrong: Wrong, response: &Response) -> ProviderError {
    let (status, url) = (response.status().as_u16(), response.url());
    let no_stream = |what: &str| not_a_stream(status, url, what);
    let at = || format!("{status} from {}", shown(url));
    match wrong {
        Wrong::NotAStream => no_stream(NOT_A_STREAM),
        Wrong::Empty { was_stream: false } => no_stream("is empty"),
        Wrong::Empty { was_stream: true } => {
            let why = "its log says why; some do so when the request is larger than their window";
            ProviderError::new(ErrorKind::Cut, format!("{}: the server sent an empty answer: {why}", at()))
        }
        Wrong::TooLarge => ProviderError::new(ErrorKind::NotAStream, format!("{}: {}", at(), sse::TooLarge)),
        Wrong::Words(words) => ProviderError::new(ErrorKind::Server, format!("{}: {words}", at())),
        Wrong::Packed(name) => no_stream(&format!("is packed ({name}), although a plain one was asked for")),
        Wrong::Broken(why) => ProviderError::new(ErrorKind::Cut, format!("{}: the packed answer broke: {why}", at())),
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
        let to = response.headers().get(LOCATION).and_then(|to| url.join(to.to_str().ok()?).ok());
        let to = to.map(|to| format!(" to {}", shown(&to))).unwrap_or_default();
        let message = format!("{status} from {asked}: the server sends elsewhere{to}: check base URL");
        return Err(ProviderError { status: Some(status), ..ProviderError::new(ErrorKind::Config, message) });
    }
    let wait = retry_after::from_headers(response.headers(), SystemTime::now());
    let (mut unpack, mut body) = (Unpack::new(response.headers()), Vec::new());
    while let Ok(Ok(Some(bytes))) = timeout(Duration::from_secs(5), response.chunk()).await {
        let taken = unpack.take(&bytes, &mut |plain| {
            body.extend_from_slice(plain);
            Ok(())
        });
        if taken.is_err() || body.len() > ERROR_LIMIT {
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

/// Failures say where, and keep secrets.
fn located(event: StreamEvent, url: Option<&Url>, inner: &Inner) -> StreamEvent {
    match event {
        StreamEvent::Failed { error, partial } => {
            let mut error = inner.without_secrets(error);
            tracing::debug!(provider = inner.site.name, "{error}");
            error.url = error.url.or_else(|| url.map(shown));
            StreamEvent::Failed { error, partial }
        }
        other => other,
    }
}
