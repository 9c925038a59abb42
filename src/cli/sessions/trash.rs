//! The way into the trash folder and back.

use super::{Text, locate};
use crate::session::Store;
use std::fmt::Write;

pub fn delete(store: &Store, ids: &[String]) -> Text {
    // A mistyped id is found before anything is moved.
    let paths = ids.iter().map(|id| locate(store, id)).collect::<Result<Vec<_>, _>>()?;
    let mut out = String::new();
    for path in paths {
        let trash = store.delete(&path)?;
        let id = crate::session::id_of(&trash).unwrap_or_default();
        let _ = writeln!(out, "moved to {}; `panto sessions restore {id}` brings it back", trash.display());
    }
    Ok(out)
}

pub fn restore(store: &Store, id: &str) -> Text {
    Ok(format!("restored {}\n", store.restore(id)?.display()))
}
