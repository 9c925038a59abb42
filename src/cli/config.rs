//! `panto config`: every setting, and where it comes from.

use super::start::Start;
use super::{models, terminal::harmless};
use crate::provider::KeyRow;
use std::{io, io::Write};

pub fn run(start: &Start, show_origin: bool, out: &mut dyn Write) -> io::Result<()> {
    let home = start.paths.home.as_deref();
    let rows = start.config.settings();
    let width = rows.iter().map(|r| r.key.len() + r.value.chars().count() + 3).max().unwrap_or(0).min(60);
    for row in rows {
        let line = format!("{} = {}", row.key, row.value);
        match show_origin {
            false => writeln!(out, "{line}")?,
            true => writeln!(out, "{line:width$}  # {}", row.origin.shown(home))?,
        }
    }
    if show_origin { keys(start, out) } else { Ok(()) }
}

/// Where the keys of providers come from; the first of each counts.
fn keys(start: &Start, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n# API keys; of several the first counts: {ORDER}")?;
    for KeyRow { provider, origins, required, .. } in models::providers(start).keys() {
        let provider = harmless(&provider);
        match origins.as_slice() {
            [] if required => writeln!(out, "# {provider:<12} none")?,
            [] => {}
            origins => writeln!(out, "# {provider:<12} {}", harmless(&origins.join(", then ")))?,
        }
    }
    Ok(())
}

const ORDER: &str = "environment, system keyring or auth.json (`panto login`), api_key_command, config.toml";
