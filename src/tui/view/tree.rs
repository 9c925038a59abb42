//! The rows of the session's tree: lines of branches, marks, labels, texts; below them more of the marked one.

use super::pen::Pen;
use crate::backend::Node;
use crate::conversation::Role as Speaker;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::picker::{Hit, Item, Pick, Picker, Stop, Tree, View};
use crate::tui::app::words::broken;
use crate::tui::text::{Ambiguous, Row};
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Rows of the preview at the least, the line above it not counted.
const PREVIEW: u16 = 4;

pub fn keys_of(tree: &Tree) -> &'static [(Action, &'static str)] {
    const CLOSE: (Action, &str) = (Action::Close, "close");
    const FORK: (Action, &str) = (Action::OpenFork, "fork");
    match tree.view {
        View::Prompts => {
            const { &[(Action::Accept, "edit and send again"), (Action::Scope, "all branches"), FORK, CLOSE] }
        }
        View::Said => {
            const { &[(Action::Accept, "go there"), (Action::Rename, "label"), FORK, (Action::Scope, "calls too"), CLOSE] }
        }
        View::All => {
            const { &[(Action::Accept, "go there"), (Action::Rename, "label"), FORK, (Action::Scope, "prompts"), CLOSE] }
        }
    }
}

pub fn draw(app: &App, picker: &Picker, tree: &Tree, area: Rect, pen: &mut Pen) {
    let rows = u16::try_from(picker.list.len()).unwrap_or(u16::MAX);
    let below = match tree.with_preview && area.height >= 3 * PREVIEW {
        true => area.height.saturating_sub(rows).clamp(PREVIEW + 1, area.height / 2),
        false => 0,
    };
    let above = Rect { height: area.height - below, ..area };
    let window = picker.list.window(usize::from(above.height));
    for (at, (item, hit)) in picker.list.rows().enumerate().skip(window.start).take(window.len()) {
        let Pick::Entry(stop) = &item.pick else { continue };
        let row = row(tree, *stop, at == 0, item, hit, usize::from(area.width), pen);
        pen.paint(above, at - window.start, &row);
        if at == picker.list.selected() {
            pen.highlight(above, at - window.start, Role::Selection);
        }
    }
    if below > 0 {
        let rest = Rect { y: above.bottom(), height: below, ..area };
        preview(app, picker, tree, rest, pen);
    }
}

fn row(tree: &Tree, stop: Stop, on_top: bool, item: &Item<Pick>, hit: &Hit, width: usize, pen: &Pen) -> Row {
    let Some(node) = tree.node(stop.at) else { return Row::new() };
    let signs = Signs::of(pen.ambiguous());
    let gutter = if tree.view == View::Prompts { String::new() } else { gutter(stop, on_top, width, &signs) };
    let (mark, role) = mark(node, &signs);
    let place = match tree.view {
        View::Prompts => "",
        _ if tree.is_here(stop.at) => signs.here,
        _ if tree.is_left(stop.at) => signs.left,
        _ => "",
    };
    let label = node.label.as_deref().map(|l| format!("[{l}] ")).unwrap_or_default();
    let mut row = pen.row(&[(&gutter, Role::Border), (mark, role), (" ", Role::Text), (&label, Role::Accent)]);
    let plain = text_role(node);
    for (at, c) in item.label.chars().enumerate() {
        let matched = u32::try_from(at).is_ok_and(|at| hit.letters.binary_search(&at).is_ok());
        let role = if matched { Role::PickerMatch } else { plain };
        row.append(&pen.row(&[(c.encode_utf8(&mut [0; 4]), role)]));
    }
    if item.label.is_empty() {
        row.append(&pen.row(&[("(no text)", Role::Dim)]));
    }
    let room = width.saturating_sub(if place.is_empty() { 0 } else { pen.width(place) + 2 });
    let mut row = pen.fit(row, room);
    if !place.is_empty() {
        row.append(&pen.row(&[("  ", Role::Text), (place, Role::Accent)]));
    }
    row
}

/// The lines of the branches that pass by, and the one that begins here. At most a third of the width: of deeper ones
/// the innermost are seen.
fn gutter(stop: Stop, on_top: bool, width: usize, signs: &Signs) -> String {
    let most = (width / 6).max(2);
    let passing = stop.depth - usize::from(stop.first);
    let mut gutter = match passing > most {
        true => format!("{}{}", signs.more, signs.passing.repeat(most - 1)),
        false => signs.passing.repeat(passing),
    };
    if stop.first {
        // Nothing is above the first row that it could branch off from.
        gutter.push_str(if on_top { signs.first } else { signs.fork });
    }
    gutter
}

fn mark(node: &Node, signs: &Signs) -> (&'static str, Role) {
    let role = if node.active { Role::Accent } else { Role::Dim };
    match (node.prompt, node.said) {
        (true, _) => (signs.prompt, role),
        (false, true) => (signs.answer, role),
        (false, false) => (signs.other, role),
    }
}

fn text_role(node: &Node) -> Role {
    match (node.role, node.said) {
        (Some(Speaker::User), true) => Role::User,
        (Some(Speaker::Assistant), true) => Role::Text,
        _ => Role::Dim,
    }
}

fn preview(app: &App, picker: &Picker, tree: &Tree, area: Rect, pen: &mut Pen) {
    let Some(node) = picker.stop().and_then(|stop| tree.node(stop.at)) else { return };
    pen.rule(area, Role::Border);
    let text = broken(&node.text, usize::from(area.width).max(1), app);
    let room = usize::from(area.height.saturating_sub(1));
    for (line, words) in text.iter().take(room).enumerate() {
        let more = if line + 1 == room && text.len() > room { " …" } else { "" };
        pen.words(area, line + 1, &[(words, text_role(node)), (more, Role::Dim)]);
    }
}

/// What lines and marks are drawn with.
struct Signs {
    passing: &'static str,
    fork: &'static str,
    first: &'static str,
    /// Lines that are not seen.
    more: &'static str,
    prompt: &'static str,
    answer: &'static str,
    other: &'static str,
    here: &'static str,
    left: &'static str,
}

impl Signs {
    fn of(ambiguous: Ambiguous) -> Signs {
        match ambiguous {
            Ambiguous::Narrow => Signs {
                passing: "│ ",
                fork: "├─",
                first: "┌─",
                more: "┆ ",
                prompt: "●",
                answer: "○",
                other: "·",
                here: "◀ here",
                left: "◁ left last",
            },
            Ambiguous::Wide => Signs {
                passing: "| ",
                fork: "|-",
                first: ",-",
                more: ": ",
                prompt: "*",
                answer: "o",
                other: ".",
                here: "< here",
                left: "< left last",
            },
        }
    }
}
