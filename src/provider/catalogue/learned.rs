//! What servers have said of their models, kept from one run to the next: `models.json` beside `auth.json`.
//!
//! It is read when a model is first looked at and written after servers were asked, by `panto models --refresh` and the
//! model picker. An entry counts for the base URL that was asked, and for no other. What another process has written is
//! read when somebody looks again. A window that a server names when it refuses a request counts until it is told of
//! another one than before.

use super::{Providers, Settings};
use crate::config::ModelConfig;
use crate::conversation::ModelRef;
use crate::provider::ModelSpec;
use crate::util::{atomic, http::shown, time};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

/// By provider.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Learned(BTreeMap<String, Told>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Told {
    /// Without anything that might be secret.
    base_url: String,
    /// When it was asked.
    asked: String,
    models: Vec<ModelConfig>,
}

/// The window that a refusal has named.
#[derive(Debug, Clone, Copy)]
pub struct Refused {
    window: u64,
    /// What was known before: where that is another one by now, the refusal is old.
    instead_of: u64,
}

/// By what a file is known to be the same: its number (a new one takes the place of the old one), time and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Version(Option<(u64, (i64, i64), u64)>);

impl Version {
    fn of(path: &Path) -> Version {
        let meta = std::fs::metadata(path).ok();
        Version(meta.map(|m| (m.ino(), (m.mtime(), m.mtime_nsec()), m.len())))
    }
}

impl Learned {
    pub fn of(&self, settings: &Settings) -> &[ModelConfig] {
        let told = self.0.get(&settings.name).filter(|told| told.base_url == address(settings));
        told.map(|told| told.models.as_slice()).unwrap_or_default()
    }
}

fn address(settings: &Settings) -> String {
    Url::parse(settings.base_url.trim()).map(|url| shown(&url)).unwrap_or_default()
}

impl Providers {
    /// What is known of a model: by the catalogue, its server, the configuration.
    pub(super) fn spec(&self, settings: &Settings, id: &str) -> ModelSpec {
        let spec = self.listed_spec(settings, id);
        let told = self.windows.lock().unwrap_or_else(PoisonError::into_inner).get(&spec.reference).copied();
        match told.filter(|told| told.instead_of == spec.context) {
            Some(told) => spec.with_window(told.window),
            None => spec,
        }
    }

    fn listed_spec(&self, settings: &Settings, id: &str) -> ModelSpec {
        self.catalogue().spec(settings, id, self.learned().of(settings))
    }

    /// A server has named the window of its model when it refused a request.
    pub fn window_told(&self, model: &ModelRef, window: u64) {
        let Ok(Some(settings)) = self.settings(&model.provider) else { return };
        let told = Refused { window, instead_of: self.listed_spec(&settings, &model.model).context };
        self.windows.lock().unwrap_or_else(PoisonError::into_inner).insert(model.clone(), told);
    }

    /// Reads anew what another process may have learned meanwhile.
    pub fn look_again(&self) {
        let mut known = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|(_, read)| *read != Version::of(&self.learned_file())) {
            *known = None;
        }
    }

    pub(super) fn learned(&self) -> Arc<Learned> {
        let mut known = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| self.read_versioned()).0.clone()
    }

    fn read_versioned(&self) -> (Arc<Learned>, Version) {
        // Before the file itself: what is written meanwhile is read the next time.
        let version = Version::of(&self.learned_file());
        (Arc::new(self.read_learned()), version)
    }

    /// A file that is missing or broken is empty: it is only a memory.
    fn read_learned(&self) -> Learned {
        let text = std::fs::read_to_string(self.learned_file()).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn learned_file(&self) -> PathBuf {
        self.auth_file.with_file_name("models.json")
    }

    /// Remembers what servers have said, in the place of what each said before.
    pub(super) fn learn(&self, answers: Vec<(Settings, Vec<ModelConfig>)>) {
        if answers.is_empty() {
            return;
        }
        // Another process may have learned meanwhile.
        let mut learned = self.read_learned();
        for (settings, models) in answers {
            let told = Told { base_url: address(&settings), asked: time::now(), models };
            learned.0.insert(settings.name, told);
        }
        let text = serde_json::to_string(&learned).unwrap_or_default();
        if let Err(error) = atomic::replace(&self.learned_file(), text.as_bytes(), None) {
            tracing::debug!("what the servers said of their models is not kept: {error}");
        }
        let version = Version::of(&self.learned_file());
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner) = Some((Arc::new(learned), version));
    }
}
