//! The draft with its prompt, scrolled so that the caret is seen.

use super::pen::Pen;
use crate::tui::app::App;
use crate::tui::app::areas::PROMPT;
use crate::tui::app::editor::shown;
use crate::tui::app::words::one_line;
use crate::tui::keymap::Context;
use crate::tui::theme::Role;
use ratatui::layout::{Position, Rect};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// Draws the editor; says where the caret is.
pub fn draw(app: &App, area: Rect, pen: &mut Pen) -> Option<Position> {
    let layout = app.editor.layout();
    let height = usize::from(area.height);
    let top = layout.top(height);
    for (line, row) in layout.rows.iter().skip(top).take(height).enumerate() {
        let text: String = app.editor.lines()[row.line][row.bytes.clone()].graphemes(true).map(shown).collect();
        let prompt = if line == 0 { "> " } else { "  " };
        pen.words(area, line, &[(prompt, Role::Prompt), (&text, Role::Text)]);
    }
    if app.editor.is_empty() {
        let row = pen.row(&[(&placeholder(app), Role::Placeholder)]);
        let help = pen.fit(row, usize::from(area.width.saturating_sub(PROMPT)));
        pen.paint_at(area, PROMPT, 0, &help);
    }
    let column = PROMPT.saturating_add(u16::try_from(layout.caret.1).unwrap_or(u16::MAX));
    let row = u16::try_from(layout.caret.0.saturating_sub(top)).unwrap_or(u16::MAX);
    (row < area.height).then(|| Position::new((area.x + column).min(area.right().saturating_sub(1)), area.y + row))
}

/// What Enter does with what is typed. Where something else has the keys, nothing.
fn placeholder(app: &App) -> Cow<'static, str> {
    if !matches!(app.context(), Context::Main | Context::Completion) {
        return "".into();
    }
    if let Some(id) = &app.children.focus {
        let name = one_line(app.children.name_of(id));
        return match app.children.job_of(id).is_some_and(|job| !job.state.is_over()) {
            true => format!("Enter steers {name}, Esc back").into(),
            false => format!("Enter resumes {name}, Esc back").into(),
        };
    }
    let words = match (app.session.as_ref().is_some_and(|s| s.read_only), app.is_running()) {
        (true, _) => "read-only: /fork goes on in a copy",
        (_, true) => "Enter steers the turn, Tab queues a follow-up",
        _ => "type a prompt · / commands · @ files · ! shell",
    };
    words.into()
}
