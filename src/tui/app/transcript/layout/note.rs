//! Notes between the items: what the program says, marks of compaction and branches.

use super::{
    Look, margin,
    output::{self, End},
};
use crate::{
    backend::{Item, ItemBody},
    tui::{
        app::transcript::{block::Block, live::Live, prose::wrap_plain},
        text::Row,
        theme::Role,
    },
};

pub fn body(item: &Item, block: &Block, look: &Look) -> Vec<Row> {
    let ItemBody::Note { kind, text } = &item.body else { return vec![] };
    let (mark, role) = match kind.as_str() {
        "error" => ("✗ ", Role::Error),
        "warning" => ("! ", Role::Warning),
        "info" => ("· ", Role::Notice),
        _ => ("── ", Role::Dim),
    };
    let mut rows = vec![];
    if folds(kind) {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        wrap_plain(first, &look.page, look.page.theme.style(role), &margin(mark, "  ", role, &look.page), &mut rows);
        rows.extend(output::rows(rest, End::Tail, Role::ToolOutput, look));
    } else {
        let margin = margin(mark, "  ", role, &look.page);
        wrap_plain(text.trim_end(), &look.page, look.page.theme.style(role), &margin, &mut rows);
    }
    if let Some(Live::Output(output)) = block.live.as_deref()
        && let Some(log) = &output.log
    {
        rows.extend(output::fold(log.rows(), log.total(), End::Tail, Role::ToolOutput, look));
    }
    rows
}

/// Whether a note of this kind is a first line and an output that can be folded. What warns is always shown whole.
pub fn folds(kind: &str) -> bool {
    !matches!(kind, "error" | "warning" | "info")
}
