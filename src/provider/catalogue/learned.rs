//! What servers have said of their models, kept from one run to the next: `models.json` beside `auth.json`.
//!
//! It is read when a model is first looked at and written after servers were asked, by `panto models --refresh` and the
//! model picker. An entry counts for the base URL that was asked, and for no other.

use super::{Providers, Settings};
use crate::config::ModelConfig;
use crate::provider::ModelSpec;
use crate::util::{atomic, http::shown, time};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::PathBuf,
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
        self.catalogue().spec(settings, id, self.learned().of(settings))
    }

    pub(super) fn learned(&self) -> Arc<Learned> {
        let mut known = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| Arc::new(self.read_learned())).clone()
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
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(learned));
    }
}
