//! What a server says when it refuses, in whatever shape, as a `ProviderError`.
//!
//! Error objects come in the body of a bad status, inside a stream with status 200, with a number, a numeric string or
//! a word as their code. All of that is decided here, so that a failure means the same wherever it was found.

mod size;

use super::{ErrorKind, ProviderError};
use crate::util::text::{one_line, truncate};
use serde_json::Value;
use std::time::Duration;

/// Characters of a server's own words that are shown.
const QUOTED: usize = 300;

/// A server's own words: one line, no control characters, short.
pub fn quoted(words: &str) -> String {
    truncate(&one_line(words), QUOTED)
}

/// The error of a status code and the body that came with it. `asked` says what was asked, for the message.
pub fn from_status(status: u16, body: &str, asked: &str) -> ProviderError {
    let said = Said::parse(body);
    let kind = said.kind(Some(status));
    let message = match (said.words.as_str(), advice(kind)) {
        ("", advice) => format!("{status} from {asked}{advice}"),
        (words, advice) => format!("{status} from {asked}: {words}{advice}"),
    };
    let (status, window) = (Some(status), said.window_for(kind));
    ProviderError { status, window, retry_after: said.retry_after, ..ProviderError::new(kind, message) }
}

/// The error of an object inside a stream: `{"message", "code" | "type"}`, a text, or an object that holds one as `error`.
pub fn from_value(error: &Value) -> ProviderError {
    let said = Said::of(error);
    let kind = said.kind(said.code.parse().ok());
    let words = if said.words.is_empty() { "the server gave no reason" } else { said.words.as_str() };
    let message = match said.code.as_str() {
        "" => format!("the server reports an error: {words}"),
        code => format!("the server reports an error ({code}): {words}"),
    };
    let status = said.code.parse().ok().filter(|code| (400..600).contains(code));
    let window = said.window_for(kind);
    ProviderError { status, window, retry_after: said.retry_after, ..ProviderError::new(kind, message) }
}

/// The error of a text where an event was due (`data: error: …`).
pub fn from_text(text: &str) -> ProviderError {
    let words = quoted(text);
    let message = format!("the server reports an error: {words}");
    let said = Said { words, ..Said::default() };
    let kind = if said.means_overflow() { ErrorKind::Overflow } else { ErrorKind::Server };
    ProviderError { window: said.window_for(kind), ..ProviderError::new(kind, message) }
}

/// What to do, where something can be done.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Auth => ". Check the API key of this provider",
        ErrorKind::NotFound => ". Check the model's name and the base URL",
        _ => "",
    }
}

#[derive(Debug, Default)]
struct Said {
    words: String,
    /// Number or word.
    code: String,
    /// The word of the error's kind, where it has one beside the code.
    kind: String,
    retry_after: Option<Duration>,
    /// Tokens of the window, in a field of its own.
    window: Option<u64>,
}

impl Said {
    fn parse(body: &str) -> Said {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Said::of(&value),
            Err(_) if looks_like_html(body) => Said::default(),
            Err(_) => Said { words: quoted(body), ..Said::default() },
        }
    }

    fn of(value: &Value) -> Said {
        let error = value.get("error").filter(|e| !e.is_null()).unwrap_or(value);
        // A list of errors (some Google endpoints): the first one.
        let error = error.get(0).unwrap_or(error);
        let error = error.get("error").filter(|e| e.is_object()).unwrap_or(error);
        let text = |key: &str| match error.get(key) {
            Some(Value::String(s)) => s.clone(),
            Some(Value::Number(n)) => n.to_string(),
            _ => String::new(),
        };
        let words = match error {
            Value::String(s) => s.clone(),
            _ => [text("message"), text("detail"), text("msg")].into_iter().find(|s| !s.is_empty()).unwrap_or_default(),
        };
        let raw = error.pointer("/metadata/raw").and_then(Value::as_str);
        let words = raw.map_or(words.clone(), |raw| format!("{words} {raw}"));
        let kind = text("type");
        let code = [text("code"), text("status"), kind.clone()].into_iter().find(|s| !s.is_empty()).unwrap_or_default();
        let retry_after = ["retry_after", "retry_after_seconds"].iter().find_map(|key| {
            let seconds = error.get(key).or_else(|| value.get(key))?.as_f64()?;
            Duration::try_from_secs_f64(seconds).ok()
        });
        let window = error.get("n_ctx").and_then(Value::as_u64);
        Said { words: quoted(&words), code: quoted(&code), kind, retry_after, window }
    }

    fn kind(&self, status: Option<u16>) -> ErrorKind {
        if self.means_overflow() && !matches!(status, Some(401 | 403 | 429)) {
            return ErrorKind::Overflow;
        }
        if matches!(status, None | Some(400..500)) && size::means_too_large(&self.all(), status) {
            return ErrorKind::TooLarge;
        }
        match status {
            Some(401 | 403) => ErrorKind::Auth,
            Some(404) => ErrorKind::NotFound,
            Some(429) if self.speaks_of(&["insufficient_quota", "billing"]) => ErrorKind::BadRequest,
            Some(429) => ErrorKind::RateLimit,
            Some(408 | 409 | 425 | 500..) => ErrorKind::Server,
            Some(400..500) => ErrorKind::BadRequest,
            _ => self.kind_by_word(),
        }
    }

    fn kind_by_word(&self) -> ErrorKind {
        let is = |words: &[&str]| words.iter().any(|w| self.code.contains(w) || self.kind.contains(w));
        match () {
            () if is(&["authentication", "permission", "invalid_api_key", "unauthorized"]) => ErrorKind::Auth,
            () if is(&["not_found"]) => ErrorKind::NotFound,
            () if is(&["rate_limit"]) => ErrorKind::RateLimit,
            () if is(&["invalid_request", "bad_request", "invalid_prompt", "content_filter", "insufficient_quota"]) => {
                ErrorKind::BadRequest
            }
            () => ErrorKind::Server,
        }
    }

    fn all(&self) -> String {
        format!("{} {} {}", self.words, self.code, self.kind).to_lowercase()
    }

    fn speaks_of(&self, parts: &[&str]) -> bool {
        let said = self.all();
        parts.iter().any(|part| said.contains(part))
    }

    fn means_overflow(&self) -> bool {
        size::means_overflow(&self.all())
    }

    fn window_for(&self, kind: ErrorKind) -> Option<u64> {
        if kind != ErrorKind::Overflow {
            return None;
        }
        self.window.or_else(|| size::window(&self.all()))
    }
}

