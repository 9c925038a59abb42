//! Blocks become rows: a head (one row that says what it is, where there is one) and a body.

mod ending;
mod excerpt;
mod head;
mod note;
mod output;
mod rendered;
mod tool;

pub use ending::ending;
pub use head::state as tool_state;
pub use note::folds as note_folds;
pub use tool::without_names;

use super::{
    block::{Block, Kind},
    drawn::{Body, Drawn},
    live::Live,
    prose::wrap_plain,
};
use crate::{
    backend::{ContentPart, Item, ItemBody},
    tui::{
        picture::Pictures,
        text::{Ambiguous, Markdown, Page, Row, wrap::Margin},
        theme::Role,
    },
};
use std::time::Duration;

/// How a block is looked at.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub page: Page<'a>,
    pub pictures: &'a Pictures,
    /// All of it, not folded.
    pub open: bool,
    /// It is the part that is coming at the moment.
    pub grows: bool,
    /// Rows of a folded output.
    pub tool_lines: usize,
    /// None where motion is off.
    pub spinner: Option<&'static str>,
    pub elapsed: Option<Duration>,
}

/// Lays the block out; says how many rows it has.
pub fn lay_out(item: &Item, block: &mut Block, look: &Look) -> usize {
    let head = head::row(item, block, look);
    let body = body(item, block, look);
    let drawn = Drawn { head, body };
    let height = drawn.height(block.live.as_deref());
    block.drawn = Some(Box::new(drawn));
    height
}

/// Makes the head again, at a later moment.
pub fn head_again(item: &Item, block: &mut Block, look: &Look) {
    let head = head::row(item, block, look);
    if let Some(drawn) = &mut block.drawn {
        drawn.head = head;
    }
}

fn body(item: &Item, block: &mut Block, look: &Look) -> Body {
    let page = &look.page;
    match block.kind {
        Kind::Answer { .. } => answer(item, block, page),
        Kind::Thinking { .. } if !look.open => Body::Rows(vec![]),
        Kind::Thinking { .. } => thinking(item, block, page),
        Kind::User { .. } => Body::Rows(said(block.text(item).unwrap_or_default(), page)),
        Kind::Image { part } => Body::Rows(picture(item, part, look)),
        Kind::Tool => Body::Rows(rendered::body(item, block, look)),
        Kind::Nested => Body::Rows(nested(item, block, look)),
        Kind::Note => Body::Rows(note::body(item, block, look)),
        Kind::Ending => Body::Rows(ending::body(&item.body, page)),
        Kind::Calling { .. } | Kind::Waiting => Body::Rows(vec![]),
    }
}

/// Of a call by a call nobody sees the output who doesn't ask for it: the outer call says what came of it.
fn nested(item: &Item, block: &Block, look: &Look) -> Vec<Row> {
    if !look.open {
        return vec![];
    }
    let inner = Look { page: look.page.narrowed(2), ..*look };
    tool::body(item, block, &inner).iter().map(|row| tool::indented(row, look)).collect()
}

fn answer(item: &Item, block: &mut Block, page: &Page) -> Body {
    if let Some(Live::Answer(markdown)) = block.live.as_deref_mut() {
        markdown.lay_out(page);
        return Body::Live;
    }
    let mut markdown = match block.drawn.take().map(|d| d.body) {
        Some(Body::Answer(markdown)) => markdown,
        _ => Box::new(Markdown::whole(block.text(item).unwrap_or_default())),
    };
    markdown.lay_out(page);
    Body::Answer(markdown)
}

fn thinking(item: &Item, block: &mut Block, page: &Page) -> Body {
    let style = page.theme.style(Role::Thinking);
    let margin = margin("  ", "  ", Role::Thinking, page);
    if let Some(Live::Thinking(prose)) = block.live.as_deref_mut() {
        prose.lay_out(page, style, &margin);
        return Body::Live;
    }
    let mut rows = vec![];
    let text = block.text(item).unwrap_or_default().trim_end();
    if !text.is_empty() {
        wrap_plain(text, page, style, &margin, &mut rows);
    }
    Body::Rows(rows)
}

fn said(text: &str, page: &Page) -> Vec<Row> {
    let mut rows = vec![];
    let style = page.theme.style(Role::User);
    wrap_plain(text.trim_end(), page, style, &margin("▌ ", "▌ ", Role::User, page), &mut rows);
    rows
}

fn picture(item: &Item, part: usize, look: &Look) -> Vec<Row> {
    let user = matches!(item.body, ItemBody::User { .. });
    let (ItemBody::User { content } | ItemBody::Assistant { content, .. }) = &item.body else { return vec![] };
    let Some(ContentPart::Image { mime, data }) = content.get(part) else { return vec![] };
    let mark = if user { "▌ " } else { "  " };
    let margin = margin(mark, mark, Role::User, &look.page);
    let mut rows = drawn_picture(data, &margin, look);
    let style = look.page.theme.style(Role::Dim);
    wrap_plain(&picture_words(mime, data), &look.page, style, &margin, &mut rows);
    rows
}

/// The rows of a picture (base64) that is ready, behind a margin; else none.
fn drawn_picture(data: &str, margin: &Margin, look: &Look) -> Vec<Row> {
    let ambiguous = look.page.ambiguous;
    let before = margin.rest.width(ambiguous);
    let room = look.page.width.saturating_sub(before + 1);
    let Some(drawn) = look.pictures.rows(data, room) else { return vec![] };
    // Where a cell's sign takes two columns, a picture of such signs would be twice as wide.
    let fits =
        drawn.iter().all(|row| row.width(ambiguous) <= room && row.width(ambiguous) == row.width(Ambiguous::Narrow));
    let behind = |row: &Row| {
        let mut whole = margin.rest.clone();
        whole.append(row);
        if let Some((column, art)) = row.art() {
            whole.adorn(column.saturating_add(before as u16), art.clone());
        }
        whole
    };
    if fits { drawn.iter().map(behind).collect() } else { vec![] }
}

/// `[picture: image/png, 12 KB]`; `data` is base64.
fn picture_words(mime: &str, data: &str) -> String {
    let bytes = data.len() / 4 * 3;
    let size = if bytes < 1000 { format!("{bytes} bytes") } else { format!("{} KB", bytes.div_ceil(1000)) };
    format!("[picture: {mime}, {size}]")
}

/// What stands left of the first and of the other rows. Dropped where the page is too narrow for it.
fn margin(first: &str, rest: &str, role: Role, page: &Page) -> Margin {
    if page.width < 6 {
        return Margin::default();
    }
    let row = |text| Row::lead_in(text, page.theme.style(role));
    Margin { first: row(first), rest: row(rest) }
}

/// `1 line`, `12 lines`.
fn lines(count: usize) -> String {
    if count == 1 { "1 line".into() } else { format!("{count} lines") }
}
