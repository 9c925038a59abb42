//! What the list of files shows beside the names: lines of the one that is marked.

use super::complete::mention;
use crate::backend::{Command, Excerpt, SymbolRow};
use crate::tui::app::App;
use crate::tui::app::completion::{Peek, Source};
use crate::tui::app::picker::Item;
use crate::tui::effect::{Effect, Effects, Purpose};
use std::path::PathBuf;

/// Columns of the screen from which on there is room for it.
const WIDE: u16 = 110;

/// A definition as a row; what it puts into the draft is its place.
pub fn item(symbol: &SymbolRow) -> Item<String> {
    let detail = format!("{} · {}:{}", symbol.kind, symbol.path.display(), symbol.line);
    Item::new(place(symbol), &symbol.name, detail)
}

/// `@src/row.rs:12 (parse_row)`.
fn place(symbol: &SymbolRow) -> String {
    format!("{} ({})", mention(&format!("{}:{}", symbol.path.display(), symbol.line)), symbol.name)
}

/// Asks for lines of the marked file, once for each.
pub fn look(app: &mut App) -> Effects {
    if app.screen.size.width < WIDE {
        return vec![];
    }
    let Some(open) = &mut app.open.completion else { return vec![] };
    let Some(pick) = open.list.selected_pick().cloned() else {
        open.peek = None;
        return vec![];
    };
    if open.peek.as_ref().is_some_and(|peek| peek.pick == pick) {
        return vec![];
    }
    let meant: Option<(PathBuf, Option<u32>)> = match open.trigger.source {
        Source::Files => (!app.offers.mentions.iter().any(|m| m.value == pick)).then(|| (PathBuf::from(&pick), None)),
        Source::Symbols => {
            // Of many thousands only those of this name are worth a comparison.
            let named = pick.strip_suffix(')').unwrap_or(&pick);
            let mut alike = app.offers.symbols.iter().filter(|symbol| named.ends_with(&symbol.name));
            let symbol = alike.find(|symbol| place(symbol) == pick);
            symbol.map(|symbol| (symbol.path.clone(), Some(symbol.line)))
        }
        Source::Commands | Source::Arguments => None,
    };
    open.peek = meant.clone().map(|(path, line)| Peek { pick: pick.clone(), path, line, excerpt: None });
    let ask = |(path, line)| Effect::Send(Command::PeekFile { path, line }, Purpose::Peek(pick));
    meant.map(ask).into_iter().collect()
}

/// The lines have come; those of a row that is not marked any more are stale.
pub fn came(app: &mut App, pick: &str, excerpt: Excerpt) {
    let peek = app.open.completion.as_mut().and_then(|open| open.peek.as_mut());
    if let Some(peek) = peek.filter(|peek| peek.pick == pick) {
        peek.excerpt = Some(excerpt);
    }
}
