//! The languages of the lexer, as data. Keyword lists follow each language's reference.

mod data;
mod programs;

use super::language::Language;

/// The language of that name, alias or extension (lower case).
pub(super) fn find(name: &str) -> Option<&'static Language> {
    all().find(|language| language.names.split(' ').any(|n| n == name))
}

pub(super) fn all() -> impl Iterator<Item = &'static Language> {
    programs::LANGUAGES.iter().chain(data::LANGUAGES)
}

/// What a language has unless it says otherwise.
const NONE: Language = Language {
    names: "",
    line_comments: "",
    block_comment: None,
    quotes: &[],
    keywords: "",
    types: "",
    constants: "",
    word_extra: "",
    key_end: None,
    habits: &[],
};
