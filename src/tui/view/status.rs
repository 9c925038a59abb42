//! The status line: what the session is on the left, what keys do at the moment on the right.

use super::pen::Pen;
use crate::backend::{Mode, Phase, Session};
use crate::tui::app::App;
use crate::tui::app::transcript::Transcript;
use crate::tui::app::words;
use crate::tui::theme::Role;
use crate::util::text::{count, truncate};
use ratatui::layout::Rect;

/// Characters of a part that an extension puts there.
const LONGEST: usize = 200;

pub fn draw(app: &App, area: Rect, pen: &mut Pen) {
    pen.highlight(area, 0, Role::Status);
    let width = usize::from(area.width);
    let right = right(app, width);
    let columns = pen.width(&right);
    let room = width.saturating_sub(columns + 2);
    // On a narrow screen what the keys do gives way to what the session is.
    let (room, right) = if room < 16 { (width, String::new()) } else { (room, right) };
    let parts = left(app);
    let parts: Vec<_> = parts.iter().map(|(text, role)| (text.as_str(), *role)).collect();
    let left = pen.fit(pen.row(&parts), room);
    pen.paint(area, 0, &left);
    let column = width.saturating_sub(pen.width(&right) + 1);
    let right = pen.row(&[(&right, Role::StatusAccent)]);
    pen.paint_at(area, u16::try_from(column).unwrap_or(0), 0, &right);
}

/// `sonnet · high · ctx 12% · 31k↑ 4k↓ $0.08 · main · my session`, what extensions say, and the mode.
fn left(app: &App) -> Vec<(String, Role)> {
    let Some(session) = &app.session else { return vec![(" starting".into(), Role::Status)] };
    let mut words = vec![model(&session.model).to_owned()];
    if session.thinking_levels.len() > 1 {
        words.push(session.thinking.name().to_owned());
    }
    words.extend([context(session), tokens(session)]);
    words.extend(jobs(session));
    words.extend(app.screen.branch.clone());
    words.extend(session.name.as_deref().map(words::one_line));
    if session.read_only {
        words.push("read-only".into());
    }
    let mut parts = vec![(format!(" {}", words.join(" · ")), Role::Status)];
    for item in &session.status_items {
        parts.push((" · ".into(), Role::Status));
        let span = |s: &crate::element::Span| (s.text.chars().take(LONGEST).collect(), s.role.unwrap_or(Role::Status));
        parts.extend(item.text.0.iter().map(span));
    }
    parts.push((format!(" · {}", mode(session, app.screen.spoken)), Role::Status));
    parts
}

/// How many go on.
fn jobs(session: &Session) -> Option<String> {
    match session.jobs.iter().filter(|job| !job.state.is_over()).count() {
        0 => None,
        1 => Some("1 job".into()),
        n => Some(format!("{n} jobs")),
    }
}

/// Without the provider, which the picker shows.
fn model(reference: &str) -> &str {
    reference.split_once(':').map_or(reference, |(_, model)| model)
}

/// Unknown is a dash, never 0.
fn context(session: &Session) -> String {
    match (session.context_used, session.context_window) {
        (0, _) | (_, 0) => "ctx –".into(),
        (used, window) => format!("ctx {}%", (used * 100).div_ceil(window)),
    }
}

fn tokens(session: &Session) -> String {
    let usage = &session.usage;
    if usage.is_empty() {
        return "–".into();
    }
    let input = usage.input + usage.cache_read + usage.cache_write;
    let cost = session.paid().map_or("$–".into(), |c| format!("${c:.2}"));
    format!("{}↑ {}↓ {cost}", count(input), count(usage.output))
}

/// Said in words until the first prompt.
fn mode(session: &Session, spoken: bool) -> String {
    if session.unheld {
        return "nothing is held: tools run without asking".into();
    }
    match (session.mode, spoken) {
        (Mode::Auto, false) => "auto: tools run without asking".into(),
        (mode, _) => mode.name().into(),
    }
}

fn right(app: &App, width: usize) -> String {
    if !app.keys.prefix.is_empty() {
        let keys: Vec<_> = app.keys.prefix.iter().map(ToString::to_string).collect();
        return format!("{} …", keys.join(" "));
    }
    match &app.session {
        Some(session) if session.phase != Phase::Idle => format!("{} · Esc interrupt", doing(app, session, width)),
        // A shell line of the user's, outside of a turn.
        Some(_) if tools(&app.transcript) => "running · Esc interrupt".into(),
        _ => "? keys".into(),
    }
}

/// Columns that the model's part and a countdown take; a reason has what is left.
const BESIDE_A_REASON: usize = 64;

fn doing(app: &App, session: &Session, width: usize) -> String {
    let since = app.screen.busy_since.map_or(0, |at| app.screen.now.saturating_duration_since(at).as_secs());
    if let Some(retry) = &session.retry {
        let wait = retry.at.saturating_duration_since(app.screen.now).as_secs();
        let summary = match session.phase {
            Phase::Compaction => "compacting · ",
            Phase::BranchSummary => "summing up · ",
            _ => "",
        };
        let reason = truncate(&words::one_line(&retry.reason), width.saturating_sub(BESIDE_A_REASON + summary.len()));
        let colon = if reason.is_empty() { "" } else { ": " };
        let what = match retry.attempt {
            // Another request was told to wait, and all of the provider do.
            0 => "goes on".to_owned(),
            attempt => format!("retry {attempt} of {}", retry.of),
        };
        return format!("{summary}{reason}{colon}{what} in {wait}s");
    }
    match session.phase {
        Phase::Compaction => format!("compacting {since}s · ^C stop that"),
        Phase::BranchSummary => format!("summing up {since}s"),
        _ if tools(&app.transcript) => format!("running {since}s"),
        _ => format!("working {since}s"),
    }
}

fn tools(transcript: &Transcript) -> bool {
    !transcript.running_tools().is_empty()
}
