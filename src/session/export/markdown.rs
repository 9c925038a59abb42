//! A session as Markdown.

use super::{Loaded, Piece, plain};
use std::fmt::Write;

pub fn write(title: &str, loaded: &Loaded, pieces: &[Piece]) -> String {
    let header = &loaded.header;
    let mut out = format!("# {title}\n\n");
    let _ = writeln!(out, "Session `{}`, {}, in `{}`", plain(&header.id), plain(&header.timestamp), cwd(loaded));
    for piece in pieces {
        out.push('\n');
        write_piece(&mut out, piece);
    }
    out
}

fn cwd(loaded: &Loaded) -> String {
    plain(&loaded.header.cwd.to_string_lossy())
}

fn write_piece(out: &mut String, piece: &Piece) {
    match piece {
        Piece::Speaker { name, at } => {
            let _ = writeln!(out, "## {name}\n\n*{at}*");
        }
        Piece::Text(text) => {
            let _ = writeln!(out, "{}", text.trim_end());
        }
        Piece::Thinking(text) => quote(out, "*thought*", text),
        Piece::Call { name, input, output, failed } => {
            let _ = writeln!(out, "### {name}{}\n", if *failed { " (failed)" } else { "" });
            fenced(out, "json", input);
            out.push('\n');
            fenced(out, "", output);
        }
        Piece::Image { mime, .. } => {
            let _ = writeln!(out, "*[{mime}]*");
        }
        Piece::Note(text) => quote(out, "", text),
    }
}

fn quote(out: &mut String, first: &str, text: &str) {
    for line in Some(first).filter(|f| !f.is_empty()).into_iter().chain(text.trim_end().lines()) {
        let _ = writeln!(out, "> {line}");
    }
}

/// A code block whose fence is longer than any in it.
fn fenced(out: &mut String, language: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(out, "{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'));
}
