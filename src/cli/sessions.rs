//! `panto sessions …`.

use crate::session::{Store, export::Format};
use clap::Subcommand;
use std::path::{Path, PathBuf};

/// What can be done with stored sessions. ID may be a unique beginning.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionsCommand {
    /// List sessions, latest activity first
    List {
        /// Only those of this folder
        #[arg(long, conflicts_with = "repository")]
        here: bool,
        /// Only those of this git repository
        #[arg(long)]
        repository: bool,
        /// Words that occur in the name, id, path or contents
        query: Vec<String>,
    },
    /// Print a session
    Show { id: String },
    /// Write a session as a document
    Export {
        id: String,
        /// md, html or jsonl
        #[arg(long, default_value = "md")]
        format: Format,
        /// Write to this file instead of standard output
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Write a repaired copy of a damaged session
    Repair { id: String },
    /// Move sessions to the trash folder
    #[command(alias = "rm")]
    Delete {
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Name a session
    Rename { id: String, name: String },
}

/// Runs a subcommand; gives what goes to standard output. Notes go to `note`, a line each.
pub fn run(
    store: &Store,
    cwd: &Path,
    command: SessionsCommand,
    note: &mut dyn FnMut(&str),
) -> Result<String, anyhow::Error> {
    let _ = (store, cwd, command, note);
    todo!()
}
