//! The HTTP client of a provider, built when it is first needed.

use crate::config::Network;
use crate::provider::{ErrorKind, ProviderError};
use crate::util::http::{self, Env, Settings};
use reqwest::{Client, Url};
use std::{sync::OnceLock, time::Duration};

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
        let settings = Settings {
            connect_timeout: Duration::from_secs(self.network.connect_timeout.max(1)),
            // A redirected POST loses its body or shows the key to a stranger.
            redirects: 0,
            plain: url.scheme() != "https",
        };
        http::client(settings, &self.env).map_err(|problem| ProviderError::new(ErrorKind::Config, problem))
    }
}
