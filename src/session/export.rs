//! Sessions for people and for other programs.

use super::{LoadError, Loaded};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Md,
    Html,
    Jsonl,
}

/// The active branch of a session as a document; `Jsonl` is the header and its raw lines.
pub fn render(loaded: &Loaded, format: Format) -> Result<String, LoadError> {
    let _ = (loaded, format);
    todo!()
}

impl std::str::FromStr for Format {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "md" => Ok(Format::Md),
            "html" => Ok(Format::Html),
            "jsonl" => Ok(Format::Jsonl),
            _ => Err(format!("`{s}` is no format: write md, html or jsonl")),
        }
    }
}
