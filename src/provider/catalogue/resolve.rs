//! A model's name → the provider and what is known of the model.

use super::{AD_HOC, FAUX, Providers, presets};
use crate::conversation::ModelRef;
use crate::provider::{
    ModelSpec, Provider,
    faux::{Faux, Script, ScriptError, TOURS},
};
use std::{path::Path, sync::Arc};

/// A model that can be asked.
#[derive(Clone)]
pub struct Resolved {
    pub provider: Arc<dyn Provider>,
    pub spec: ModelSpec,
}

/// The model of a session for which nobody has chosen one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultModel {
    /// For `resolve`.
    pub name: String,
    /// There is no key and no configuration; it is the demo.
    pub unconfigured: bool,
}

/// Why a name is no model. `Display` says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("no provider `{provider}`{hint}")]
    UnknownProvider { provider: String, hint: String },
    #[error("`{name}` is no model: {hint}")]
    UnknownModel { name: String, hint: String },
    #[error("{0}")]
    Config(String),
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl Providers {
    /// The provider and the model of a name: `provider:model`, or a bare name where it is clear whose it is. A preset
    /// without its key resolves as well; its stream fails and says which variable to set.
    pub fn resolve(&self, name: &str) -> Result<Resolved, ResolveError> {
        let reference = self.reference(name.trim())?;
        if reference.provider == FAUX {
            return self.scripted(&reference);
        }
        let settings = self.settings(&reference.provider)?.ok_or_else(|| self.unknown_provider(&reference.provider))?;
        let spec = self.spec(&settings, &reference.model);
        let speaks = self.find_added(&reference.provider).and_then(|added| added.speaks);
        Ok(Resolved { provider: speaks.unwrap_or_else(|| Providers::shared(self.http(&settings))), spec })
    }

    /// What the configuration, else the environment, else the first key that is set, chooses.
    pub fn default_model(&self) -> DefaultModel {
        let chosen = Some(self.options.model.trim().to_owned()).filter(|m| !m.is_empty());
        let chosen = chosen.or_else(|| self.var("PANTO_MODEL")).or_else(|| self.first_with_key());
        let unconfigured = chosen.is_none();
        DefaultModel { name: chosen.unwrap_or_else(|| "faux:demo".into()), unconfigured }
    }

    /// The recommended model of the first provider that has a key.
    fn first_with_key(&self) -> Option<String> {
        self.names().into_iter().find_map(|name| {
            let settings = self.settings(&name).ok()??;
            let configured = settings.config.models.first();
            // A server without keys counts if it was configured with its models.
            let there = self.key_source(&settings).has_key() || (configured.is_some() && !settings.key_required);
            let model = configured.or_else(|| self.catalogue().of(&name).first()).filter(|_| there)?;
            Some(format!("{name}:{}", model.id))
        })
    }

    /// Whose model it is. A prefix counts only if it names a provider.
    fn reference(&self, name: &str) -> Result<ModelRef, ResolveError> {
        let Some((prefix, model)) = name.split_once(':') else { return self.bare(name) };
        if self.knows(prefix) {
            let model = Some(model.trim()).filter(|m| !m.is_empty());
            let hint = || format!("write {prefix}:MODEL");
            return model
                .map(|m| ModelRef::new(prefix, m))
                .ok_or_else(|| ResolveError::UnknownModel { name: name.to_owned(), hint: hint() });
        }
        // `llama3:8b` is a name with a tag. What else has an unknown prefix is a mistake, unless the environment says so.
        let is_tag = model.starts_with(|c: char| c.is_ascii_digit()) || model == "latest";
        if self.is_ad_hoc() && (is_tag || self.var("PANTO_MODEL").as_deref() == Some(name)) {
            return Ok(ModelRef::new(AD_HOC, name));
        }
        Err(self.unknown_provider(prefix))
    }

    fn knows(&self, provider: &str) -> bool {
        provider == FAUX
            || (provider == AD_HOC && self.is_ad_hoc())
            || presets::find(provider).is_some()
            || self.options.providers.contains_key(provider)
            || self.find_added(provider).is_some()
    }

    /// A name without a provider: the ad-hoc one's, else that of the provider whose model it is, one with a key first.
    fn bare(&self, name: &str) -> Result<ModelRef, ResolveError> {
        if name.is_empty() {
            let hint = "write provider:model, or set PANTO_MODEL".into();
            return Err(ResolveError::UnknownModel { name: name.to_owned(), hint });
        }
        if self.is_ad_hoc() {
            return Ok(ModelRef::new(AD_HOC, name));
        }
        let mut owners: Vec<String> = self.catalogue().providers_of(name).map(str::to_owned).collect();
        let configured = |(_, p): &(&String, &crate::config::ProviderConfig)| p.models.iter().any(|m| m.id == name);
        owners.extend(self.options.providers.iter().filter(configured).map(|(n, _)| n.clone()));
        let has_key = |owner: &&String| {
            self.settings(owner).ok().flatten().is_some_and(|s| self.key_source(&s).missing().is_none())
        };
        let owner = owners.iter().find(has_key).or(owners.first());
        let owned = owner.map(|owner| ModelRef::new(owner.as_str(), name));
        owned.or_else(|| self.by_word(name, has_key)).ok_or_else(|| self.unknown_model(name))
    }

    /// A word of a model's id for the model: `sonnet` is the newest Sonnet of a provider, of one with a key first.
    fn by_word(&self, word: &str, has_key: impl Fn(&&String) -> bool) -> Option<ModelRef> {
        let named: Vec<(String, &str)> = self.catalogue().with_word(word).map(|(p, id)| (p.to_owned(), id)).collect();
        let (provider, id) = named.iter().find(|(provider, _)| has_key(&provider)).or(named.first())?;
        Some(ModelRef::new(provider, *id))
    }

    fn unknown_model(&self, name: &str) -> ResolveError {
        let listed = self.list();
        let ids =
            listed.iter().map(|l| (l.spec.reference.to_string(), strsim::jaro_winkler(name, &l.spec.reference.model)));
        let nearest = ids.filter(|(_, near)| *near > 0.8).max_by(|a, b| a.1.total_cmp(&b.1));
        let hint = nearest.map_or_else(|| "write provider:model".into(), |(id, _)| format!("did you mean {id}?"));
        ResolveError::UnknownModel { name: name.to_owned(), hint }
    }

    pub(super) fn unknown_provider(&self, provider: &str) -> ResolveError {
        let mut names = self.names();
        names.push(FAUX.to_owned());
        let near = |n: &String| strsim::jaro_winkler(provider, n);
        let nearest = names.iter().filter(|n| near(n) > 0.8).max_by(|a, b| near(a).total_cmp(&near(b)));
        let hint = match nearest {
            Some(name) => format!("; did you mean `{name}`?"),
            None if provider == AD_HOC => ": set PANTO_BASE_URL".to_owned(),
            None if self.is_ad_hoc() => {
                format!(
                    "; there are {} (a model of env with a colon in it is written env:{provider}:…)",
                    names.join(" ")
                )
            }
            None => format!("; there are {}", names.join(" ")),
        };
        ResolveError::UnknownProvider { provider: provider.to_owned(), hint }
    }

    /// `faux:demo`, another tour, or the path of a script.
    fn scripted(&self, reference: &ModelRef) -> Result<Resolved, ResolveError> {
        let name = reference.model.as_str();
        let made = self.made().faux.get(name).cloned();
        let faux = match made {
            Some(faux) => faux,
            None => {
                let faux = Faux::with(script(name)?, self.options.network.clone(), self.scratch());
                self.made().faux.entry(name.to_owned()).or_insert(faux).clone()
            }
        };
        let spec = spec(reference, faux.script());
        Ok(Resolved { provider: Providers::shared(faux), spec })
    }

    fn scratch(&self) -> std::path::PathBuf {
        let temporary = self.var("TMPDIR").map_or_else(std::env::temp_dir, std::path::PathBuf::from);
        temporary.join("panto-demo")
    }
}

fn script(name: &str) -> Result<Script, ResolveError> {
    if let Some(tour) = Script::tour(name) {
        return Ok(tour?);
    }
    let path = Path::new(name);
    if path.is_absolute() || path.extension().is_some_and(|e| e == "toml") {
        return Ok(Script::load(path)?);
    }
    let tours = TOURS.map(|(name, _)| format!("faux:{name}")).join(" ");
    let hint = format!("there are {tours}, or give the path of a script");
    Err(ResolveError::UnknownModel { name: format!("{FAUX}:{name}"), hint })
}

fn spec(reference: &ModelRef, script: &Script) -> ModelSpec {
    let unknown = ModelSpec::unknown(reference.clone());
    let model = &script.model;
    ModelSpec {
        context: model.context.unwrap_or(unknown.context),
        output: model.output.unwrap_or(unknown.output),
        images: model.images.unwrap_or(true),
        thinking: model.thinking.clone().filter(|t| !t.is_empty()).unwrap_or(unknown.thinking),
        price: model.price,
        ..ModelSpec::unknown(reference.clone())
    }
}
