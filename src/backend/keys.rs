//! Keys of providers, and the servers that can be found: what a face asks and nobody else needs.

use super::{BackendError, Code, KeyState, ModelListing, Reply, lists, obey::Answered, shared::Shared};
use crate::provider::{ErrorKind, ProviderError, Refreshed};
use crate::util::secret::Secret;

/// All providers and whether they have a key.
pub fn list(shared: &Shared) -> Vec<KeyState> {
    let state = |row: crate::provider::KeyRow| KeyState {
        provider: row.provider,
        origins: row.origins,
        required: row.required,
        kept: row.kept,
    };
    shared.providers.keys().into_iter().map(state).collect()
}

/// Checks a key and keeps it.
pub async fn login(shared: &Shared, provider: &str, key: &Secret) -> Answered {
    let kept = shared.providers.login(provider, key.reveal(), true, true).await;
    kept.map(|done| Reply::Text(done.to_string())).map_err(refused)
}

pub async fn logout(shared: &Shared, provider: &str) -> Answered {
    shared.providers.logout(provider).await.map(Reply::Text).map_err(refused)
}

fn refused(error: ProviderError) -> BackendError {
    let code = if error.kind == ErrorKind::NotFound { Code::NotFound } else { Code::InvalidRequest };
    BackendError::new(code, error.message)
}

/// The models that are known once the servers of this machine were asked. A server that does not run is a row, too.
pub async fn find_models(shared: &Shared) -> Vec<ModelListing> {
    let asked = shared.providers.refresh_local().await;
    let mut models = lists::models(shared);
    models.extend(asked.into_iter().filter_map(absent));
    models
}

/// The row of a server that does not answer.
fn absent(asked: Refreshed) -> Option<ModelListing> {
    let (Err(_), Some(address)) = (&asked.models, asked.address) else { return None };
    Some(ModelListing {
        missing: Some(format!("no server answers at {address}")),
        ..ModelListing::absent(asked.provider)
    })
}
