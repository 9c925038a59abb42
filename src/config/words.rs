//! What settings are for, in a line each: the comments of `assets/config.toml`, which are read for nothing else.

const FILE: &str = include_str!("../../assets/config.toml");
/// Stands for the name of a provider there.
const NAME: &str = "NAME";

/// The comment behind a key (dotted); empty where there is none.
pub fn words_of(key: &str) -> &'static str {
    let wanted = of_any_provider(key);
    let mut section = String::new();
    for line in FILE.lines() {
        let line = line.strip_prefix("# ").unwrap_or(line);
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name) {
            section = format!("{name}.");
        } else if let Some((name, words)) = split(line)
            && wanted.strip_prefix(section.as_str()) == Some(name)
        {
            return words;
        }
    }
    ""
}

/// `key = value # words`.
fn split(line: &'static str) -> Option<(&'static str, &'static str)> {
    let (name, rest) = line.split_once(" = ")?;
    let words = rest.rsplit_once(" # ").or_else(|| rest.rsplit_once("# ")).map_or("", |(_, words)| words);
    name.chars().all(|c| c.is_ascii_lowercase() || c == '_').then_some((name, words.trim()))
}

/// `providers.NAME.base_url` of `providers.openai.base_url`.
fn of_any_provider(key: &str) -> String {
    match key.strip_prefix("providers.").and_then(|rest| rest.rsplit_once('.')) {
        Some((name, field)) if name.ends_with(".quirks") => format!("providers.{NAME}.quirks.{field}"),
        Some((_, field)) => format!("providers.{NAME}.{field}"),
        None => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::words_of;
    use crate::config::{Flags, Layers, load};
    use crate::util::paths::Paths;
    use std::path::Path;

    #[test]
    fn every_setting_has_words() {
        let paths = Paths { data: "/nowhere".into(), config: "/nowhere".into(), home: None };
        let (cwd, env, flags) = (Path::new("/nowhere"), &|_: &str| None, Flags::default());
        let resolved =
            load(Layers { paths: &paths, cwd, trusted: false, file: None, env, flags }).expect("the defaults");
        let without: Vec<_> = resolved.settings().into_iter().filter(|s| words_of(&s.key).is_empty()).collect();
        assert_eq!(without, []);
        assert_eq!(words_of("tui.tool_lines"), "lines of a folded tool output");
        assert_eq!(words_of("providers.mine.api_key_env"), "the variable that holds the key");
        assert_eq!(words_of("providers.mine.quirks.no_thinking"), "leave the thinking level out of requests");
    }
}
