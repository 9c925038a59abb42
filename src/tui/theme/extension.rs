//! Themes that extensions bring: the same files, from Lua tables. What is wrong with one is said by its role.

use super::{ColorDepth, Themes, file, shipped};
use crate::backend::ThemeDecl;
use toml::{Table, Value};

/// What is wrong with a theme that an extension brings, if something is.
///
/// # Errors
/// In words that name the role, or the field.
pub fn check(decl: &ThemeDecl) -> Result<(), String> {
    let name = &decl.name;
    if !super::is_plain(name) || name == "auto" || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(format!("`name`: {name:?} is no name for a theme; use letters, digits and dashes"));
    }
    if shipped::NAMES.contains(&name.as_str()) {
        return Err(format!("`name`: the theme `{name}` is built in; choose another name"));
    }
    let Err(whole) = sound(decl, &decl.text) else { return Ok(()) };
    let Ok(table) = decl.text.parse::<Table>() else { return Err(whole) };
    // Each role by itself, to find the one that is wrong.
    let styles = table.get("styles").and_then(Value::as_table).cloned().unwrap_or_default();
    for (role, style) in styles {
        let mut one = table.clone();
        one.insert("styles".into(), Value::Table([(role.clone(), style)].into_iter().collect()));
        if let Err(what) = sound(decl, &one.to_string()) {
            return Err(format!("`styles.{role}`: {what}"));
        }
    }
    Err(whole)
}

/// Builds the theme from a text; the reason without file and line, which nobody has written.
fn sound(decl: &ThemeDecl, text: &str) -> Result<(), String> {
    file::parse(&decl.name, text).map_err(|e| e.what)?;
    let mut themes = Themes::shipped();
    themes.bring(&[ThemeDecl { text: text.to_owned(), ..decl.clone() }]);
    themes.load(&decl.name, ColorDepth::True).map(drop).map_err(|e| e.what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(name: &str, text: &str) -> ThemeDecl {
        ThemeDecl { name: name.into(), origin: "x".into(), text: text.into() }
    }

    fn wrong(text: &str) -> String {
        check(&theme("mine", text)).unwrap_err()
    }

    #[test]
    fn a_theme_of_an_extension_is_loaded_like_any_other() {
        let decl = theme("mine", "inherits = \"dark\"\n[palette]\nsea = \"#205080\"\n[styles]\nlink = \"sea\"\n");
        assert_eq!(check(&decl), Ok(()));
        let mut themes = Themes::shipped();
        themes.bring(&[decl]);
        assert!(themes.names().contains(&"mine".to_owned()));
        assert!(themes.load("mine", ColorDepth::True).is_ok());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_role() {
        assert!(wrong("[styles]\nlink = \"see\"").starts_with("`styles.link`: there is no colour `see`"));
        assert!(wrong("[styles]\nlnik = \"red\"").contains("there is no role `lnik`; the nearest is `link`"));
        assert!(wrong("[styles.link]\nbolt = true").starts_with("`styles.link`: there is no key `bolt`"));
        assert!(wrong("inherits = \"darkk\"").contains("there is no theme `darkk`; the nearest is `dark`"));
        assert!(check(&theme("dark", "")).unwrap_err().contains("built in"));
        assert!(check(&theme("a/b", "")).unwrap_err().contains("`name`"));
    }
}
