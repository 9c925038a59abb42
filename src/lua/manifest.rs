//! `extension.toml`: what an extension says of itself, and the rights it asks for.
//!
//! It lies beside `init.lua`; for a single file `x.lua` it is `x.extension.toml`. With it an extension gets the rights in
//! `needs` and no others; without it, all.

use crate::config::nearest;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    FsRead,
    FsWrite,
    Run,
    Net,
    Env,
    Ui,
}

impl Need {
    pub const ALL: [Need; 6] = [Need::FsRead, Need::FsWrite, Need::Run, Need::Net, Need::Env, Need::Ui];

    pub fn name(self) -> &'static str {
        match self {
            Need::FsRead => "fs_read",
            Need::FsWrite => "fs_write",
            Need::Run => "run",
            Need::Net => "net",
            Need::Env => "env",
            Need::Ui => "ui",
        }
    }

    pub fn named(name: &str) -> Option<Need> {
        Need::ALL.into_iter().find(|need| need.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    pub file: PathBuf,
    /// Instead of the name that the path gives.
    pub name: Option<String>,
    pub version: Option<String>,
    pub description: Option<String>,
    pub needs: Vec<Need>,
}

/// What ships is called so, where names of extensions are written and shown.
pub(super) const RESERVED: [&str; 2] = ["std", "built-in"];

const KEYS: [&str; 4] = ["name", "version", "description", "needs"];

impl Manifest {
    /// Where the one of an extension would lie.
    pub fn beside(file: &Path, root: Option<&Path>) -> PathBuf {
        root.map_or_else(|| file.with_extension("extension.toml"), |root| root.join("extension.toml"))
    }

    /// None where there is no such file. Errors name the file and what is wrong in it.
    pub fn read(file: &Path) -> Result<Option<Manifest>, String> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(format!("{}: {e}", file.display())),
        };
        Manifest::parse(file, &text).map(Some).map_err(|problem| format!("{}: {problem}", file.display()))
    }

    fn parse(file: &Path, text: &str) -> Result<Manifest, String> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| e.to_string().trim_end().to_owned())?;
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("unknown key `{key}`; {}", advice(key, &KEYS)));
        }
        let manifest = Manifest {
            file: file.to_owned(),
            name: text_of(&table, "name")?,
            version: text_of(&table, "version")?,
            description: text_of(&table, "description")?,
            needs: needs(&table)?,
        };
        match &manifest.name {
            Some(name) if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '/') => {
                Err(format!("`name` must be without spaces and slashes, got {name:?}"))
            }
            Some(name) if RESERVED.contains(&name.as_str()) => {
                Err(format!("`name` can't be `{name}`: that is what ships with panto; choose another"))
            }
            _ => Ok(manifest),
        }
    }

    pub fn allows(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Why the extension may not do `what`, which needs these rights, if it may not.
    pub fn refusal(&self, extension: &str, what: &str, needs: &[Need]) -> Option<String> {
        let lacking = needs.iter().find(|need| !self.allows(**need))?;
        let (name, file) = (lacking.name(), self.file.display());
        let more = if *lacking == Need::Run { " (to run programs and whatever tools can do)" } else { "" };
        Some(format!("{what}: extension '{extension}' has no right `{name}`{more}; add it to needs in {file}"))
    }
}

fn text_of(table: &Table, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{key}` must be a string, got {}", other.type_str())),
    }
}

fn needs(table: &Table) -> Result<Vec<Need>, String> {
    let names = Need::ALL.map(Need::name);
    let all = names.join(" ");
    let Some(value) = table.get("needs") else {
        return Err(format!("`needs` is missing: list what the extension needs of {all}; [] is nothing"));
    };
    let list = value.as_array().ok_or_else(|| format!("`needs` must be a list of rights, got {}", value.type_str()))?;
    let need = |value: &Value| match value.as_str() {
        Some(name) => Need::named(name).ok_or_else(|| format!("`needs`: no right `{name}`; {}", advice(name, &names))),
        None => Err(format!("`needs` must be a list of strings, got {} in it", value.type_str())),
    };
    list.iter().map(need).collect()
}

fn advice(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Manifest, String> {
        Manifest::parse(Path::new("extension.toml"), text)
    }

    #[test]
    fn what_it_says_is_read() {
        let read = parse("name = 'x.y'\nversion = '1'\nneeds = ['fs_read', 'ui']").unwrap();
        assert_eq!((read.name.as_deref(), read.version.as_deref()), (Some("x.y"), Some("1")));
        assert!(read.allows(Need::Ui) && !read.allows(Need::Run));
        assert_eq!(parse("needs = []").unwrap().needs, []);
    }

    #[test]
    fn mistakes_are_named_with_what_was_meant() {
        for (text, told) in [
            ("need = []", "unknown key `need`; did you mean `needs`?"),
            ("needs = ['fs_raed']", "`needs`: no right `fs_raed`; did you mean `fs_read`?"),
            ("needs = ['x']", "there are fs_read fs_write run net env ui"),
            ("needs = 'run'", "`needs` must be a list of rights, got string"),
            ("needs = [1]", "`needs` must be a list of strings, got integer"),
            ("version = 1\nneeds = []", "`version` must be a string, got integer"),
            ("name = 'a b'\nneeds = []", "`name` must be without spaces"),
            ("name = 'std'\nneeds = []", "`name` can't be `std`: that is what ships with panto"),
            ("name = 'built-in'\nneeds = []", "`name` can't be `built-in`"),
            ("description = 'x'", "`needs` is missing"),
            ("needs = [", "line 1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn it_lies_beside_the_code() {
        assert_eq!(Manifest::beside(Path::new("/e/x.lua"), None), Path::new("/e/x.extension.toml"));
        assert_eq!(
            Manifest::beside(Path::new("/e/x/init.lua"), Some(Path::new("/e/x"))),
            Path::new("/e/x/extension.toml")
        );
    }
}
