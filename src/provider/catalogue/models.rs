//! What is known of models: `assets/models.toml`, the configuration's `models`, and defaults for the rest.

use super::{ByProvider, Settings};
use crate::config::ModelConfig;
use crate::conversation::ModelRef;
use crate::provider::ModelSpec;

const MODELS: &str = include_str!("../../../assets/models.toml");

/// The well-known models, by provider, the recommended one of each first.
#[derive(Debug)]
pub struct Catalogue(ByProvider<ModelConfig>);

impl Catalogue {
    pub fn load() -> Self {
        Catalogue(toml::from_str(MODELS).expect("assets/models.toml ships with the program and is tested"))
    }

    pub fn of(&self, provider: &str) -> &[ModelConfig] {
        self.0.get(provider).map(Vec::as_slice).unwrap_or_default()
    }

    /// A model of any provider that has exactly this id.
    fn by_id(&self, id: &str) -> Option<&ModelConfig> {
        self.0.values().flatten().find(|m| m.id == id)
    }

    /// Names of providers that have a model with this id.
    pub fn providers_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(_, models)| models.iter().any(|m| m.id == id)).map(|(name, _)| name.as_str())
    }

    /// What is known of `id` at this provider.
    pub fn spec(&self, settings: &Settings, id: &str) -> ModelSpec {
        let mut spec = ModelSpec::unknown(ModelRef::new(&settings.name, id));
        spec.quirks = settings.quirks.clone();
        let own = self.of(&settings.name).iter().find(|m| m.id == id);
        let configured = settings.config.models.iter().find(|m| m.id == id);
        // Who serves a known model elsewhere serves the same model, but at prices of their own.
        let elsewhere = self.by_id(id).filter(|_| own.is_none()).map(|m| ModelConfig { price: None, ..m.clone() });
        if elsewhere.is_none() && own.is_none() && configured.is_none_or(|m| m.thinking.is_none()) {
            spec.quirks.medium_is_default = spec.quirks.medium_is_default.or(Some(true));
        }
        for known in [elsewhere.as_ref(), own, configured].into_iter().flatten() {
            apply(known, &mut spec);
        }
        spec
    }
}

fn apply(known: &ModelConfig, spec: &mut ModelSpec) {
    if let Some(name) = &known.name {
        spec.name.clone_from(name);
    }
    spec.context = known.context.unwrap_or(spec.context);
    spec.output = known.output.unwrap_or(spec.output);
    if let Some(input) = &known.input {
        spec.images = input.iter().any(|kind| kind == "image");
    }
    spec.picture = known.picture.unwrap_or(spec.picture);
    if let Some(thinking) = known.thinking.as_ref().filter(|levels| !levels.is_empty()) {
        spec.thinking.clone_from(thinking);
        spec.thinking.sort();
    }
    spec.price = known.price.or(spec.price);
}
