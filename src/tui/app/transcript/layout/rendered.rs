//! Below the title of a tool call that an extension renders: its element. Open, the usual view stands below it.

use super::{Look, lines, tool};
use crate::{
    backend::Item,
    tui::{
        app::transcript::block::Block,
        text::{Row, element},
        theme::Role,
    },
};

/// A folded element may take so many times the rows of a folded output: it was made to be seen.
const SHARE: usize = 2;

pub fn body(item: &Item, block: &Block, look: &Look) -> Vec<Row> {
    let Some(rendered) = &block.rendered else { return tool::body(item, block, look) };
    let limit = if look.open { usize::MAX } else { look.tool_lines * SHARE };
    let all = element::rows(rendered, &look.page.narrowed(2));
    let hidden = all.len().saturating_sub(limit);
    let mut rows: Vec<Row> = all.iter().take(limit).map(|row| tool::indented(row, look)).collect();
    if hidden > 0 {
        rows.push(dim(&format!("  … {} (Ctrl-O)", lines(hidden)), look));
    }
    if look.open {
        let plain = tool::body(item, block, look);
        if !plain.is_empty() {
            rows.push(dim("  as it came:", look));
            rows.extend(plain);
        }
    }
    rows
}

fn dim(words: &str, look: &Look) -> Row {
    let mut row = Row::styled(words, look.page.theme.style(Role::Dim));
    row.truncate(look.page.width, look.page.ambiguous);
    row
}
