//! Why an answer ended before its time.

use super::margin;
use crate::{
    backend::ItemBody,
    conversation::{Status, StopReason},
    tui::{
        app::transcript::prose::wrap_plain,
        text::{Page, Row},
        theme::Role,
    },
};
use std::borrow::Cow;

/// The words and their role; none for an answer that is whole or still comes.
pub fn ending(body: &ItemBody) -> Option<(Cow<'_, str>, Role)> {
    let ItemBody::Assistant { status, stop_reason, error, .. } = body else { return None };
    let told = error.as_deref().map(str::trim).filter(|e| !e.is_empty());
    match status {
        Status::Aborted => Some(("interrupted".into(), Role::Warning)),
        Status::Error => Some((told.unwrap_or("the answer failed").into(), Role::Error)),
        Status::Complete if *stop_reason == Some(StopReason::Length) => {
            Some(("cut off: the model has reached its output limit".into(), Role::Warning))
        }
        Status::Complete | Status::Streaming => None,
    }
}

pub fn body(body: &ItemBody, page: &Page) -> Vec<Row> {
    let mut rows = vec![];
    if let Some((words, role)) = ending(body) {
        wrap_plain(&words, page, page.theme.style(role), &margin("✗ ", "  ", role, page), &mut rows);
    }
    rows
}
