//! Which providers and models there are, and how a name becomes one that answers.
//!
//! Providers come from four places: presets, `[providers.NAME]`, the environment (`env`), and scripts (`faux:…`). Making
//! a `Providers` costs nothing: files, the catalogue of models, keys and HTTP clients are touched when they are needed.
//! A provider once made is kept, with its connections.
//!
//! ```
//! use panto::{config::Options, provider::Providers};
//! use std::{path::Path, sync::Arc};
//! let providers = Providers::new(&Options::default(), Arc::new(|_| None), Path::new("auth.json"));
//! let chosen = providers.default_model();
//! assert!(chosen.unconfigured && chosen.name == "faux:demo");
//! let resolved = providers.resolve(&chosen.name)?;
//! assert_eq!(resolved.spec.reference.provider, "faux");
//! # Ok::<(), panto::provider::ResolveError>(())
//! ```

mod added;
mod keys;
mod learned;
mod listing;
mod models;
mod presets;
mod resolve;
#[cfg(test)]
mod tests;

pub use added::Added;
pub use keys::{KeyRow, LoggedIn};
pub use listing::{Listed, Refreshed};
pub use resolve::{DefaultModel, ResolveError, Resolved};

use super::{
    Provider,
    faux::Faux,
    http::{Env, HttpProvider, KeySource, Site},
};
use crate::config::{Dialect, Options, ProviderConfig, Quirks};
use crate::conversation::ModelRef;
use learned::{Learned, Refused, Version};
use models::Catalogue;
use presets::Preset;
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The name of the ad-hoc provider that the environment describes.
pub const AD_HOC: &str = "env";
/// The name of the scripted provider.
pub const FAUX: &str = "faux";

/// All providers of a run.
pub struct Providers {
    options: Options,
    env: Env,
    auth_file: PathBuf,
    catalogue: OnceLock<Catalogue>,
    made: Mutex<Made>,
    added: Mutex<Vec<Added>>,
    learned: Mutex<Option<(Arc<Learned>, Version)>>,
    /// Windows that servers have named when they refused a request.
    windows: Mutex<HashMap<ModelRef, Refused>>,
}

/// Providers that have been used.
#[derive(Default)]
struct Made {
    http: HashMap<String, HttpProvider>,
    faux: HashMap<String, Faux>,
}

/// A provider's settings with preset and configuration laid over each other.
#[derive(Debug, Clone)]
struct Settings {
    name: String,
    dialect: Dialect,
    base_url: String,
    variables: Vec<String>,
    key_required: bool,
    /// Whether the key that is stored for this name is its own.
    stored_key: bool,
    quirks: Quirks,
    config: ProviderConfig,
}

impl Providers {
    pub fn new(options: &Options, env: Env, auth_file: &Path) -> Self {
        Providers {
            options: options.clone(),
            env,
            auth_file: auth_file.to_owned(),
            catalogue: OnceLock::new(),
            made: Mutex::default(),
            added: Mutex::default(),
            learned: Mutex::default(),
            windows: Mutex::default(),
        }
    }

    fn var(&self, name: &str) -> Option<String> {
        (self.env)(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty())
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn catalogue(&self) -> &Catalogue {
        self.catalogue.get_or_init(Catalogue::load)
    }

    /// Names of the providers: `env` if it is described, the configured ones, those of extensions, the presets.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.is_ad_hoc().then(|| AD_HOC.to_owned()).into_iter().collect();
        names.extend(self.options.providers.keys().filter(|n| *n != AD_HOC && *n != FAUX).cloned());
        for added in self.added().iter() {
            if !names.contains(&added.name) {
                names.push(added.name.clone());
            }
        }
        for preset in presets::ALL {
            if !names.iter().any(|n| n == preset.name) {
                names.push(preset.name.to_owned());
            }
        }
        names
    }

    /// Whether the environment describes a provider.
    fn is_ad_hoc(&self) -> bool {
        self.var("PANTO_BASE_URL").is_some() || self.var("PANTO_API_KEY").is_some()
    }

