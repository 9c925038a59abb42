//! The status line: what the session is on the left, what keys do at the moment on the right.

use super::pen::Pen;
use crate::backend::{Mode, Phase, Session};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::transcript::Transcript;
use crate::tui::app::words;
use crate::tui::keymap::{Context, spoken};
use crate::tui::text::Row;
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
    let left = pen.fit(left(app, room, pen), room);
    pen.paint(area, 0, &left);
    let column = width.saturating_sub(pen.width(&right) + 1);
    let right = pen.row(&[(&right, Role::StatusAccent)]);
    pen.paint_at(area, u16::try_from(column).unwrap_or(0), 0, &right);
}

/// What the session is, as far as there is room. The mode says what runs without asking: it goes last.
fn left(app: &App, room: usize, pen: &Pen) -> Row {
    let Some(session) = &app.session else { return pen.row(&[(" starting", Role::Status)]) };
    let mut less = 0;
    loop {
        let (row, mode) = left_with(app, session, less, pen);
        let beside = room.saturating_sub(pen.width(mode.text()));
        if less == without::WINDOW || pen.width(row.text()) <= beside {
            let mut row = pen.fit(row, beside);
            row.append(&mode);
            return row;
        }
        less += 1;
    }
}

/// What the line does without, one after the other.
mod without {
    pub const WORDS_IN_A_TURN: usize = 1;
    pub const NAME: usize = 2;
    pub const TOKENS: usize = 3;
    pub const BRANCH: usize = 4;
    pub const WORDS: usize = 5;
    pub const ITEMS: usize = 6;
    pub const JOBS: usize = 7;
    pub const LEVEL: usize = 8;
    pub const WINDOW: usize = 9;
}

/// `sonnet · high · ctx 12% · 31k↑ 4k↓ $0.08 · main · my session`, what extensions say, and the mode.
fn left_with(app: &App, session: &Session, less: usize, pen: &Pen) -> (Row, Row) {
    let mut words = vec![model(&session.model).to_owned()];
    if session.thinking_levels.len() > 1 && less < without::LEVEL {
        words.push(session.thinking.name().to_owned());
    }
    words.extend((less < without::WINDOW).then(|| context(session)));
    words.extend(tokens(session).filter(|_| less < without::TOKENS));
    words.extend(jobs(session).filter(|_| less < without::JOBS));
    words.extend(app.screen.branch.clone().filter(|_| less < without::BRANCH));
    words.extend(session.name.as_deref().map(words::one_line).filter(|_| less < without::NAME));
    if session.read_only {
        words.push("read-only".into());
    }
    let mut row = pen.row(&[(&format!(" {}", words.join(" · ")), Role::Status)]);
    for item in session.status_items.iter().filter(|_| less < without::ITEMS) {
        row.append(&pen.row(&[(" · ", Role::Status)]));
        for span in &item.text.0 {
            let words: String = span.text.chars().take(LONGEST).collect();
            row.append(&pen.row(&[(&words, span.role.unwrap_or(Role::Status))]));
        }
    }
    let narrow = less >= without::WORDS;
    let short = app.screen.spoken || narrow || less >= without::WORDS_IN_A_TURN && session.phase != Phase::Idle;
    (row, pen.row(&[(&format!(" · {}", mode(session, short, narrow)), Role::Status)]))
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

/// None before the first answer.
fn tokens(session: &Session) -> Option<String> {
    let usage = &session.usage;
    if usage.is_empty() {
        return None;
    }
    let input = usage.input + usage.cache_read + usage.cache_write;
    let cost = session.paid().map_or("$–".into(), |c| format!("${c:.2}"));
    Some(format!("{}↑ {}↓ {cost}", count(input), count(usage.output)))
}

/// Said in words until the first prompt.
fn mode(session: &Session, spoken: bool, narrow: bool) -> String {
    match (session.mode, spoken) {
        _ if session.unheld && narrow => "nothing is held".into(),
        _ if session.unheld => "nothing is held: tools run without asking".into(),
        (Mode::Auto, false) => "auto: tools run without asking".into(),
        (mode, _) => mode.name().into(),
    }
}

fn right(app: &App, width: usize) -> String {
    if !app.keys.prefix.is_empty() {
        let keys: Vec<_> = app.keys.prefix.iter().map(|key| spoken(&key.to_string())).collect();
        return format!("{} …", keys.join(" "));
    }
    let busy = app.session.as_ref().and_then(|session| match session.phase {
        Phase::Idle => tools(&app.transcript).then(|| "running".into()),
        _ => Some(doing(app, session, width)),
    });
    let context = app.context();
    // Where something is open, Esc is its own, and it says so itself.
    let escape = match (context, &app.children.focus, &busy) {
        (Context::Main, Some(_), _) => Some("Esc back".to_owned()),
        (Context::Main, None, Some(_)) => Some("Esc interrupt".to_owned()),
        _ => None,
    };
    // Elsewhere the key is a letter.
    let is_key = context == Context::Main && app.editor.is_empty() || is_reading(context);
    let help = is_key && (width >= ROOMY || busy.is_none() && escape.is_none());
    let help = help.then(|| format!("{} keys", app.key_of(Action::Keys)));
    [busy, escape, help].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// From so many columns on the line names more than one key.
const ROOMY: usize = 100;

fn is_reading(context: Context) -> bool {
    matches!(context, Context::Transcript | Context::Jobs)
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
        Phase::Compaction => format!("compacting {since}s · Ctrl-C stops that"),
        Phase::BranchSummary => format!("summing up {since}s"),
        _ if tools(&app.transcript) => format!("running {since}s"),
        _ => format!("working {since}s"),
    }
}

fn tools(transcript: &Transcript) -> bool {
    !transcript.running_tools().is_empty()
}
