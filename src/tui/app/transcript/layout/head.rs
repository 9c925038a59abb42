//! The one row that says what a block is: of a tool call, of thinking, of what is waited for.

use super::Look;
use crate::{
    backend::{Item, ItemBody, ToolStatus},
    conversation::Part,
    tui::{
        app::transcript::{
            block::{Block, Kind},
            clock,
            live::Live,
        },
        text::{Row, sanitize},
        theme::Role,
    },
};
use serde_json::Value;
use std::time::Duration;

/// What the result of a cancelled call says (sessions.md).
const CANCELLED: &str = "cancelled by the user";

pub fn row(item: &Item, block: &Block, look: &Look) -> Option<Row> {
    match block.kind {
        Kind::Thinking { .. } => Some(thinking(look)),
        Kind::Waiting => Some(busy("waiting for the model", look)),
        Kind::Calling { .. } => Some(busy(&calling(block), look)),
        Kind::Tool => Some(tool(item, block, look)),
        Kind::Nested => Some(nested(item, block, look)),
        Kind::User { .. } | Kind::Image { .. } | Kind::Answer { .. } | Kind::Note | Kind::Ending => None,
    }
}

fn thinking(look: &Look) -> Row {
    if look.grows {
        return busy("thinking", look);
    }
    let mark = if look.open { "▾ " } else { "▸ " };
    // Shorter than a frame, or of an earlier run that did not tell: no time is better than a wrong one.
    let words = match look.elapsed.filter(|t| !t.is_zero()) {
        Some(time) => format!("{mark}thought for {}", clock::whole(time.max(Duration::from_secs(1)))),
        None => format!("{mark}thought"),
    };
    fitted(&[(&words, Role::Thinking)], look)
}

fn calling(block: &Block) -> String {
    let Some(Live::Calling { bytes, title }) = block.live.as_deref() else { return "writing a call".into() };
    let title = title.as_deref().map_or("writing a call".into(), sanitize::line);
    if *bytes < 1000 { title.into_owned() } else { format!("{title}, {} KB", bytes / 1000) }
}

/// Something that goes on, with the time from the first second on.
fn busy(words: &str, look: &Look) -> Row {
    let time = look.elapsed.filter(|t| t.as_secs() > 0).map(|t| format!(" {}", clock::whole(t)));
    let mark = look.spinner.filter(|_| look.grows).unwrap_or("…");
    let parts =
        [(mark, Role::ToolRunning), (" ", Role::Dim), (words, Role::Thinking), (&time.unwrap_or_default(), Role::Dim)];
    fitted(&parts, look)
}

fn tool(item: &Item, block: &Block, look: &Look) -> Row {
    let ItemBody::Tool { tool_name, content, details, status, is_error, title, .. } = &item.body else {
        return Row::new();
    };
    let (mark, role) = match status {
        ToolStatus::Running => (look.spinner.unwrap_or("●"), Role::ToolRunning),
        _ if *is_error || *status == ToolStatus::Error => ("●", Role::ToolError),
        _ => ("●", Role::ToolDone),
    };
    let own = match block.live.as_deref() {
        Some(Live::Output(output)) => output.title.as_deref(),
        _ => None,
    };
    let title = own.unwrap_or(title);
    let title = sanitize::line(if title.trim().is_empty() { tool_name } else { title });
    let state = state(*status, *is_error, content, details.as_ref());
    let end = [time(*status, look), state].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    titled((mark, role), &title, &end, look)
}

fn nested(item: &Item, block: &Block, look: &Look) -> Row {
    let inner = Look { page: look.page.narrowed(4), ..*look };
    let mut row = Row::styled("  └ ", look.page.theme.style(Role::Dim));
    row.append(&tool(item, block, &inner));
    row
}

fn time(status: ToolStatus, look: &Look) -> Option<String> {
    match status {
        ToolStatus::Running => look.elapsed.filter(|t| t.as_secs() > 0).map(clock::whole),
        // What took no time to speak of needs no figure.
        ToolStatus::Complete | ToolStatus::Error => {
            look.elapsed.filter(|t| *t >= Duration::from_millis(100)).map(clock::exact)
        }
    }
}

/// How it ended, where that is worth a word.
pub fn state(status: ToolStatus, is_error: bool, content: &[Part], details: Option<&Value>) -> Option<String> {
    let detail = |key: &str| details.and_then(|d| d.get(key)).filter(|v| !v.is_null());
    if status == ToolStatus::Running {
        return None;
    }
    if let Some(signal) = detail("signal") {
        let name = signal.as_str().map_or_else(|| signal.to_string(), str::to_owned);
        return Some(format!("killed by signal {}", sanitize::line(&name)));
    }
    if let Some(code) = detail("exit_code").and_then(Value::as_i64).filter(|c| *c != 0) {
        return Some(format!("exit {code}"));
    }
    if is_error && Part::joined(content).trim() == CANCELLED {
        return Some("cancelled".into());
    }
    (is_error || status == ToolStatus::Error).then(|| "failed".into())
}

/// Mark, title, and what stands behind it: the title gives way where the page is too narrow.
fn titled((mark, role): (&str, Role), title: &str, end: &str, look: &Look) -> Row {
    let page = &look.page;
    let style = |role| page.theme.style(role);
    let mut row = Row::styled(mark, style(role));
    row.push(" ", style(role));
    let reserved = if end.is_empty() { 0 } else { page.ambiguous.width(end) + 2 };
    let mut words = Row::styled(title, style(Role::Strong));
    words.truncate(page.width.saturating_sub(row.width(page.ambiguous) + reserved).max(8), page.ambiguous);
    row.append(&words);
    if !end.is_empty() {
        row.push("  ", style(Role::Dim));
        row.push(end, style(if role == Role::ToolError { Role::ToolError } else { Role::Dim }));
    }
    row.truncate(page.width, page.ambiguous);
    row
}

fn fitted(parts: &[(&str, Role)], look: &Look) -> Row {
    let mut row = Row::new();
    parts.iter().for_each(|(text, role)| row.push(text, look.page.theme.style(*role)));
    row.truncate(look.page.width, look.page.ambiguous);
    row
}
