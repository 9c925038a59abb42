//! What a server says when it refuses, in whatever shape, as a `ProviderError`.
//!
//! Error objects come in the body of a bad status, inside a stream with status 200, with a number, a numeric string or
//! a word as their code. All of that is decided here, so that a failure means the same wherever it was found.

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
    ProviderError { status: Some(status), retry_after: said.retry_after, ..ProviderError::new(kind, message) }
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
    ProviderError { status, retry_after: said.retry_after, ..ProviderError::new(kind, message) }
}

/// Whether a field `error` holds an error; servers fill it with all kinds of nothing.
pub fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(code) => code.as_f64() != Some(0.0),
        Value::String(words) => !words.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => fields.values().any(says_something),
    }
}

/// The error of an object that is no part of an answer, where it is one by its own signs: servers have many more forms
/// than `{"error": …}`.
pub fn in_object(value: &Value) -> Option<ProviderError> {
    let is_error_word = |v: &Value| v.as_str().is_some_and(|s| s.to_lowercase().contains("error") || s == "failed");
    let number = |v: &Value| v.as_u64().or_else(|| v.as_str()?.parse().ok());
    let bad_code = |v: &Value| number(v).is_some_and(|code| code >= 400);
    let said = ["error", "errors", "detail", "error_code", "error_msg", "error_message"].iter();
    let is_error = said.map(|key| &value[*key]).any(says_something)
        || ["object", "type", "status"].iter().any(|key| is_error_word(&value[*key]))
        || ["code", "status", "status_code", "statusCode"].iter().any(|key| bad_code(&value[*key]))
        || number(&value["base_resp"]["status_code"]).is_some_and(|code| code != 0)
        || value["success"] == false;
    is_error.then(|| from_value(value))
}

/// The error that a whole body is, by the same signs; some wrap it in a list.
pub fn in_document(text: &str) -> Option<ProviderError> {
    let value: Value = serde_json::from_str(text).ok()?;
    in_object(value.get(0).unwrap_or(&value))
}

/// The error of a text where an event was due (`data: error: …`).
pub fn from_text(text: &str) -> ProviderError {
    ProviderError::new(ErrorKind::Server, format!("the server reports an error: {}", quoted(text)))
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
}

impl Said {
    fn parse(body: &str) -> Said {
        // Some put it as an event, like the stream that it stands for.
        let data: String = body.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        match serde_json::from_str::<Value>(body).or_else(|_| serde_json::from_str(&data)) {
            Ok(value) => Said::of(&value),
            Err(_) if looks_like_html(body) => Said::default(),
            Err(_) => Said { words: quoted(body), ..Said::default() },
        }
    }

    fn of(value: &Value) -> Said {
        let error = innermost(value);
        let text = |keys: &[&str]| {
            let texts = keys.iter().map(|key| match &error[*key] {
                Value::String(s) => s.trim().to_owned(),
                Value::Number(n) => n.to_string(),
                _ => String::new(),
            });
            texts.into_iter().find(|s| !s.is_empty()).unwrap_or_default()
        };
        let words = match error {
            Value::String(s) => s.clone(),
            _ => text(&[
                "message",
                "detail",
                "msg",
                "error_msg",
                "error_message",
                "status_msg",
                "error_description",
                "reason",
            ]),
        };
        let raw = error.pointer("/metadata/raw").and_then(Value::as_str);
        let words = raw.map_or(words.clone(), |raw| format!("{words} {raw}"));
        let kind = text(&["type"]);
        let code = text(&["code", "error_code", "status_code", "statusCode", "status", "type"]);
        let nameless = words.is_empty() && code.is_empty() && says_something(error);
        let words = if nameless { error.to_string() } else { words };
        Said { words: quoted(&words), code: quoted(&code), kind, retry_after: wait(error).or_else(|| wait(value)) }
    }

    fn kind(&self, status: Option<u16>) -> ErrorKind {
        if self.means_overflow() && !matches!(status, Some(401 | 403 | 429 | 500..)) {
            return ErrorKind::Overflow;
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
        let said = format!("{} {}", self.code, self.kind).to_lowercase().replace(['_', '-'], "");
        let is = |words: &[&str]| words.iter().any(|word| said.contains(word));
        match () {
            () if is(&["authentication", "permission", "invalidapikey", "unauthorized", "unauthenticated"]) => {
                ErrorKind::Auth
            }
            () if is(&["notfound"]) => ErrorKind::NotFound,
            () if is(&["insufficientquota"]) => ErrorKind::BadRequest,
            () if is(&["ratelimit", "resourceexhausted", "toomanyrequests"]) => ErrorKind::RateLimit,
            () if is(&["invalidrequest", "badrequest", "invalidprompt", "invalidargument", "contentfilter"]) => {
                ErrorKind::BadRequest
            }
            () => ErrorKind::Server,
        }
    }

    fn speaks_of(&self, parts: &[&str]) -> bool {
        let said = format!("{} {} {}", self.words, self.code, self.kind).to_lowercase();
        parts.iter().any(|part| said.contains(part))
    }

    /// The wordings of "the conversation does not fit the window" that servers use.
    fn means_overflow(&self) -> bool {
        self.speaks_of(&[
            "context_length_exceeded",
            "maximum context length",
            "context length exceeded",
            "exceeds the context window",
            "exceed context limit",
            "exceeds the available context size",
            "context window of",
            "prompt is too long",
            "input is too long",
            "input length and `max_tokens` exceed",
            "input token count exceeds",
            "exceed_context_size_error",
            "too large for model with",
            "reduce the length of the messages",
            "request_too_large",
        ])
    }
}

/// The object or text that says most: what lies as `error` within, the first of a list, or the value itself.
fn innermost(value: &Value) -> &Value {
    let within = ["/error", "/choices/0/error", "/x_groq/error", "/errors", "/detail", "/base_resp", "/response/error"];
    let says = |v: &&Value| match v {
        Value::Bool(_) | Value::Number(_) => false,
        v => says_something(v),
    };
    let inner = value.get(0).or_else(|| within.iter().filter_map(|path| value.pointer(path)).find(says));
    match inner {
        Some(inner) if inner.is_string() && value["message"].is_string() => value,
        Some(inner) => innermost(inner),
        None => value,
    }
}

/// How long an error asks to wait: seconds, or a duration as Google writes it (`"12s"`).
fn wait(error: &Value) -> Option<Duration> {
    let delays = error["details"].as_array().into_iter().flatten().map(|detail| &detail["retryDelay"]);
    let mut said = [&error["retry_after"], &error["retry_after_seconds"]].into_iter().chain(delays);
    let seconds = said.find_map(|v| v.as_f64().or_else(|| v.as_str()?.trim_end_matches('s').parse().ok()))?;
    Duration::try_from_secs_f64(seconds).ok()
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
            (413, ErrorKind::BadRequest),
            (422, ErrorKind::BadRequest),
            (429, ErrorKind::RateLimit),
            (500, ErrorKind::Server),
            (529, ErrorKind::Server),
        ] {
            assert_eq!(from_status(status, r#"{"error":{"message":"no"}}"#, "http://h/v1").kind, kind, "{status}");
        }
    }

    #[test]
    fn overflow_in_everybodys_words() {
        for words in [
            "This model's maximum context length is 8192 tokens.",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "Your input exceeds the context window of this model.",
            "the request exceeds the available context size",
        ] {
            let body = json!({"error": {"message": words}}).to_string();
            assert_eq!(from_status(400, &body, "u").kind, ErrorKind::Overflow, "{words}");
        }
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
