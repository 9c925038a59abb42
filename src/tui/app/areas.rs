//! Where the panes are: the screen cut up, from the bottom. Pure, and safe at every size.

use super::App;
use super::children::{is_strip, pane_width};
use super::widgets::side_width;
use super::words::broken;
use crate::backend::{Notice, Place};
use ratatui::layout::{Position, Rect, Size};

/// The panes of a frame. One that has no room is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    pub transcript: Rect,
    /// "not being saved".
    pub banner: Rect,
    pub queue: Rect,
    pub hint: Rect,
    /// What is searched for, or what the keys of the transcript are.
    pub reading: Rect,
    /// Widgets over the editor, under it, and beside the transcript.
    pub above: Rect,
    pub below: Rect,
    pub side: Rect,
    /// The list of jobs beside the transcript, or as a line under it.
    pub jobs: Rect,
    pub strip: Rect,
    pub rule: Rect,
    pub editor: Rect,
    pub status: Rect,
}

/// Columns of the prompt `> `.
pub const PROMPT: u16 = 2;

impl Areas {
    pub fn of(app: &App) -> Areas {
        let screen = Rect::from((Position::ORIGIN, app.screen.size));
        if !app.fits() {
            return Areas::default();
        }
        let third = screen.height / 3;
        let mut rest = screen;
        let status = cut(&mut rest, 1);
        let tall = |place| rows(app.widgets.rows(place).count());
        let below = cut(&mut rest, tall(Place::Below).min(third));
        let editor = cut(&mut rest, rows(app.editor.layout().rows.len()).clamp(1, third.max(1)));
        let reading = cut(&mut rest, u16::from(app.open.reading.is_some()));
        let above = cut(&mut rest, tall(Place::Above).min(third));
        let hint = cut(&mut rest, rows(hint_rows(app).len()).min(third));
        let queue = cut(&mut rest, rows(queued(app).len()).min(3).min(screen.height / 6));
        let banner = cut(&mut rest, u16::from(banner(app).is_some()));
        let rule = cut(&mut rest, u16::from(screen.height >= 10));
        let strip = cut(&mut rest, u16::from(is_strip(app)));
        let jobs = pane_width(app);
        let beside = if tall(Place::Side) > 0 { side_width(screen.width) } else { 0 };
        let column = beside.max(jobs).min(rest.width);
        let right = Rect { x: rest.right() - column, width: column, ..rest };
        let gap = u16::from(column > 0);
        let transcript = Rect { width: rest.width.saturating_sub(column + gap), ..rest };
        let tall_jobs = match (jobs > 0, beside > 0) {
            (false, _) => 0,
            (true, false) => right.height,
            // Widgets have the lower half at the least.
            (true, true) => rows(app.children.listed().len() * 2 + 1).min(right.height / 2),
        };
        let jobs = Rect { height: tall_jobs, ..right };
        let side = Rect { y: right.y + tall_jobs, height: right.height - tall_jobs, ..right };
        let side = if beside > 0 { side } else { Rect { width: 0, ..side } };
        Areas { transcript, banner, queue, hint, reading, above, below, side, jobs, strip, rule, editor, status }
    }

    /// Where questions and pickers lie: over everything but the editor and the status line.
    pub fn free(&self, screen: Size) -> Rect {
        let height = screen.height.saturating_sub(self.editor.height + self.status.height);
        Rect::from((Position::ORIGIN, Size { height, ..screen }))
    }
}

/// A box of at most this size in the middle of `free`; all of it where it is small.
pub fn place(free: Rect, width: u16, height: u16) -> Rect {
    if free.width < 50 || free.height < 10 {
        return free;
    }
    let width = width.min(free.width);
    let height = height.min(free.height.saturating_sub(1));
    Rect { x: free.x + (free.width - width) / 2, y: free.y + (free.height - height) / 2, width, height }
}

fn rows(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// Takes rows off the bottom; one stays for the transcript.
fn cut(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height.saturating_sub(1));
    rest.height -= height;
    Rect { y: rest.bottom(), height, ..*rest }
}

/// What is said over the editor, broken to the width.
pub fn hint_rows(app: &App) -> Vec<String> {
    let Some(Notice { text, .. }) = &app.open.hint else { return vec![] };
    broken(text, usize::from(app.screen.size.width), app)
}

/// Texts that wait: (what for, text).
pub fn queued(app: &App) -> Vec<(&'static str, &str)> {
    let Some(session) = &app.session else { return vec![] };
    let steer = session.queued_steer.iter().map(|t| ("queued", t.as_str()));
    steer.chain(session.follow_ups.iter().map(|t| ("then", t.as_str()))).collect()
}

/// Why nothing is being saved, if so.
pub fn banner(app: &App) -> Option<String> {
    let reason = app.session.as_ref()?.not_saved.as_ref()?;
    Some(match reason.contains("not being saved") {
        true => reason.clone(),
        false => format!("not being saved: {reason}"),
    })
}
