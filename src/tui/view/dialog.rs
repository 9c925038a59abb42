//! A question over the panes. Its answers are always seen; a long text is cut.

use super::frame;
use super::pen::Pen;
use crate::tui::app::App;
use crate::tui::app::dialog::Dialog;
use crate::tui::app::words::broken;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

const WIDTH: u16 = 84;

pub fn draw(app: &App, dialog: &Dialog, free: Rect, pen: &mut Pen) {
    let width = WIDTH.min(free.width.saturating_sub(4));
    let room = frame::inside(frame::place(free, width, free.height)).width;
    let body = broken(&dialog.body, usize::from(room), app);
    let answers = dialog.choices.len();
    let height = u16::try_from(body.len() + answers + 3).unwrap_or(u16::MAX);
    let area = frame::place(free, width, height);
    let more = app.open.dialogs.len() - 1;
    let title = if more > 0 { format!("{} (and {more} more)", dialog.title) } else { dialog.title.clone() };
    let inside = frame::draw(area, &title, pen);
    let for_body = usize::from(inside.height).saturating_sub(answers + 1);
    for (line, text) in body.iter().take(for_body).enumerate() {
        let cut = line + 1 == for_body && body.len() > for_body;
        let parts = if cut { [("…", Role::Dim)] } else { [(text.as_str(), Role::Text)] };
        pen.words(inside, line, &parts);
    }
    let first = usize::from(inside.height).saturating_sub(answers);
    for (index, choice) in dialog.choices.iter().enumerate() {
        let key = format!("[{}] ", choice.key);
        pen.words(inside, first + index, &[(&key, Role::Accent), (choice.label, Role::Text)]);
        if index == dialog.marked {
            pen.highlight(inside, first + index, Role::Selection);
        }
    }
}