/// Whether a body is a web page rather than an answer.
pub fn looks_like_html(body: &str) -> bool {
    let start = body.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    start.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn statuses_decide_first() {
        for (status, kind) in [
            (400, ErrorKind::BadRequest),
            (401, ErrorKind::Auth),
            (403, ErrorKind::Auth),
            (404, ErrorKind::NotFound),
            (408, ErrorKind::Server),
            (409, ErrorKind::Server),
            (413, ErrorKind::TooLarge),
            (422, ErrorKind::BadRequest),
            (429, ErrorKind::RateLimit),
            (500, ErrorKind::Server),
            (529, ErrorKind::Server),
        ] {
            assert_eq!(from_status(status, r#"{"error":{"message":"no"}}"#, "http://h/v1").kind, kind, "{status}");
        }
    }

    #[test]
    fn overflow_is_one_wherever_it_is_said() {
        let error = json!({"message": "This model's maximum context length is 8192 tokens.", "n_ctx": 4096});
        let in_body = from_status(400, &json!({"error": error}).to_string(), "u");
        assert_eq!((in_body.kind, in_body.window), (ErrorKind::Overflow, Some(4096)));
        assert_eq!(from_status(500, &json!({"error": error}).to_string(), "u").kind, ErrorKind::Overflow);
        assert_eq!(from_status(429, &json!({"error": error}).to_string(), "u").kind, ErrorKind::RateLimit);
        assert_eq!(from_value(&error).kind, ErrorKind::Overflow);
        let in_text = from_text("prompt is too long: 210000 tokens > 200000 maximum");
        assert_eq!((in_text.kind, in_text.window), (ErrorKind::Overflow, Some(200_000)));
        let code = json!({"error": {"code": "context_length_exceeded", "message": "too much"}}).to_string();
        assert_eq!(from_status(400, &code, "u").kind, ErrorKind::Overflow);
    }

    #[test]
    fn the_message_has_status_place_and_words_but_no_page() {
        let e = from_status(422, "{\"error\":{\"message\":\"NO\\u001b[31m\\nWAY\"}}", "http://h/v1/x");
        assert_eq!(e.message, "422 from http://h/v1/x: NO [31m WAY");
        assert_eq!(from_status(504, "<html>SIGN-IN</html>", "http://h").message, "504 from http://h");
    }

    #[test]
    fn errors_inside_a_stream() {
        let e = from_value(&json!({"code": 502, "message": "worker limit reached"}));
        assert_eq!((e.kind, e.status), (ErrorKind::Server, Some(502)));
        assert!(e.message.contains("502") && e.message.contains("worker limit reached"), "{e}");
        assert_eq!(from_value(&json!({"code": "400", "message": "x"})).kind, ErrorKind::BadRequest);
        assert_eq!(from_value(&json!({"type": "overloaded_error", "message": "x"})).kind, ErrorKind::Server);
        assert_eq!(from_value(&json!({"type": "rate_limit_error"})).kind, ErrorKind::RateLimit);
        assert_eq!(from_value(&json!("boom")).message, "the server reports an error: boom");
    }
}
