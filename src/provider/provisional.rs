//! The catalogue's interface.

use super::{ModelSpec, Provider};
use crate::config::Options;
use std::{path::Path, sync::Arc};

/// A model with the provider that answers for it.
#[derive(Clone)]
pub struct Resolved {
    pub provider: Arc<dyn Provider>,
    pub spec: ModelSpec,
}

/// A name that is no model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct ResolveError(pub String);

/// The model of a run that names none.
#[derive(Debug, Clone, PartialEq)]
pub struct DefaultModel {
    /// `provider:model`
    pub model: String,
    /// There is neither a key nor a configuration: it is the demo.
    pub unconfigured: bool,
}

/// A model for a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    pub spec: ModelSpec,
    /// What is missing before it can be used ("set ANTHROPIC_API_KEY").
    pub missing: Option<String>,
}

/// All providers that are known.
pub struct Providers {}

impl Providers {
    pub fn new(_options: &Options, _env: &dyn Fn(&str) -> Option<String>, _auth_file: &Path) -> Self {
        Providers {}
    }

    pub fn resolve(&self, name: &str) -> Result<Resolved, ResolveError> {
        Err(ResolveError(name.to_owned()))
    }

    pub fn default_model(&self) -> DefaultModel {
        DefaultModel { model: "faux:demo".into(), unconfigured: true }
    }

    pub fn list(&self) -> Vec<Listing> {
        vec![]
    }
}
