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

    /// A model of any provider that has this id, or an edition of it.
    fn by_id(&self, id: &str) -> Option<&ModelConfig> {
        let by = |id: &str| self.0.values().find_map(|models| find(models, id));
        // Gateways put the maker's name before it.
        by(id).or_else(|| by(id.rsplit_once('/')?.1))
    }

    /// Providers and their models that have this word in their id, a recommended one first: `sonnet`, `codestral`.
    pub fn with_word<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
        let has = move |m: &&ModelConfig| is_word && m.id.split(['-', '/', '.', ':']).any(|part| part == word);
        self.0.iter().filter_map(move |(name, models)| Some((name.as_str(), models.iter().find(has)?.id.as_str())))
    }

    /// Names of providers that have a model with this id.
    pub fn providers_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(_, models)| models.iter().any(|m| m.id == id)).map(|(name, _)| name.as_str())
    }

    /// What is known of `id` at this provider. `told` is what its server has said of its models.
    pub fn spec(&self, settings: &Settings, id: &str, told: &[ModelConfig]) -> ModelSpec {
        let mut spec = ModelSpec::unknown(ModelRef::new(&settings.name, id));
        spec.quirks = settings.quirks.clone();
        let own = find(self.of(&settings.name), id);
        let told = told.iter().find(|m| m.id == id);
        let configured = settings.config.models.iter().find(|m| m.id == id);
        // Who serves a known model elsewhere serves the same model, but at prices of their own.
        let elsewhere = self.by_id(id).filter(|_| own.is_none()).map(|m| ModelConfig { price: None, ..m.clone() });
        if elsewhere.is_none() && own.is_none() && configured.is_none_or(|m| m.thinking.is_none()) {
            spec.quirks.medium_is_default = spec.quirks.medium_is_default.or(Some(true));
        }
        let known = [elsewhere.as_ref(), own, told, configured];
        for known in known.into_iter().flatten() {
            apply(known, &mut spec);
        }
        // The stated default of an answer may be larger than a small window.
        if known.into_iter().flatten().all(|m| m.output.is_none()) {
            spec.output = spec.output.min((spec.context / 2).max(1));
        }
        spec
    }
}

/// The entry of an id, else of the id that it is a dated or latest edition of.
fn find<'a>(models: &'a [ModelConfig], id: &str) -> Option<&'a ModelConfig> {
    let is = |wanted: &str| models.iter().find(|m| m.id == wanted);
    is(id).or_else(|| is(undated(id)?))
}

/// `claude-opus-4-5-20251101`, `gpt-5-2025-08-07`, `claude-opus-4-5@20251101` and `claude-opus-4-5-latest` without their ends.
fn undated(id: &str) -> Option<&str> {
    let tail = |pattern: &str| {
        let start = id.len().checked_sub(pattern.len())?;
        let end = id.get(start..)?;
        let fits = end.chars().zip(pattern.chars()).all(|(c, p)| if p == '0' { c.is_ascii_digit() } else { c == p });
        fits.then(|| &id[..start])
    };
    let found = ["-00000000", "@00000000", "-0000-00-00", "-latest"].into_iter().find_map(tail);
    found.filter(|rest| !rest.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_are_their_model() {
        for (id, model) in [
            ("claude-opus-4-5-20251101", Some("claude-opus-4-5")),
            ("claude-opus-4-5@20251101", Some("claude-opus-4-5")),
            ("gpt-5-2025-08-07", Some("gpt-5")),
            ("claude-opus-4-5-latest", Some("claude-opus-4-5")),
            ("mistral-large-2411", None),
            ("-latest", None),
            ("ü-latest", Some("ü")),
            ("gpt-5", None),
        ] {
            assert_eq!(undated(id), model, "{id}");
        }
        let catalogue = Catalogue::load();
        assert_eq!(catalogue.by_id("gpt-5-mini-2025-08-07").map(|m| m.id.as_str()), Some("gpt-5-mini"));
        assert_eq!(catalogue.by_id("proxy/gpt-4o").map(|m| m.id.as_str()), Some("gpt-4o"));
        assert!(catalogue.by_id("gpt").is_none());
    }
}
