//! Words of others, made fit for a place on the screen.

use super::App;
use crate::backend::Session;
use crate::tui::text::wrap::{Break, Margin, wrap};
use crate::tui::text::{Row, sanitize};
use ratatui::style::Style;

/// One line: escape sequences dropped, white space squeezed.
pub fn one_line(text: &str) -> String {
    crate::util::text::one_line(&sanitize::clean(text))
}

/// Clean and broken between words.
pub fn broken(text: &str, width: usize, app: &App) -> Vec<String> {
    let mut out = vec![];
    for line in sanitize::clean(text).trim_end().split('\n') {
        let row = Row::styled(&sanitize::expand_tabs(line, 0, app.screen.ambiguous), Style::new());
        wrap(&row, width, app.screen.ambiguous, Break::Words, &Margin::default(), &mut out);
    }
    out.iter().map(|row| row.text().to_owned()).collect()
}

/// The window, tokens and cost, the prompt cache.
pub fn usage(session: &Session) -> String {
    let u = &session.usage;
    let window = match (session.context_used, session.context_window) {
        (0, window) => format!("context: nothing of {window} tokens in use"),
        (used, 0) => format!("context: {used} tokens in use"),
        (used, window) => {
            format!("context: {used} of {window} tokens in use ({}%)", (used * 100).div_ceil(window))
        }
    };
    let reasoning = u.reasoning.map(|r| format!(" (reasoning {r})")).unwrap_or_default();
    let own = u.cost.map_or_else(|| "unknown".into(), |c| format!("${c:.4}"));
    let cost = match session.paid() {
        Some(all) if u.cost.is_none_or(|own| all - own > 0.000_05) => format!("{own} · with agents ${all:.4}"),
        _ => own,
    };
    let hits = u.cache_hits().map(|percent| format!("{percent}% of what went in"));
    format!(
        "{window}\ninput {} · output {}{reasoning} · cost {cost}\nprompt cache: {} read, {} written · hits: {}",
        u.input + u.cache_read + u.cache_write,
        u.output,
        u.cache_read,
        u.cache_write,
        hits.as_deref().unwrap_or("unknown"),
    )
}
