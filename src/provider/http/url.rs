//! Base URL + endpoint: people write the root, `/v1`, or the endpoint itself, with and without slashes.

use crate::config::Dialect;
use reqwest::Url;

/// Endpoints that a base URL may already end with.
const ENDPOINTS: [&str; 4] = ["/chat/completions", "/responses", "/messages", "/models"];

/// The URL of an endpoint (`messages`, `models`, …). The error is one line without the URL's secrets.
pub fn join(base: &str, dialect: Dialect, endpoint: &str) -> Result<Url, String> {
    let mut url = Url::parse(base.trim()).map_err(|e| format!("not a URL ({e})"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("write http://… or https://…".into());
    }
    let path = url.path().trim_end_matches('/');
    let path = ENDPOINTS.iter().find_map(|e| path.strip_suffix(e)).unwrap_or(path).trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let versioned = last.strip_prefix('v').is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()));
    let version = match dialect {
        _ if versioned => "",
        Dialect::AnthropicMessages => "/v1",
        _ if path.is_empty() => "/v1",
        _ => "",
    };
    let path = format!("{path}{version}/{endpoint}");
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

/// What a base URL holds that nobody may see: its user, password and the values of its query.
pub fn secrets(base: &str) -> Vec<String> {
    let Ok(url) = Url::parse(base.trim()) else { return vec![] };
    let values = url.query_pairs().map(|(_, value)| value.into_owned());
    [Some(url.username()), url.password()].into_iter().flatten().map(str::to_owned).chain(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dialect::*;

    #[test]
    fn what_a_url_hides() {
        assert_eq!(secrets("https://me:pass@h/v1?key=k%20k&v=2"), ["me", "pass", "k k", "2"]);
        assert_eq!(secrets("no URL"), Vec::<String>::new());
    }

    #[test]
    fn c01_joining() {
        for (base, dialect, endpoint, joined) in [
            ("http://h", OpenaiChat, "chat/completions", "http://h/v1/chat/completions"),
            ("http://h/", OpenaiChat, "chat/completions", "http://h/v1/chat/completions"),
            (" http://h/v1 ", OpenaiChat, "chat/completions", "http://h/v1/chat/completions"),
            ("http://h/v1//", OpenaiChat, "chat/completions", "http://h/v1/chat/completions"),
            ("http://h/api/v1/", OpenaiChat, "chat/completions", "http://h/api/v1/chat/completions"),
            ("http://h/v1/chat/completions", OpenaiChat, "chat/completions", "http://h/v1/chat/completions"),
            ("http://h/v1/chat/completions/", OpenaiChat, "models", "http://h/v1/models"),
            ("http://h/v1beta/openai", OpenaiChat, "chat/completions", "http://h/v1beta/openai/chat/completions"),
            ("http://h/v1?api-version=2", OpenaiChat, "models", "http://h/v1/models?api-version=2"),
            ("http://h/v1/chat/completions", OpenaiResponses, "responses", "http://h/v1/responses"),
            ("http://h", AnthropicMessages, "messages", "http://h/v1/messages"),
            ("http://h/v1", AnthropicMessages, "messages", "http://h/v1/messages"),
            ("http://h/v1/messages", AnthropicMessages, "messages", "http://h/v1/messages"),
            ("http://h/api/anthropic", AnthropicMessages, "messages", "http://h/api/anthropic/v1/messages"),
        ] {
            assert_eq!(join(base, dialect, endpoint).map(String::from).as_deref(), Ok(joined), "{base}");
        }
    }

    #[test]
    fn what_is_no_base_url() {
        for base in ["", "localhost:8080", "::", "file:///etc", "api.openai.com/v1"] {
            assert!(join(base, OpenaiChat, "models").is_err(), "{base}");
        }
    }
}
