//! The picker: query, rows, and for sessions a preview beside them.

use super::pen::Pen;
use super::{form, frame, tree};
use crate::backend::Level;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::areas::place;
use crate::tui::app::picker::{
    Hit, Item, Kind, Mode, Pick, Picker, Sessions, details, facts, setting_details, title_of,
};
use crate::tui::app::words::{broken, one_line};
use crate::tui::keymap::Context;
use crate::tui::text::Row;
use crate::tui::theme::Role;
use crate::util::text::truncate;
use ratatui::layout::{Position, Rect};

/// Characters of a session's title in a question about it.
const ASKED: usize = 40;
/// Rows of what is said at the bottom.
const MOST: usize = 3;

/// Draws the picker; says where the caret is.
pub fn draw(app: &App, picker: &Picker, free: Rect, pen: &mut Pen) -> Option<Position> {
    let keys = keys_of(app, picker);
    let area = room_for(picker, keys.len(), free);
    let inside = frame::draw(area, &picker.title(), pen);
    let caret = question(picker, inside, pen);
    // What an action in the picker did is said here, since the picker may hide the line for that.
    let may_say = matches!(
        picker.kind,
        Kind::Extensions { .. } | Kind::Sessions(_) | Kind::Tree(_) | Kind::Settings { .. } | Kind::Choices { .. }
    );
    let said = app.open.hint.as_ref().filter(|_| may_say);
    let usual = keys.len();
    let (footer, role) = match said {
        Some(hint) => (broken(&hint.text, usize::from(inside.width), app), role_of(hint.level)),
        None => (keys, Role::Dim),
    };
    let lines = if inside.height > 12 { footer.len().clamp(usual, MOST) as u16 } else { u16::from(inside.height > 4) };
    let keys = Rect { y: inside.bottom().saturating_sub(lines), height: lines, ..inside };
    let body = Rect { y: inside.y + 1, height: inside.height.saturating_sub(1 + keys.height), ..inside };
    footer.iter().take(usize::from(keys.height)).enumerate().for_each(|(n, line)| {
        pen.words(keys, n, &[(line, role)]);
    });
    match picker.sessions().filter(|s| s.with_preview && body.width >= 70) {
        Some(sessions) => {
            let left = Rect { width: body.width * 3 / 5, ..body };
            let right = Rect { x: left.right() + 3, width: body.width.saturating_sub(left.width + 3), ..body };
            let line = pen.row(&[(pen.lines()[5], Role::Border)]);
            let between = Rect { x: left.right() + 1, width: 1, ..body };
            (0..usize::from(body.height)).for_each(|y| pen.paint(between, y, &line));
            rows(picker, left, area, pen);
            preview(app, picker, sessions, right, pen);
        }
        None if matches!(picker.kind, Kind::Extensions { .. }) => {
            let lines = picker.extension().map(|extension| details(extension)).unwrap_or_default();
            above_details(app, picker, &lines, (body, area), pen);
        }
        None if explains(&picker.kind) => {
            let whole = |item: &Item<Pick>| vec![("", item.detail.clone())];
            let widest = picker.list.rows().map(|(item, _)| pen.width(&item.label)).max().unwrap_or(0);
            let is_cut = |item: &Item<Pick>| widest + 2 + pen.width(&item.detail) > usize::from(body.width);
            let item = picker.list.selected_item().filter(|_| body.height > EXPLANATION);
            let lines = item.filter(|item| is_cut(item)).map(whole);
            above_details(app, picker, &lines.unwrap_or_default(), (body, area), pen);
        }
        None if matches!(picker.kind, Kind::Settings { .. }) => {
            let home = app.screen.home.as_deref();
            let lines = picker.setting().map(|row| setting_details(row, home)).unwrap_or_default();
            let room = if body.height < 10 { &[] } else { lines.as_slice() };
            above_details(app, picker, room, (body, area), pen);
        }
        None => match picker.tree().filter(|_| !picker.list.is_empty()) {
            Some(tree) => tree::draw(app, picker, tree, body, pen),
            None => rows(picker, body, area, pen),
        },
    }
    caret
}

/// Rows that an explanation of the marked row takes, the blank one above it counted.
const EXPLANATION: u16 = 4;

/// Whether the details of the rows are sentences, which may need more than the end of a row.
fn explains(kind: &Kind) -> bool {
    matches!(kind, Kind::Keys | Kind::Tools | Kind::Models)
}

