//! `auth.json`: `{"NAME": {"api_key": "…"}}`, or `{"NAME": {"keyring": true}}` where the system keyring has the key.
//!
//! `{"NAME": "key"}`, written by hand, is understood as well. Written whole or not at all, 0600. A file that cannot be
//! read has no keys; one that is no JSON is never overwritten.

use crate::util::atomic;
use serde_json::{Map, Value, json};
use std::{fs, io, path::Path};

/// What is kept for a provider.
#[derive(Clone, PartialEq, Eq)]
pub enum Kept {
    Key(String),
    /// The system keyring has it.
    Keyring,
}

pub fn read(file: &Path, provider: &str) -> Option<Kept> {
    entries(file).ok()?.get(provider).and_then(kept)
}

/// Names of the providers that have a key here, in the order of the file.
pub fn all(file: &Path) -> Vec<String> {
    let entries = entries(file).unwrap_or_default();
    entries.iter().filter(|(_, entry)| kept(entry).is_some()).map(|(name, _)| name.clone()).collect()
}

fn kept(entry: &Value) -> Option<Kept> {
    if entry["keyring"] == true {
        return Some(Kept::Keyring);
    }
    let key = entry.as_str().or_else(|| entry["api_key"].as_str()).or_else(|| entry["key"].as_str())?.trim();
    (!key.is_empty()).then(|| Kept::Key(key.to_owned()))
}

pub fn keep(file: &Path, provider: &str, kept: &Kept) -> io::Result<()> {
    let mut entries = entries(file)?;
    let entry = match kept {
        Kept::Key(key) => json!({"api_key": key}),
        Kept::Keyring => json!({"keyring": true}),
    };
    entries.insert(provider.to_owned(), entry);
    write(file, entries)
}

/// False: there was nothing to forget.
pub fn forget(file: &Path, provider: &str) -> io::Result<bool> {
    let mut entries = entries(file)?;
    if entries.shift_remove(provider).is_none() {
        return Ok(false);
    }
    write(file, entries).map(|()| true)
}

fn entries(file: &Path) -> io::Result<Map<String, Value>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(error),
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(entries)) => Ok(entries),
        _ if text.trim().is_empty() => Ok(Map::new()),
        // The parser's own words might quote a key.
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "it is no JSON object: mend it or move it away")),
    }
}

fn write(file: &Path, entries: Map<String, Value>) -> io::Result<()> {
    let text = format!("{:#}\n", Value::Object(entries));
    atomic::write(file, text.as_bytes(), Some(0o600))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn keys_come_and_go_beside_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("data/auth.json");
        assert!(all(&file).is_empty() && !forget(&file, "openai").expect("no file is no key"));
        keep(&file, "openai", &Kept::Key("sk-1".into())).expect("written");
        keep(&file, "groq", &Kept::Keyring).expect("written");
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
        assert!(read(&file, "openai") == Some(Kept::Key("sk-1".into())) && read(&file, "groq") == Some(Kept::Keyring));
        assert!(forget(&file, "openai").expect("forgotten"));
        assert_eq!((all(&file), read(&file, "openai").is_none()), (vec!["groq".to_owned()], true));
    }

    #[test]
    fn forms_written_by_hand_and_blanks() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("auth.json");
        fs::write(&file, r#"{"a": " k ", "b": {"key": "k"}, "c": {"api_key": " "}, "d": 7}"#).expect("written");
        assert_eq!(all(&file), ["a", "b"]);
        assert!(read(&file, "a") == Some(Kept::Key("k".into())));
    }

    #[test]
    fn a_broken_file_is_left_as_it_is_and_its_keys_unsaid() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("auth.json");
        fs::write(&file, r#"{"openai": "sk-secret""#).expect("written");
        let error = keep(&file, "groq", &Kept::Keyring).expect_err("no JSON").to_string();
        assert!(error.contains("mend") && !error.contains("sk-secret"), "{error}");
        assert!(fs::read_to_string(&file).expect("a file").contains("sk-secret"));
    }
}
