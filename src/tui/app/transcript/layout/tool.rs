//! Below the title of a tool call: its output while it runs and afterwards, or the diff of what it changed.

use super::{
    Look, drawn_picture, excerpt, margin,
    output::{self, End},
    picture_words,
};
use crate::{
    backend::{Item, ItemBody, ToolStatus},
    conversation::Part,
    tui::{
        app::transcript::{
            block::{Block, Kind},
            live::Live,
        },
        text::{Row, diff, sanitize, wrap},
        theme::Role,
    },
};
use serde_json::Value;

/// A folded diff may take so many times the rows of a folded output: what was changed is what one wants to see.
const DIFF_SHARE: usize = 2;

pub fn body(item: &Item, block: &Block, look: &Look) -> Vec<Row> {
    let ItemBody::Tool { content, details, status, is_error, .. } = &item.body else { return vec![] };
    if *status == ToolStatus::Running {
        return live(block, look);
    }
    let detail = |key: &str| details.as_ref().and_then(|d| d.get(key)).filter(|v| !v.is_null());
    let failed = *is_error || *status == ToolStatus::Error;
    if let Some(unified) = detail("diff").and_then(Value::as_str).filter(|d| !failed && !d.trim().is_empty()) {
        return edits(unified, look);
    }
    // A process tells the outcome at its end, a file or a listing begins with what matters.
    let end = if detail("exit_code").or(detail("signal")).is_some() { End::Tail } else { End::Head };
    let role = if failed { Role::ToolError } else { Role::ToolOutput };
    let mut rows = output::rows(&Part::joined(content), end, role, look);
    let bar = margin("  │ ", "  │ ", Role::Dim, &look.page);
    content.iter().filter_map(picture).for_each(|(data, words)| {
        if block.kind == Kind::Tool {
            rows.extend(drawn_picture(data, &bar, look));
        }
        let row = Row::styled(&words, look.page.theme.style(Role::Dim));
        wrap::wrap(&row, look.page.width, look.page.ambiguous, wrap::Break::Words, &bar, &mut rows);
    });
    rows
}

fn live(block: &Block, look: &Look) -> Vec<Row> {
    let Some(Live::Output(output)) = block.live.as_deref() else { return vec![] };
    let Some(log) = &output.log else { return vec![] };
    output::fold(log.rows(), log.total(), End::Tail, Role::ToolOutput, look)
}

/// A picture's data, and the words for it.
fn picture(part: &Part) -> Option<(&str, String)> {
    match part {
        Part::Image { mime, data } => Some((data, sanitize::line(&picture_words(mime, data)).into_owned())),
        Part::Text { .. } | Part::Other(_) => None,
    }
}

fn edits(unified: &str, look: &Look) -> Vec<Row> {
    let unified = without_names(unified);
    let limit = look.tool_lines * DIFF_SHARE;
    let cut = if look.open { None } else { excerpt::excerpt(unified, limit) };
    let (unified, hidden) = match &cut {
        Some((text, hidden)) => (text.as_str(), *hidden),
        None => (unified, 0),
    };
    let page = look.page.narrowed(2);
    let mut rows: Vec<_> = diff::rows(unified, &page).iter().map(|row| indented(row, look)).collect();
    if hidden > 0 {
        let words = format!("  … {} (Ctrl-O)", super::lines(hidden));
        let mut row = Row::styled(&words, look.page.theme.style(Role::Dim));
        row.truncate(look.page.width, look.page.ambiguous);
        rows.push(row);
    }
    rows
}

pub fn indented(row: &Row, look: &Look) -> Row {
    let mut out = Row::lead_in("  ", look.page.theme.style(Role::Text));
    out.append(row);
    out
}

/// The diff of one file without the file's name, which stands in the title.
pub fn without_names(unified: &str) -> &str {
    let files = unified.lines().filter(|l| l.starts_with("+++ ")).count();
    match unified.find("@@ -") {
        Some(at) if files == 1 && (at == 0 || unified[..at].ends_with('\n')) => &unified[at..],
        _ => unified,
    }
}
