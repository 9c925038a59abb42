//! What can go wrong with rocks, in words for the person who wanted one.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum RocksError {
    #[error("{doing} {}: {cause}", path.display())]
    File {
        /// `cannot write`, `cannot read`, …
        doing: &'static str,
        path: PathBuf,
        cause: std::io::Error,
    },
    /// luarocks has ended by itself.
    #[error("luarocks exited with code {code}{}", said(.message))]
    Exited {
        code: i64,
        /// Its own words for what was wrong.
        message: String,
    },
    /// An error in luarocks, or in a stand-in of panto's.
    #[error("luarocks failed: {0}")]
    Crashed(String),
    #[error(
        "luarocks is nowhere to be found: {0}. Install it (version 3.8 or later), or set PANTO_LUAROCKS to a folder \
         with luarocks/*.lua or to a .rock file"
    )]
    NoLuarocks(String),
    #[error("{0}")]
    Download(String),
    #[error("{what} has the SHA-256 {found}, but {wanted} was expected: it is not the file that panto knows")]
    Checksum { what: String, wanted: String, found: String },
    /// Programs that a build needs and that are not on PATH.
    #[error("{what} needs {}, which {} not on PATH: install {}", list(.tools), are(.tools), them(.tools))]
    NoTools { what: String, tools: Vec<&'static str> },
    #[error("another panto is at work on the rocks tree (it holds {}); try again when it is done", .0.display())]
    Busy(PathBuf),
}

impl RocksError {
    pub(super) fn file(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |cause| RocksError::File { doing, path: path.to_owned(), cause }
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn list(tools: &[&str]) -> String {
    match tools {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn are(tools: &[&str]) -> &'static str {
    if tools.len() == 1 { "is" } else { "are" }
}

fn them(tools: &[&str]) -> &'static str {
    if tools.len() == 1 { "it" } else { "them" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r50_what_is_missing_is_named_in_one_sentence() {
        let error =
            |tools: &[&'static str]| RocksError::NoTools { what: "luv".into(), tools: tools.into() }.to_string();
        assert_eq!(error(&["cmake"]), "luv needs cmake, which is not on PATH: install it");
        assert_eq!(
            error(&["a C compiler (cc, gcc or clang)", "make", "cmake"]),
            "luv needs a C compiler (cc, gcc or clang), make and cmake, which are not on PATH: install them"
        );
    }
}
