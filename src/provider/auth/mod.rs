//! Keys that `panto login` keeps: in the system keyring where there is one, else in `auth.json`.
//!
//! `auth.json` knows of every kept key, of those in the keyring only that they are there: so listing providers costs one
//! small file, and nobody is asked to unlock a keyring for a key that was never put into it. Used by `http::key`, which
//! finds keys, and by `catalogue::keys`, which keeps and forgets them.

mod file;
mod keyring;

pub use file::{Kept, all, forget, read};

use std::{fmt, io, path::Path};

/// Where a key was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Keyring,
    File,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Keyring => "the system keyring",
            Place::File => "auth.json",
        })
    }
}

/// Keeps a key: in the keyring if it may lie there and there is one, else in the file, which only the owner can read.
pub async fn keep(file: &Path, provider: &str, key: &str, keyring: bool) -> io::Result<Place> {
    if keyring {
        match keyring::set(provider, key).await {
            Ok(()) => return file::keep(file, provider, &Kept::Keyring).map(|()| Place::Keyring),
            Err(why) => tracing::debug!("auth.json instead of the system keyring: {why}"),
        }
    }
    file::keep(file, provider, &Kept::Key(key.to_owned())).map(|()| Place::File)
}

/// The key that lies in the keyring. The error is a line for people.
pub async fn from_keyring(provider: &str) -> Result<String, String> {
    match keyring::get(provider).await {
        Ok(Some(key)) => Ok(key),
        Ok(None) => Err("it is not in the system keyring any more".into()),
        Err(why) => Err(why.to_string()),
    }
}

/// Takes a kept key away, wherever it is; false: there was none. A keyring that does not answer keeps it, without a way to it.
pub async fn remove(file: &Path, provider: &str) -> io::Result<bool> {
    if read(file, provider) == Some(Kept::Keyring)
        && let Err(why) = keyring::delete(provider).await
    {
        tracing::warn!("the key of {provider} stays in the system keyring: {why}");
    }
    forget(file, provider)
}
