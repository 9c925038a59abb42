//! Lists of models, for pickers and `panto models`.

use super::{AD_HOC, FAUX, Providers, Settings, resolve::Resolved};
use crate::config::Dialect;
use crate::conversation::ModelRef;
use crate::provider::{ModelSpec, ProviderError};
use futures_util::future::join_all;

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub spec: ModelSpec,
    /// What is missing before it can be asked (`set ANTHROPIC_API_KEY`).
    pub missing: Option<String>,
}

/// What a server says about its models.
#[derive(Debug)]
pub struct Refreshed {
    pub provider: String,
    pub models: Result<Vec<Listed>, ProviderError>,
}

impl Providers {
    /// The models that are known without asking anybody: those of `env`, the configured ones, the catalogue's, the demo.
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

    fn listed(&self, settings: &Settings, ids: Vec<String>) -> Vec<Listed> {
        let missing = self.key_source(settings).missing().map(|m| m.advice);
        let listed = |id: String| Listed { spec: self.catalogue().spec(settings, &id), missing: missing.clone() };
        ids.into_iter().map(listed).collect()
    }

    /// Names of a provider's models: configured ones first, then the catalogue's.
    fn ids(&self, settings: &Settings) -> Vec<String> {
        let mut ids: Vec<String> = settings.config.models.iter().map(|m| m.id.clone()).collect();
        if settings.name == AD_HOC {
            ids.extend(self.ad_hoc_model());
        }
        ids.extend(self.catalogue().of(&settings.name).iter().map(|m| m.id.clone()));
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

    /// Asks all servers that could answer for their models: those with a key, and those that need none. A local server
    /// that does not run is no news and left out.
    pub async fn refresh(&self) -> Vec<Refreshed> {
        let names = self.names();
        let usable = names.iter().filter_map(|name| {
            let settings = self.settings(name).ok().flatten()?;
            if self.find_added(name).is_some_and(|added| added.speaks.is_some()) {
                return None;
            }
            self.key_source(&settings).missing().is_none().then_some(settings)
        });
        let asked = usable.map(|settings| async move {
            let models = self.http(&settings).models().await;
            let models = models.map(|ids| self.listed(&settings, ids));
            Refreshed { provider: settings.name.clone(), models }
        });
        let mut answers = join_all(asked).await;
        answers.retain(|a| a.models.is_ok() || self.is_expected(&a.provider));
        answers
    }

    /// Whether somebody has asked for this provider, by a key or in the configuration.
    fn is_expected(&self, provider: &str) -> bool {
        let settings = self.settings(provider).ok().flatten();
        provider == AD_HOC
            || self.options.providers.contains_key(provider)
            || settings.is_some_and(|s| self.key_source(&s).has_key())
    }
}