    /// The settings of a provider over HTTP; none if there is no such provider.
    fn settings(&self, name: &str) -> Result<Option<Settings>, ResolveError> {
        if name == AD_HOC {
            return self.is_ad_hoc().then(|| self.ad_hoc()).transpose();
        }
        let preset = presets::find(name);
        let added = self.find_added(name);
        let scripted = added.as_ref().is_some_and(|a| a.speaks.is_some());
        // What an extension brings under a preset's name, but elsewhere, gets nothing of the preset's keys.
        let is_preset = |a: &Added| preset.is_some_and(|p| a.config.base_url.as_deref() == Some(p.base_url));
        let stranger = preset.is_some() && added.as_ref().is_some_and(|a| !is_preset(a));
        let config = self.options.providers.get(name).cloned().or(added.map(|a| a.config));
        if preset.is_none() && config.is_none() {
            return Ok(None);
        }
        let config = config.unwrap_or_default();
        let preset = preset.unwrap_or(&presets::NONE);
        let dialect = config.dialect.unwrap_or(preset.dialect);
        let below = if stranger { presets::NONE.base_url } else { preset.base_url };
        let base_url = config.base_url.clone().unwrap_or_else(|| below.to_owned());
        if base_url.trim().is_empty() && !scripted {
            return Err(ResolveError::Config(format!("[providers.{name}] has no base_url")));
        }
        let mut settings = merge(name, preset, config, dialect, base_url);
        if stranger {
            settings.variables = settings.config.api_key_env.clone().into_iter().collect();
            settings.key_required = settings.config.api_key_env.is_some();
            settings.stored_key = false;
        }
        Ok(Some(settings))
    }

    /// The provider that `PANTO_BASE_URL` and its siblings describe.
    fn ad_hoc(&self) -> Result<Settings, ResolveError> {
        let dialect = match self.var("PANTO_DIALECT") {
            Some(name) => name.parse().map_err(|e| ResolveError::Config(format!("PANTO_DIALECT: {e}")))?,
            None => Dialect::OpenaiChat,
        };
        let official = || presets::official(dialect).to_owned();
        Ok(Settings {
            name: AD_HOC.into(),
            dialect,
            base_url: self.var("PANTO_BASE_URL").unwrap_or_else(official),
            variables: vec!["PANTO_API_KEY".into()],
            key_required: false,
            stored_key: true,
            quirks: Quirks::default(),
            config: self.options.providers.get(AD_HOC).cloned().unwrap_or_default(),
        })
    }

    fn key_source(&self, settings: &Settings) -> KeySource {
        KeySource {
            provider: settings.name.clone(),
            given: None,
            variables: settings.variables.clone(),
            auth_file: if settings.stored_key { self.auth_file.clone() } else { PathBuf::new() },
            command: settings.config.api_key_command.clone(),
            literal: settings.config.api_key.clone(),
            required: settings.key_required,
            env: self.env.clone(),
            ran: Arc::default(),
        }
    }

    /// The provider, made when it is first asked for.
    fn http(&self, settings: &Settings) -> HttpProvider {
        let make = || HttpProvider::new(self.site(settings), self.key_source(settings), self.env.clone());
        self.made().http.entry(settings.name.clone()).or_insert_with(make).clone()
    }

    fn site(&self, settings: &Settings) -> Site {
        Site {
            name: settings.name.clone(),
            dialect: settings.dialect,
            base_url: settings.base_url.clone(),
            headers: settings.config.headers.clone(),
            network: self.options.network.clone(),
        }
    }

    fn shared(provider: impl Provider + 'static) -> Arc<dyn Provider> {
        Arc::new(provider)
    }
}

fn merge(name: &str, preset: &Preset, config: ProviderConfig, dialect: Dialect, base_url: String) -> Settings {
    let own = config.api_key_env.clone().filter(|v| !v.trim().is_empty());
    let key_required = preset.key_required || own.is_some();
    let variables = own.map_or_else(|| preset.variables.iter().map(|v| (*v).to_owned()).collect(), |v| vec![v]);
    let quirks = overlay((preset.quirks)(), &config.quirks);
    Settings { name: name.to_owned(), dialect, base_url, variables, key_required, stored_key: true, quirks, config }
}

/// The preset's quirks with the configured ones over them.
fn overlay(below: Quirks, above: &Quirks) -> Quirks {
    Quirks {
        reasoning_field: above.reasoning_field.clone().or(below.reasoning_field),
        echo_reasoning: above.echo_reasoning.or(below.echo_reasoning),
        max_tokens_field: above.max_tokens_field.clone().or(below.max_tokens_field),
        no_stream_options: above.no_stream_options.or(below.no_stream_options),
        medium_is_default: above.medium_is_default.or(below.medium_is_default),
        no_thinking: above.no_thinking.or(below.no_thinking),
    }
}

/// Keys of models by provider name, for `assets/models.toml`.
type ByProvider<T> = BTreeMap<String, Vec<T>>;