/// The box: as high as its rows want, so that what is asked about stays in sight. What it lists decides, not what a query
/// lets through: it doesn't move while one types.
fn room_for(picker: &Picker, keys: usize, free: Rect) -> Rect {
    let more = match &picker.kind {
        Kind::Sessions(_) | Kind::Tree(_) | Kind::Settings { .. } | Kind::Extensions { .. } | Kind::Choices { .. } => {
            return place(free, 120, 40);
        }
        kind if picker.loading || matches!(kind, Kind::Palette(_)) => return place(free, 120, 40),
        kind if explains(kind) => EXPLANATION,
        _ => 0,
    };
    // Frame, query, and a blank row above the keys.
    let rows = u16::try_from(picker.list.items().len().max(1) + keys).unwrap_or(u16::MAX);
    let height = rows.saturating_add(more + 4).min(40);
    match picker.kind {
        // What a theme does is seen beside it.
        Kind::Themes { .. } => {
            let area = place(free, BESIDE, height);
            Rect { x: free.right() - area.width, ..area }
        }
        _ => place(free, 120, height),
    }
}

/// Columns of the list of themes.
const BESIDE: u16 = 46;

/// The rows above, and below them all that is known of the marked one.
fn above_details(app: &App, picker: &Picker, lines: &[(&str, String)], (area, frame): (Rect, Rect), pen: &mut Pen) {
    let wanted = u16::try_from(picker.list.len()).unwrap_or(u16::MAX);
    let below = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let least = area.height.saturating_sub(below);
    let most = if lines.is_empty() { area.height } else { least.max(area.height / 2) };
    let above = Rect { height: wanted.clamp(1, most.max(1)), ..area };
    rows(picker, above, frame, pen);
    let indent = if lines.iter().all(|(word, _)| word.is_empty()) { 0 } else { 10 };
    let below = Rect { y: above.bottom() + 1, height: area.height.saturating_sub(above.height + 1), ..area };
    let width = usize::from(below.width.saturating_sub(indent));
    let mut line = 0;
    for (word, text) in lines {
        pen.words(below, line, &[(*word, if *word == "error" { Role::Error } else { Role::Dim })]);
        let beside = Rect { x: below.x + indent, width: below.width.saturating_sub(indent), ..below };
        for text in broken(text, width.max(1), app) {
            pen.words(beside, line, &[(&text, Role::Text)]);
            line += 1;
        }
    }
}

/// The query, the new name, or the question whether to delete.
fn question(picker: &Picker, area: Rect, pen: &mut Pen) -> Option<Position> {
    let (sign, line) = match &picker.mode {
        Mode::Filter => ("> ", &picker.query),
        Mode::Rename(line) if picker.tree().is_some() => ("label: ", line),
        Mode::Rename(line) => ("new name: ", line),
        Mode::Value(line) => ("new value: ", line),
        Mode::Export(line) => ("write to (.html .md .jsonl): ", line),
        Mode::Delete => {
            let title = picker.session().map(|s| truncate(&one_line(title_of(s)), ASKED)).unwrap_or_default();
            pen.words(area, 0, &[(&format!("delete \"{title}\"?"), Role::Warning)]);
            return None;
        }
    };
    let placeholder = if picker.mode == Mode::Filter { "type to filter" } else { "" };
    form::signed(sign, line, placeholder, area, pen)
}

fn role_of(level: Level) -> Role {
    match level {
        Level::Error => Role::Error,
        Level::Warning => Role::Warning,
        _ => Role::Notice,
    }
}

/// What the keys do, a line or two.
fn keys_of(app: &App, picker: &Picker) -> Vec<String> {
    match &picker.mode {
        Mode::Filter => keys_of_list(app, &picker.kind),
        Mode::Rename(_) => vec!["Enter keeps it · Esc leaves it".into()],
        Mode::Value(_) => vec!["Enter writes it to config.toml · Esc leaves it".into()],
        Mode::Export(_) => vec!["Enter writes it · Esc leaves it".into()],
        Mode::Delete => vec!["Enter or y moves it to the trash · Esc leaves it".into()],
    }
}

fn keys_of_list(app: &App, kind: &Kind) -> Vec<String> {
    match kind {
        Kind::Tree(tree) => vec![keys_line(app, tree::keys_of(tree))],
        Kind::Sessions(_) => vec![
            keys_line(app, &[OPENS, &[(Action::Rename, "rename"), (Action::Delete, "delete")]].concat()),
            keys_line(app, VIEWS),
        ],
        Kind::Extensions { .. } => vec![keys_line(
            app,
            &[
                (Action::Switch, "on or off"),
                (Action::Reload, "reload"),
                (Action::CopyPath, "copy the path"),
                (Action::Close, "close"),
            ],
        )],
        Kind::Queue => vec![keys_line(
            app,
            &[(Action::Accept, "back into the editor"), (Action::Delete, "delete"), (Action::Close, "close")],
        )],
        Kind::Settings { .. } => vec![keys_line(
            app,
            &[(Action::Accept, "change"), (Action::Delete, "back to the built-in value"), (Action::Close, "close")],
        )],
        Kind::Tools => vec![keys_line(app, &[(Action::Close, "close")])],
        Kind::Keys | Kind::Palette(_) => vec![keys_line(app, &[(Action::Accept, "do it"), (Action::Close, "close")])],
        _ => vec![keys_line(app, &[(Action::Accept, "choose"), (Action::Close, "close")])],
    }
}

