//! Paints the transcript: the rows that `prepare` laid out, and how many lines came below.

use crate::tui::{app::transcript::Transcript, theme::Theme};
use ratatui::{buffer::Buffer, layout::Rect};

/// Draws into `area`, whose size is the one given to `prepare`.
pub fn draw(_transcript: &Transcript, _area: Rect, _buffer: &mut Buffer, _theme: &Theme) {}
