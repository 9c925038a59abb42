//! The HTTP client of a provider, built when it is first needed.

use crate::config::Network;
use crate::provider::{ErrorKind, ProviderError};
use reqwest::Url;
use reqwest::{Client, NoProxy, Proxy, redirect};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// The environment of the process, or a test's own.
pub type Env = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

pub struct LazyClient {
    network: Network,
    env: Env,
    built: OnceLock<Result<Client, ProviderError>>,
}

impl LazyClient {
    pub fn new(network: Network, env: Env) -> Self {
        LazyClient { network, env, built: OnceLock::new() }
    }

    /// The client for this provider's URLs.
    pub fn get(&self, url: &Url) -> Result<Client, ProviderError> {
        self.built.get_or_init(|| self.build(url)).clone()
    }

    fn build(&self, url: &Url) -> Result<Client, ProviderError> {
        // Fails only when the process has a crypto provider already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let proxies = proxies(&self.env)?;
        let secure = url.scheme() == "https" || proxies.iter().any(|p| p.secure);
        let mut builder = Client::builder()
            .user_agent(concat!("panto/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(self.network.connect_timeout.max(1)))
            // A redirected POST loses its body or shows the key to a stranger.
            .redirect(redirect::Policy::none())
            .no_proxy();
        if secure {
            self.check_certificates()?;
        } else {
            builder = builder.tls_certs_only([]);
        }
        for proxy in proxies {
            builder = builder.proxy(proxy.proxy);
        }
        builder.build().map_err(|e| {
            let message = format!("the HTTP client cannot be set up: {}", root_cause(&e));
            ProviderError::new(ErrorKind::Config, message)
        })
    }

    /// The variable is read by the certificate loader, which keeps silent about a bad value.
    fn check_certificates(&self) -> Result<(), ProviderError> {
        match (self.env)("SSL_CERT_FILE").filter(|v| !v.trim().is_empty()) {
            Some(file) if !std::path::Path::new(&file).is_file() => {
                let message = format!("SSL_CERT_FILE names no file ({file}): fix or unset it");
                Err(ProviderError::new(ErrorKind::Config, message))
            }
            _ => Ok(()),
        }
    }
}

struct Chosen {
    proxy: Proxy,
    secure: bool,
}

type Make = fn(Url) -> reqwest::Result<Proxy>;

/// The proxies of the environment; a value that is no URL is an error naming its variable.
fn proxies(env: &Env) -> Result<Vec<Chosen>, ProviderError> {
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
fn bad_proxy(name: &str) -> ProviderError {
    let message = format!("{name} is no URL of a proxy (http://host:port): fix or unset it");
    ProviderError::new(ErrorKind::Config, message)
}

/// The innermost reason of an error, which is the one that says something.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
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
            assert!(error.message.contains(name) && !error.message.contains("secret"), "{error}");
            assert_eq!(error.kind, ErrorKind::Config);
        }
    }

    #[test]
    fn c05_good_proxies_and_none() {
        let all =
            env(&[("HTTPS_PROXY", "http://p:1"), ("http_proxy", "p:2"), ("NO_PROXY", "localhost"), ("ALL_PROXY", " ")]);
        assert_eq!(proxies(&all).map(|p| p.len()), Ok(2));
        assert_eq!(proxies(&env(&[])).map(|p| p.len()), Ok(0));
    }
}
