//! A question over the panes. Its answers are always seen; a long text scrolls.

use super::pen::Pen;
use super::{form, frame};
use crate::tui::app::App;
use crate::tui::app::areas::place;
use crate::tui::app::dialog::{Dialog, Verdict, WIDTH};
use crate::tui::theme::Role;
use ratatui::layout::{Position, Rect};

/// Draws the question; says where the caret is, if something can be typed.
pub fn draw(app: &App, dialog: &Dialog, free: Rect, pen: &mut Pen) -> Option<Position> {
    let width = WIDTH.min(free.width.saturating_sub(4));
    let body = dialog.rows(app);
    let area = place(free, width, dialog.height(body.len()));
    let more = app.open.dialogs.len() - 1;
    let title = if more > 0 { format!("{} (and {more} more)", dialog.title) } else { dialog.title.clone() };
    let inside = frame::draw(area, &title, pen);
    let for_body = text(&body, dialog, inside, pen);
    match &dialog.form {
        Some(form) => {
            let skipped = u16::try_from(for_body + usize::from(for_body > 0)).unwrap_or(u16::MAX).min(inside.height);
            let below = Rect { y: inside.y + skipped, height: inside.height - skipped, ..inside };
            form::draw(app, form, below, pen)
        }
        None => {
            choices(dialog, inside, pen);
            pen.on_rule(area, usize::from(area.height.saturating_sub(1)), escape(dialog.dismissal));
            None
        }
    }
}

/// As much of the text as there is room for; says how many rows that are.
fn text(body: &[(Role, String)], dialog: &Dialog, area: Rect, pen: &mut Pen) -> usize {
    let room = dialog.room_of_text(area.height);
    if body.len() <= room {
        for (line, (role, text)) in body.iter().enumerate() {
            pen.words(area, line, &[(text.as_str(), *role)]);
        }
        return body.len();
    }
    // The last row says that there is more, unless it is the only one.
    let seen = if room > 1 { room - 1 } else { room };
    let first = dialog.skipped.min(body.len() - seen);
    for (line, (role, text)) in body[first..].iter().take(seen).enumerate() {
        pen.words(area, line, &[(text.as_str(), *role)]);
    }
    if seen == room {
        return room;
    }
    let place = format!("rows {}–{} of {}, PgUp PgDn", first + 1, first + seen, body.len());
    pen.words(area, seen, &[(&place, Role::Dim)]);
    room
}

/// What Esc means, which is none of the choices.
fn escape(dismissal: Verdict) -> &'static str {
    match dismissal {
        Verdict::Approve(_) => "Esc: no, and the turn ends",
        Verdict::Dismiss => "Esc: no answer",
        Verdict::Trust(_) => "Esc: not now",
        Verdict::Demo => "Esc: go on with the demo",
        Verdict::Quit => "Esc: quit",
        _ => "Esc: leave it",
    }
}

fn choices(dialog: &Dialog, area: Rect, pen: &mut Pen) {
    let height = usize::from(area.height);
    let seen = dialog.choices_seen(height);
    // The marked one is among them.
    let skipped = (dialog.marked + 1).saturating_sub(seen);
    let first = height.saturating_sub(seen);
    for (line, (index, choice)) in dialog.choices.iter().enumerate().skip(skipped).take(seen).enumerate() {
        let key = format!("[{}] ", choice.key);
        pen.words(area, first + line, &[(&key, Role::Accent), (&choice.label, Role::Text)]);
        if index == dialog.marked {
            pen.highlight(area, first + line, Role::Selection);
        }
    }
}
