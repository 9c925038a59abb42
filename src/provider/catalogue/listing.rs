//! Lists of models, for pickers and `panto models`.

use super::{AD_HOC, FAUX, Providers, Settings, resolve::Resolved};
use crate::config::{Dialect, ModelConfig};
use crate::conversation::ModelRef;
use crate::provider::{ModelSpec, ProviderError};
use crate::util::http::shown;
use futures_util::future::join_all;
use reqwest::Url;
use std::time::Duration;

/// How long a server that somebody has asked for may take to list its models.
const REMOTE_WAIT: Duration = Duration::from_secs(30);
/// How long one on this machine may take that perhaps is none.
const LOCAL_WAIT: Duration = Duration::from_millis(1500);

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub spec: ModelSpec,
    /// What is missing before it can be asked (`set ANTHROPIC_API_KEY, or …`).
    pub missing: Option<String>,
}

/// What a server says about its models.
#[derive(Debug)]
pub struct Refreshed {
    pub provider: String,
    /// Of a server on this machine: where it is looked for.
    pub address: Option<String>,
    pub models: Result<Vec<Listed>, ProviderError>,
}

impl Providers {
    /// The models that are known without asking anybody: those of `env`, the configured ones, the catalogue's, those that
    /// servers have told of before, the demo.
    pub fn list(&self) -> Vec<Listed> {
        let mut listed = Vec::new();
        for name in self.names() {
            let Ok(Some(settings)) = self.settings(&name) else { continue };
            listed.extend(self.listed(&settings, self.ids(&settings)));
        }
        if let Ok(Resolved { spec, .. }) = self.resolve(&format!("{FAUX}:demo")) {
            let spec = ModelSpec { name: "Demo".into(), ..spec };
            listed.push(Listed { spec, missing: None });
        }
        listed
    }

    /// How a provider is spoken to, in a word: `messages`, `chat`, `responses`, or `faux` for the scripted one.
    pub fn style(&self, provider: &str) -> Option<&'static str> {
        if provider == FAUX {
            return Some(FAUX);
        }
        let settings = self.settings(provider).ok().flatten()?;
        Some(match settings.dialect {
            Dialect::AnthropicMessages => "messages",
            Dialect::OpenaiChat => "chat",
            Dialect::OpenaiResponses => "responses",
        })
    }

    /// What a provider's models lack before they can be asked.
    pub fn missing(&self, provider: &str) -> Option<String> {
        let settings = self.settings(provider).ok().flatten()?;
        self.key_source(&settings).missing().map(|missing| missing.advice)
    }

    fn listed(&self, settings: &Settings, ids: Vec<String>) -> Vec<Listed> {
        let missing = self.key_source(settings).missing().map(|m| m.advice);
        let listed = |id: String| Listed { spec: self.spec(settings, &id), missing: missing.clone() };
        ids.into_iter().map(listed).collect()
    }

    /// Names of a provider's models: configured ones first, then the catalogue's, then what its server has told.
    fn ids(&self, settings: &Settings) -> Vec<String> {
        let mut ids: Vec<String> = settings.config.models.iter().map(|m| m.id.clone()).collect();
        if settings.name == AD_HOC {
            ids.extend(self.ad_hoc_model());
        }
        ids.extend(self.catalogue().of(&settings.name).iter().map(|m| m.id.clone()));
        ids.extend(self.learned().of(settings).iter().map(|m| m.id.clone()));
        let mut seen = std::collections::HashSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        ids
    }

    /// The model of `env` that `PANTO_MODEL` names.
    fn ad_hoc_model(&self) -> Option<String> {
        let resolved = self.resolve(&self.var("PANTO_MODEL")?).ok()?;
        let ModelRef { provider, model } = resolved.spec.reference;
        (provider == AD_HOC).then_some(model)
    }

    /// Asks all servers that could answer for their models: those with a key, and those that need none. What they say is
    /// kept for later runs. A local server that does not run is no news and left out.
    pub async fn refresh(&self) -> Vec<Refreshed> {
        let mut answers = self.ask(|_| true).await;
        answers.retain(|a| a.models.is_ok() || self.is_expected(&a.provider));
        answers
    }

    /// Asks the servers of this machine, for moments. What they say is kept; those that don't answer are told, too.
    pub async fn refresh_local(&self) -> Vec<Refreshed> {
        self.ask(|settings| local(settings).is_some()).await
    }

    async fn ask(&self, wanted: impl Fn(&Settings) -> bool) -> Vec<Refreshed> {
        let names = self.names();
        let usable = names.iter().filter_map(|name| {
            let settings = self.settings(name).ok().flatten().filter(&wanted)?;
            if self.find_added(name).is_some_and(|added| added.speaks.is_some()) {
                return None;
            }
            self.key_source(&settings).missing().is_none().then_some(settings)
        });
        let asked = usable.map(|settings| async move {
            let patient = local(&settings).is_none() || self.is_expected(&settings.name);
            let wait = if patient { REMOTE_WAIT } else { LOCAL_WAIT };
            (self.http(&settings).models(wait).await, settings)
        });
        let answers = join_all(asked).await;
        let told = |(models, settings): &(Result<Vec<ModelConfig>, _>, Settings)| {
            models.as_ref().ok().map(|models| (settings.clone(), models.clone()))
        };
        self.learn(answers.iter().filter_map(told).collect());
        let listed = |(models, settings): (Result<Vec<ModelConfig>, _>, Settings)| {
            let ids = |models: Vec<ModelConfig>| models.into_iter().map(|m| m.id).collect();
            let models = models.map(|models| self.listed(&settings, ids(models)));
            Refreshed { address: local(&settings), provider: settings.name, models }
        };
        answers.into_iter().map(listed).collect()
    }

    /// Whether somebody has asked for this provider, by a key or in the configuration.
    fn is_expected(&self, provider: &str) -> bool {
        let settings = self.settings(provider).ok().flatten();
        provider == AD_HOC
            || self.options.providers.contains_key(provider)
            || settings.is_some_and(|s| self.key_source(&s).has_key())
    }
}

/// The address of a provider's server, if that is on this machine.
fn local(settings: &Settings) -> Option<String> {
    let url = Url::parse(settings.base_url.trim()).ok()?;
    let here = matches!(url.host_str()?, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0");
    here.then(|| shown(&url))
}
