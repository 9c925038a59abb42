//! The rows of the settings page, and all that is known of the marked one.

use super::{Item, Pick};
use crate::config::{Kind, Origin, SettingRow};
use crate::util::text::truncate;
use std::path::Path;
use std::sync::Arc;

/// Columns of a name and of a value.
const NAME: usize = 24;
const VALUE: usize = 22;

/// `tui.mouse  true  from ~/.config/panto/config.toml:3 · words`.
pub fn setting_item(row: Arc<SettingRow>, home: Option<&Path>) -> Item<Pick> {
    let label = format!("{:<NAME$} {}", row.key, truncate(&row.value, VALUE));
    let detail = match &row.origin {
        Origin::BuiltIn => row.words.to_owned(),
        origin => format!("{} · {}", origin.shown(home), row.words),
    };
    let mut item = Item::new(Pick::Setting(row.clone()), label, detail);
    item.also_found_by(row.words);
    if row.origin != Origin::BuiltIn {
        item.also_found_by(&row.origin.shown(home));
    }
    item
}

/// Lines, each a word for what it is and the text.
pub fn setting_details(row: &SettingRow, home: Option<&Path>) -> Vec<(&'static str, String)> {
    let mut lines = vec![("what", row.words.to_owned()), ("value", row.value.clone())];
    let may_be = match row.kind {
        Kind::Switch => "true or false: Enter turns it".to_owned(),
        Kind::Choice(words) => words.join(" "),
        Kind::Whole => "a whole number".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::List => "a list of texts, as in [\"one\", \"two\"]".to_owned(),
        Kind::Fixed(why) => format!("changed in the file: {why}"),
    };
    lines.push(("from", row.origin.shown(home)));
    if row.origin != Origin::BuiltIn && !row.default.is_empty() {
        lines.push(("built in", row.default.clone()));
    }
    lines.push(("may be", may_be));
    lines
}
