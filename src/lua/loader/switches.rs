//! `<data>/extensions.json`: which extensions were switched on or off by hand. It wins over `[extensions] disabled`.

use crate::util::atomic;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The switches as the file has them at this moment.
pub(super) struct Switches {
    file: PathBuf,
    /// By extension: whether it is on.
    on: BTreeMap<String, bool>,
}

impl Switches {
    /// Those of a data folder; a file that can't be read counts as empty.
    pub fn of(data: &Path) -> Self {
        let file = data.join("extensions.json");
        let on = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|e| {
                tracing::warn!("{}: {e}", file.display());
                BTreeMap::new()
            }),
            Err(_) => BTreeMap::new(),
        };
        Switches { file, on }
    }

    /// Whether an extension is off; `listed` are those that the configuration disables.
    pub fn is_off(&self, name: &str, listed: &[String]) -> bool {
        self.on.get(name).map_or_else(|| listed.iter().any(|l| l == name), |on| !on)
    }

    pub fn set(mut self, name: &str, on: bool) -> io::Result<()> {
        self.on.insert(name.to_owned(), on);
        let text = serde_json::to_string_pretty(&self.on)? + "\n";
        atomic::write(&self.file, text.as_bytes(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_remembered_and_wins_over_the_configuration() {
        let data = tempfile::tempdir().unwrap();
        let of = || Switches::of(data.path());
        let listed = ["x".to_owned()];
        assert!(of().is_off("x", &listed) && !of().is_off("y", &listed));
        of().set("x", true).unwrap();
        of().set("y", false).unwrap();
        assert!(!of().is_off("x", &listed) && of().is_off("y", &listed));
        std::fs::write(data.path().join("extensions.json"), "{").unwrap();
        assert!(of().is_off("x", &listed));
    }
}
