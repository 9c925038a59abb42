//! The system keyring: the Secret Service of a Linux desktop (GNOME Keyring, KWallet, KeePassXC), over D-Bus.
//!
//! Nothing is touched before a key is kept or needed, and no call waits for ever: a keyring may ask a person for its
//! password in a window that nobody sees. On systems without the service there is none, and keys go into the file.

use std::time::Duration;

/// As long as a person may take to unlock it.
const WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    #[error("there is no system keyring here")]
    Absent,
    #[error("the system keyring was not unlocked")]
    Locked,
    #[error("the system keyring fails: {0}")]
    Failed(String),
}

type Answer<T> = Result<T, KeyringError>;

pub async fn get(provider: &str) -> Answer<Option<String>> {
    in_time(service::get(provider)).await
}

pub async fn set(provider: &str, key: &str) -> Answer<()> {
    in_time(service::set(provider, key)).await
}

pub async fn delete(provider: &str) -> Answer<()> {
    in_time(service::delete(provider)).await
}

async fn in_time<T>(asked: impl Future<Output = Answer<T>>) -> Answer<T> {
    tokio::time::timeout(WAIT, asked).await.unwrap_or(Err(KeyringError::Locked))
}

#[cfg(target_os = "linux")]
mod service {
    use super::{Answer, KeyringError};
    use secret_service::{EncryptionType, Error, Item, SecretService};
    use std::collections::HashMap;

    fn attributes(provider: &str) -> HashMap<&str, &str> {
        HashMap::from([("application", "panto"), ("provider", provider)])
    }

    async fn connect() -> Answer<SecretService<'static>> {
        SecretService::connect(EncryptionType::Dh).await.map_err(|error| {
            tracing::debug!("no secret service: {error}");
            KeyringError::Absent
        })
    }

    fn failed(error: Error) -> KeyringError {
        match error {
            Error::Locked | Error::Prompt | Error::PromptDisconnected => KeyringError::Locked,
            Error::Unavailable => KeyringError::Absent,
            error => KeyringError::Failed(error.to_string()),
        }
    }

    pub async fn get(provider: &str) -> Answer<Option<String>> {
        let service = connect().await?;
        let found = service.search_items(attributes(provider)).await.map_err(failed)?;
        let Some(item) = found.unlocked.first().or(found.locked.first()) else { return Ok(None) };
        unlock(item).await?;
        let secret = item.get_secret().await.map_err(failed)?;
        Ok(String::from_utf8(secret).ok())
    }

    pub async fn set(provider: &str, key: &str) -> Answer<()> {
        let service = connect().await?;
        let collection = service.get_default_collection().await.map_err(failed)?;
        collection.unlock().await.map_err(failed)?;
        let label = format!("panto: API key of {provider}");
        let made = collection.create_item(&label, attributes(provider), key.as_bytes(), true, "text/plain").await;
        made.map(drop).map_err(failed)
    }

    pub async fn delete(provider: &str) -> Answer<()> {
        let service = connect().await?;
        let found = service.search_items(attributes(provider)).await.map_err(failed)?;
        for item in found.unlocked.iter().chain(&found.locked) {
            unlock(item).await?;
            item.delete().await.map_err(failed)?;
        }
        Ok(())
    }

    /// Unlocks an item where that is needed, which may ask the person.
    async fn unlock(item: &Item<'_>) -> Answer<()> {
        match item.is_locked().await.map_err(failed)? {
            true => item.unlock().await.map_err(failed),
            false => Ok(()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod service {
    use super::{Answer, KeyringError};

    pub async fn get(_: &str) -> Answer<Option<String>> {
        Err(KeyringError::Absent)
    }

    pub async fn set(_: &str, _: &str) -> Answer<()> {
        Err(KeyringError::Absent)
    }

    pub async fn delete(_: &str) -> Answer<()> {
        Err(KeyringError::Absent)
    }
}
