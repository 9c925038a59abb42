//! The HTTP client that everything here shares: proxies and certificates of the host, and errors that keep secrets.
//!
//! Certificates cost start-up time, so a client is built when it is first needed, and one for plain `http` alone loads
//! none. Errors are one line; the caller says what they mean for it.

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, NoProxy, Proxy, Url};
use std::{sync::Arc, time::Duration};

/// The environment of the process, or a test's own.
pub type Env = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a client is built for.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub connect_timeout: Duration,
    /// Redirects that are followed. 0: a redirect is an answer like another.
    pub redirects: usize,
    /// Nothing but plain `http` is asked for.
    pub plain: bool,
}

/// A client with the proxies of the environment. The error is one line that names the variable to fix.
pub fn client(settings: Settings, env: &Env) -> Result<Client, String> {
    // Fails only when the process has a crypto provider already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let proxies = proxies(env)?;
    let mut builder = Client::builder()
        .user_agent(concat!("panto/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(settings.connect_timeout)
        .redirect(policy(settings.redirects))
        .no_proxy();
    if settings.plain && !proxies.iter().any(|p| p.secure) {
        builder = builder.tls_certs_only([]);
    } else {
        check_certificates(env)?;
    }
    for proxy in proxies {
        builder = builder.proxy(proxy.proxy);
    }
    builder.build().map_err(|e| format!("the HTTP client cannot be set up: {}", root_cause(&e)))
}

fn policy(most: usize) -> Policy {
    if most == 0 {
        return Policy::none();
    }
    Policy::custom(move |attempt: Attempt| {
        let leaves_tls = attempt.url().scheme() != "https" && attempt.previous().iter().any(|u| u.scheme() == "https");
        match attempt.previous().len() > most {
            true => attempt.error(format!("more than {most} redirects")),
            false if leaves_tls => attempt.error("a redirect from https to http"),
            false => attempt.follow(),
        }
    })
}

/// The variable is read by the certificate loader, which keeps silent about a bad value.
fn check_certificates(env: &Env) -> Result<(), String> {
    match env("SSL_CERT_FILE").filter(|v| !v.trim().is_empty()) {
        Some(file) if !std::path::Path::new(&file).is_file() => {
            Err(format!("SSL_CERT_FILE names no file ({file}): fix or unset it"))
        }
        _ => Ok(()),
    }
}

struct Chosen {
    proxy: Proxy,
    secure: bool,
}

type Make = fn(Url) -> reqwest::Result<Proxy>;

/// The proxies of the environment; a value that is no URL is an error naming its variable.
fn proxies(env: &Env) -> Result<Vec<Chosen>, String> {
    let set = |names: [&'static str; 2]| {
        names.into_iter().find_map(|n| Some((n, env(n)?))).filter(|(_, value)| !value.trim().is_empty())
    };
    let exceptions = set(["no_proxy", "NO_PROXY"]).and_then(|(_, list)| NoProxy::from_string(&list));
    let kinds: [([&str; 2], Make); 3] = [
        (["https_proxy", "HTTPS_PROXY"], Proxy::https),
        (["http_proxy", "HTTP_PROXY"], Proxy::http),
        (["all_proxy", "ALL_PROXY"], Proxy::all),
    ];
    let mut chosen = Vec::new();
    for (names, make) in kinds {
        let Some((name, value)) = set(names) else { continue };
        let url = proxy_url(value.trim()).ok_or_else(|| bad_proxy(name))?;
        let secure = url.scheme() == "https";
        let proxy = make(url).map_err(|_| bad_proxy(name))?.no_proxy(exceptions.clone());
        chosen.push(Chosen { proxy, secure });
    }
    Ok(chosen)
}

/// A proxy may be written without a scheme.
fn proxy_url(value: &str) -> Option<Url> {
    let whole = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let url = Url::parse(&whole).ok();
    url.filter(|url| url.host_str().is_some_and(|h| !h.is_empty()) && matches!(url.scheme(), "http" | "https"))
}

/// The value may hold a password and is not shown.
fn bad_proxy(name: &str) -> String {
    format!("{name} is no URL of a proxy (http://host:port): fix or unset it")
}

/// The innermost reason of an error, which is the one that says something.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The URL as it may be shown: without user, password and query.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that can have neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(values: &'static [(&'static str, &'static str)]) -> Env {
        Arc::new(|name| values.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn c05_bad_proxies_are_named_without_their_value() {
        for (name, value) in [("HTTPS_PROXY", "::"), ("http_proxy", "http://"), ("ALL_PROXY", "ftp://u:secret@h")] {
            let value: &'static str = value;
            let values: &'static [(&str, &str)] = Box::leak(Box::new([(name, value)]));
            let error = proxies(&env(values)).err().expect("an error");
            assert!(error.contains(name) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn c05_good_proxies_and_none() {
        let all =
            env(&[("HTTPS_PROXY", "http://p:1"), ("http_proxy", "p:2"), ("NO_PROXY", "localhost"), ("ALL_PROXY", " ")]);
        assert_eq!(proxies(&all).map(|p| p.len()), Ok(2));
        assert_eq!(proxies(&env(&[])).map(|p| p.len()), Ok(0));
    }

    #[test]
    fn shown_without_secrets() {
        let url = Url::parse("https://me:secret@h:8/v1/models?key=secret").expect("a URL");
        assert_eq!(shown(&url), "https://h:8/v1/models");
    }
}
