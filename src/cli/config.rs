//! `panto config`: every setting, and where it comes from.

use super::start::Start;
use crate::config::Origin;
use crate::util::paths::shorten;
use std::{io, io::Write};

pub fn run(start: &Start, show_origin: bool, out: &mut dyn Write) -> io::Result<()> {
    let home = start.paths.home.as_deref();
    let rows = start.config.settings();
    let width = rows.iter().map(|r| r.key.len() + r.value.chars().count() + 3).max().unwrap_or(0).min(60);
    for row in rows {
        let line = format!("{} = {}", row.key, row.value);
        match (&row.origin, show_origin) {
            (_, false) => writeln!(out, "{line}")?,
            (Origin::File { path, line: at }, true) => {
                writeln!(out, "{line:width$}  # {}:{at}", shorten(path, home))?;
            }
            (origin, true) => writeln!(out, "{line:width$}  # {origin}")?,
        }
    }
    Ok(())
}
