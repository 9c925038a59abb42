//! Where things lie: `<data>` (PANTO_HOME, else XDG_DATA_HOME/panto, else ~/.local/share/panto) and `<config>/panto`.

use std::path::{Path, PathBuf};

/// The environment as a parameter, so that tests bring their own.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The process's own environment.
pub fn process_env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// No home directory can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("NoHomeDirectory: set HOME, XDG_DATA_HOME or PANTO_HOME")]
pub struct NoHomeDirectory;

/// The folders of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Sessions, log, history, trust, rocks.
    pub data: PathBuf,
    /// config.toml, keymap.toml, themes, extensions, tools, …
    pub config: PathBuf,
    pub home: Option<PathBuf>,
}

impl Paths {
    pub fn find(env: Env) -> Result<Paths, NoHomeDirectory> {
        let set = |name: &str| env(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let home = set("HOME");
        let data = set("PANTO_HOME")
            .or_else(|| set("XDG_DATA_HOME").map(|p| p.join("panto")))
            .or_else(|| home.as_ref().map(|h| h.join(".local/share/panto")))
            .ok_or(NoHomeDirectory)?;
        let config =
            set("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|h| h.join(".config"))).ok_or(NoHomeDirectory)?;
        Ok(Paths { data, config: config.join("panto"), home })
    }

    pub fn sessions(&self) -> PathBuf {
        self.data.join("sessions")
    }
}

/// `~/x` and `~` with the home directory put in.
pub fn expand_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// With the home directory shortened to `~`.
pub fn shorten(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|h| path.strip_prefix(h).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".into(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// `name-2.html` of `name.html` and 2; 1 is the name itself.
pub fn numbered(path: &Path, n: u32) -> PathBuf {
    if n < 2 {
        return path.to_owned();
    }
    let part = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned());
    let stem = part(path.file_stem()).unwrap_or_default();
    let ending = part(path.extension()).map(|e| format!(".{e}")).unwrap_or_default();
    path.with_file_name(format!("{stem}-{n}{ending}"))
}
