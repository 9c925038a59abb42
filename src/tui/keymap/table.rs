//! The README's table of keys, made from the actions and the shipped keymap.

use super::Keymap;
use crate::tui::action::Action;

/// Rows `| keys | action | does |` of every action that has a key.
pub fn table_markdown() -> String {
    let map = Keymap::shipped();
    let rows = Action::ALL.iter().filter_map(|action| {
        let keys = map.keys_of(*action);
        let keys = keys.iter().map(|k| format!("`{}`", k.replace('|', "\\|"))).collect::<Vec<_>>().join(" ");
        (!keys.is_empty()).then(|| format!("| {keys} | `{}` | {} |\n", action.name(), action.doc()))
    });
    format!("| key | action | does |\n|---|---|---|\n{}", rows.collect::<String>())
}
