//! State drawn into a buffer: no I/O, no clock, colours only through roles.

mod children;
mod completion;
mod dialog;
mod editor;
mod form;
mod frame;
mod jobs;
mod kept;
mod pen;
mod picker;
mod reading;
mod status;
pub mod transcript;
mod tree;
mod widgets;

pub use kept::Kept;

use super::app::App;
use super::app::areas::{self, Areas};
use super::app::words::one_line;
use super::beside::Beside;
use super::theme::Role;
use crate::backend::Level;
use pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Style};

/// Draws a frame of the prepared state, with what it has beside the cells.
pub fn compose(app: &App, buffer: &mut Buffer, kept: &[bool]) -> Beside {
    let caret = draw(app, buffer, kept);
    let mut beside = Beside { caret, ..Beside::default() };
    if app.fits() {
        children::beside(app, Areas::of(app).transcript, &mut beside);
    }
    if !app.screen.links {
        beside.links.clear();
    }
    beside
}

/// Draws a frame of the prepared state; says where the caret is. Lines that are kept stay as they are.
pub fn draw(app: &App, buffer: &mut Buffer, kept: &[bool]) -> Option<Position> {
    let text = app.look.theme.style(Role::Text);
    if !is_plain(text) {
        let lines = buffer.area.rows().enumerate().filter(|(y, _)| !kept.get(*y).is_some_and(|kept| *kept));
        lines.for_each(|(_, line)| buffer.set_style(line, text));
    }
    if !app.fits() {
        too_small(app, buffer);
        return None;
    }
    let areas = Areas::of(app);
    children::draw(app, areas.transcript, buffer, kept);
    let mut pen = Pen::new(app, buffer);
    around_the_editor(app, &areas, &mut pen);
    widgets::draw(app, &areas, &mut pen);
    jobs::draw(app, &areas, &mut pen);
    status::draw(app, areas.status, &mut pen);
    let caret = editor::draw(app, areas.editor, &mut pen);
    let reading = reading::draw(app, areas.reading, &mut pen);
    let caret = if app.open.reading.is_some() { reading } else { caret };
    let over = Rect { height: areas.transcript.height, ..areas.transcript };
    if let Some(completion) = &app.open.completion {
        completion::draw(app, completion, over, &mut pen);
    }
    let free = areas.free(app.screen.size);
    if let Some(dialog) = app.dialog() {
        return dialog::draw(app, dialog, free, &mut pen);
    }
    match &app.open.picker {
        Some(picker) => picker::draw(app, picker, free, &mut pen),
        None => caret,
    }
}

/// What an empty cell has anyway: the terminal's own colours.
fn is_plain(style: Style) -> bool {
    let own = |color: Option<Color>| color.is_none_or(|color| color == Color::Reset);
    own(style.fg) && own(style.bg) && own(style.underline_color) && style.add_modifier.is_empty()
}

fn too_small(app: &App, buffer: &mut Buffer) {
    let area = buffer.area;
    Pen::new(app, buffer).words(area, 0, &[("too small", Role::Warning)]);
}

/// Banner, queued texts, hint, rule.
fn around_the_editor(app: &App, areas: &Areas, pen: &mut Pen) {
    if let Some(banner) = areas::banner(app) {
        pen.words(areas.banner, 0, &[(&banner, Role::Error)]);
    }
    let (queued, room) = (areas::queued(app), usize::from(areas.queue.height));
    let seen = if queued.len() > room { room.saturating_sub(1) } else { room };
    for (line, (what, text)) in queued.iter().take(seen).enumerate() {
        let text = format!("{what}: \"{}\"", one_line(text));
        pen.words(areas.queue, line, &[(&text, Role::Dim)]);
    }
    if queued.len() > seen {
        let rest = format!("and {} more", queued.len() - seen);
        pen.words(areas.queue, seen, &[(&rest, Role::Dim)]);
    }
    let role = match app.open.hint.as_ref().map(|h| h.level) {
        Some(Level::Error) => Role::Error,
        Some(Level::Warning) => Role::Warning,
        _ => Role::Notice,
    };
    for (line, text) in areas::hint_rows(app).iter().enumerate() {
        pen.words(areas.hint, line, &[(text, role)]);
    }
    pen.rule(areas.rule, Role::Border);
}

#[cfg(test)]
pub(super) mod tests;
