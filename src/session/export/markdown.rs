//! A session as Markdown.

use super::{About, Call, Piece, duration, spent};
use std::fmt::Write;

pub fn write(about: &About, pieces: &[Piece]) -> String {
    let About { title, id, began, cwd, usage, .. } = about;
    let mut out = format!("# {title}\n\nSession `{id}`, {began}, in `{cwd}`");
    for more in [about.models.join(", "), spent(usage)].iter().filter(|m| !m.is_empty()) {
        out.extend([", ", more]);
    }
    out.push('\n');
    for piece in pieces {
        out.push('\n');
        write_piece(&mut out, piece);
    }
    out
}

fn write_piece(out: &mut String, piece: &Piece) {
    let written = match piece {
        Piece::User { at } => writeln!(out, "## You\n\n*{at}*"),
        Piece::Assistant { model, at } => writeln!(out, "## {model}\n\n*{at}*"),
        Piece::Text(text) => writeln!(out, "{}", text.trim_end()),
        Piece::Thinking { text, ms: None } => return quote(out, "*thought*", text),
        Piece::Thinking { text, ms: Some(ms) } => {
            return quote(out, &format!("*thought for {}*", duration(*ms)), text);
        }
        Piece::Call(call) => return write_call(out, call),
        Piece::Image(image) => writeln!(out, "*[{}]*", image.mime),
        Piece::Note(text) => return quote(out, "", text),
        Piece::Aside { title, text } => return quote(out, &format!("*{title}*"), text),
        Piece::Broken(text) => writeln!(out, "*{text}*"),
    };
    written.expect("writing to a string cannot fail");
}

fn write_call(out: &mut String, call: &Call) {
    let failed = if call.failed { " (failed)" } else { "" };
    let took = call.ms.map(|ms| format!(" ({})", duration(ms))).unwrap_or_default();
    let named = if call.title.starts_with(&call.name) { String::new() } else { format!("{}: ", call.name) };
    let _ = writeln!(out, "### {named}{}{took}{failed}\n", call.title.trim_end());
    fenced(out, "json", &call.input);
    out.push('\n');
    match &call.diff {
        Some(diff) if !call.failed => fenced(out, "diff", diff),
        _ => fenced(out, "", &call.output),
    }
    for image in &call.images {
        let _ = writeln!(out, "\n*[{}]*", image.mime);
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
