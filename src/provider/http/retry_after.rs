//! How long a server asks to wait.

use reqwest::header::HeaderMap;
use std::time::{Duration, SystemTime};

/// From `retry-after-ms` or `retry-after` (seconds, with or without a fraction, or a date).
pub fn from_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|v: &reqwest::header::HeaderValue| v.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|t| t.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let text = text("retry-after")?;
    match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => Some(httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s40_seconds_or_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let date = httpdate::fmt_http_date(now + Duration::from_secs(7));
        let past = httpdate::fmt_http_date(now - Duration::from_secs(7));
        for (name, value, seconds) in [
            ("retry-after", "2", Some(2.0)),
            ("retry-after", " 1.5 ", Some(1.5)),
            ("retry-after", date.as_str(), Some(7.0)),
            ("retry-after", past.as_str(), Some(0.0)),
            ("retry-after", "soon", None),
            ("retry-after", "-3", None),
            ("retry-after-ms", "250", Some(0.25)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header value"));
            assert_eq!(from_headers(&headers, now).map(|d| d.as_secs_f64()), seconds, "{value}");
        }
        assert_eq!(from_headers(&HeaderMap::new(), now), None);
    }
}