const OPENS: &[(Action, &str)] =
    &[(Action::Accept, "open"), (Action::OpenReadOnly, "read-only"), (Action::OpenFork, "fork")];
const VIEWS: &[(Action, &str)] = &[
    (Action::Scope, "scope"),
    (Action::Sort, "sort"),
    (Action::Preview, "preview"),
    (Action::Children, "children"),
    (Action::ExportSession, "export"),
];

/// `Enter open · Ctrl-F fork`, with the keys that the keymap has; what has none is left out.
fn keys_line(app: &App, actions: &[(Action, &str)]) -> String {
    let words = actions.iter().filter_map(|(action, does)| {
        let key = app.key_in(Context::Picker, *action);
        (!key.is_empty()).then(|| format!("{key} {does}"))
    });
    words.collect::<Vec<_>>().join(" · ")
}

/// `frame`: where it is said that there are more.
fn rows(picker: &Picker, area: Rect, frame: Rect, pen: &mut Pen) {
    if picker.list.is_empty() {
        let words = if picker.loading { "…" } else { "nothing" };
        pen.words(area, 0, &[(words, Role::Dim)]);
        return;
    }
    let window = picker.list.window(usize::from(area.height));
    pen.rest(Rect { y: frame.bottom().saturating_sub(1), height: 1, ..frame }, 0, &window, picker.list.len());
    let seen: Vec<_> = picker.list.rows().skip(window.start).take(window.len()).collect();
    let widest = seen.iter().map(|(item, _)| pen.width(&item.label)).max().unwrap_or(0);
    let column = widest.min(usize::from(area.width) * 3 / 5);
    for (line, (item, hit)) in seen.iter().enumerate() {
        let row = row(item, hit, column, usize::from(area.width), pen);
        pen.paint(area, line, &row);
        if window.start + line == picker.list.selected() {
            pen.highlight(area, line, Role::Selection);
        }
    }
}

/// The label with its matched letters, then the detail, dim.
fn row(item: &Item<Pick>, hit: &Hit, column: usize, width: usize, pen: &Pen) -> Row {
    let mut label = pen.fit(matched(item, hit, pen), column);
    let gap = " ".repeat(column.saturating_sub(pen.width(label.text())) + 2);
    label.append(&pen.row(&[(&gap, Role::Text), (&item.detail, item.tone)]));
    pen.fit(label, width)
}

/// The label of a row, with the letters that a query matched.
pub fn matched<T>(item: &Item<T>, hit: &Hit, pen: &Pen) -> Row {
    let mut label = Row::new();
    for (at, c) in item.label.chars().enumerate() {
        let matched = u32::try_from(at).is_ok_and(|at| hit.letters.binary_search(&at).is_ok());
        let role = if matched { Role::PickerMatch } else { Role::Text };
        label.append(&pen.row(&[(c.encode_utf8(&mut [0; 4]), role)]));
    }
    label
}

/// What is known of the selected session, and its last exchange.
fn preview(app: &App, picker: &Picker, sessions: &Sessions, area: Rect, pen: &mut Pen) {
    let Some(session) = picker.session() else { return };
    let width = usize::from(area.width);
    let mut line = 0;
    let mut put = |text: &str, role: Role, pen: &mut Pen| {
        for text in broken(text, width, app) {
            pen.words(area, line, &[(&text, role)]);
            line += 1;
        }
    };
    facts(session).iter().for_each(|fact| put(fact, Role::Dim, pen));
    put(" ", Role::Dim, pen);
    if let Some(found) = sessions.preview_of(&session.path).and_then(|p| p.found.as_deref()) {
        put(&format!("found: {}", one_line(found)), Role::PickerMatch, pen);
        put(" ", Role::Dim, pen);
    }
    for (who, text) in sessions.preview_of(&session.path).iter().flat_map(|p| &p.exchange) {
        put(who, Role::Accent, pen);
        put(text, Role::Text, pen);
    }
}
