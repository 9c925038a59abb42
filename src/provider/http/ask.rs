//! Questions beside the stream: which models a server has, what it knows of them, whether it takes a key.
//!
//! All of them are plain GETs (one POST of Ollama's) with a time limit. What only some servers answer is asked of those
//! alone, and their silence is no error: it leaves the stated defaults.

use super::{HttpProvider, Inner, attempt, told};
use crate::config::ModelConfig;
use crate::provider::{ErrorKind, ProviderError, refusal};
use crate::util::http::shown;
use futures_util::future::join_all;
use reqwest::{Method, Url};
use serde_json::{Value, json};
use std::time::Duration;

/// Bytes of a list of models that are read.
const LIMIT: usize = 16 << 20;
/// Models of an Ollama server that are asked about, one request each.
const SHOWN: usize = 64;
/// How long a server may take to say more of what it has already listed.
const MORE_WAIT: Duration = Duration::from_secs(2);
/// How long a check of a key may take.
const CHECK_WAIT: Duration = Duration::from_secs(30);

impl HttpProvider {
    /// The server's models, with what it tells of them.
    pub async fn models(&self, wait: Duration) -> Result<Vec<ModelConfig>, ProviderError> {
        let inner = &self.inner;
        let url = inner.url("models")?;
        let body = inner.ask(Method::GET, &url, None, wait).await?;
        let mut models = told::models(&body).ok_or_else(|| attempt::not_a_stream(200, &url, "is no list of models"))?;
        match told::kind(&inner.site.name, &url, &body) {
            told::Kind::Ollama => inner.show_all(&url, &mut models).await,
            told::Kind::LmStudio => inner.more(&url, "api/v0/models", &mut models, told::of_lm_studio).await,
            told::Kind::LlamaCpp => {
                inner.more(&url, "props", &mut models, |told, models| told::of_llama_cpp(told, models)).await
            }
            told::Kind::Other => {}
        }
        Ok(models)
    }

    /// Whether the server takes the key, by the cheapest request that needs one.
    pub async fn check(&self) -> Result<(), ProviderError> {
        // OpenRouter lists its models to everybody.
        let open_list = self.inner.site.base_url.contains("://openrouter.ai/");
        let url = self.inner.url(if open_list { "key" } else { "models" })?;
        self.inner.ask(Method::GET, &url, None, CHECK_WAIT).await.map(drop)
    }
}

impl Inner {
    /// The JSON that a URL answers with.
    async fn ask(
        &self,
        method: Method,
        url: &Url,
        body: Option<Value>,
        wait: Duration,
    ) -> Result<Value, ProviderError> {
        let asked = async {
            let request = self.client.get(url)?.request(method, url.clone()).headers(self.headers(url).await?);
            let request = if let Some(body) = &body { request.json(body) } else { request };
            let failed = |e: reqwest::Error| attempt::connection_error(&e, url);
            let mut response = request.send().await.map_err(failed)?;
            let status = response.status().as_u16();
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(failed)? {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > LIMIT {
                    return Err(attempt::not_a_stream(status, url, "is larger than any list of models"));
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            if !(200..300).contains(&status) {
                return Err(refusal::from_status(status, &text, &shown(url)));
            }
            serde_json::from_str(&text).map_err(|_| attempt::not_a_stream(status, url, "is no list of models"))
        };
        let late = || {
            let words = format!("cannot reach {}: no answer within {} s", shown(url), wait.as_secs_f32());
            Err(ProviderError::new(ErrorKind::Connection, words))
        };
        let answer = tokio::time::timeout(wait, asked).await.unwrap_or_else(|_| late());
        answer.map_err(|error| self.without_secrets(error))
    }

    /// What a further list of the server tells of its models.
    async fn more(
        &self,
        models_url: &Url,
        path: &str,
        models: &mut Vec<ModelConfig>,
        add: fn(&Value, &mut Vec<ModelConfig>),
    ) {
        let url = told::beside(models_url, path);
        match self.ask(Method::GET, &url, None, MORE_WAIT).await {
            Ok(body) => add(&body, models),
            Err(error) => tracing::debug!("{error}"),
        }
    }

    /// Ollama tells of one model at a time, and of those that are loaded how large their window really is.
    async fn show_all(&self, models_url: &Url, models: &mut Vec<ModelConfig>) {
        let url = told::beside(models_url, "api/show");
        let show = |model: &ModelConfig| {
            let body = json!({"model": model.id});
            let url = &url;
            async move { self.ask(Method::POST, url, Some(body), MORE_WAIT).await.ok() }
        };
        let shown = join_all(models.iter().take(SHOWN).map(show)).await;
        let mut shown = shown.into_iter();
        models.retain_mut(|model| match shown.next().flatten() {
            Some(told) => told::of_ollama(&told, model),
            None => true,
        });
        self.more(models_url, "api/ps", models, |told, models| told::of_ollama_loaded(told, models)).await;
    }
}
