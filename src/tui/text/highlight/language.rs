//! What the lexer has to know about a language. The tables in `tables` are made of this.

/// A language as data.
#[derive(Debug, Default)]
pub(super) struct Language {
    /// Names, aliases and extensions, lower case. Lists of words are texts with one blank between two words.
    pub names: &'static str,
    pub line_comments: &'static str,
    pub block_comment: Option<(&'static str, &'static str)>,
    pub quotes: &'static [Quote],
    pub keywords: &'static str,
    pub types: &'static str,
    pub constants: &'static str,
    /// Characters that words have besides letters, digits and `_`.
    pub word_extra: &'static str,
    /// What stands behind a key at the beginning of a line (`:` in YAML) or behind a quoted one (JSON).
    pub key_end: Option<char>,
    pub habits: &'static [Habit],
}

/// A way to quote text.
#[derive(Debug)]
pub(super) struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    /// A backslash takes the meaning of the next character.
    pub escapes: bool,
    /// May go on in the next line.
    pub lines: bool,
}

/// What only some languages do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// `'a` is a lifetime, `'a'` a character.
    Lifetimes,
    /// `name!` is a macro.
    Macros,
    /// `#[…]` and `#![…]` are attributes.
    HashAttributes,
    /// `@name` is an attribute or decorator.
    AtAttributes,
    /// `#word` at the beginning of a line is for the preprocessor.
    Preprocessor,
    /// `$name` and `${name}` are variables.
    Dollars,
    /// The first word of a command is its name, `-x` an option, and `#` begins a comment only after a blank.
    Commands,
    /// Keywords in any case.
    AnyCase,
    /// Capitalised words mean nothing.
    NoCapitals,
    /// `<tag attribute="…">`; everything else is text.
    Markup,
    /// Lines are coloured by their first characters.
    Diff,
}

impl Language {
    pub fn does(&self, habit: Habit) -> bool {
        self.habits.contains(&habit)
    }

    /// True if the word is one of the list.
    pub fn lists(&self, list: &str, word: &str) -> bool {
        if self.does(Habit::AnyCase) {
            list.split(' ').any(|w| w.eq_ignore_ascii_case(word))
        } else {
            list.split(' ').any(|w| w == word)
        }
    }
}

const fn quote(open: &'static str, close: &'static str, escapes: bool, lines: bool) -> Quote {
    Quote { open, close, escapes, lines }
}

pub(super) const DOUBLE: Quote = quote("\"", "\"", true, false);
pub(super) const DOUBLE_LINES: Quote = quote("\"", "\"", true, true);
pub(super) const SINGLE: Quote = quote("'", "'", true, false);
pub(super) const SINGLE_RAW: Quote = quote("'", "'", false, true);
pub(super) const BACKTICK: Quote = quote("`", "`", true, true);
pub(super) const BACKTICK_RAW: Quote = quote("`", "`", false, true);
pub(super) const TRIPLE_DOUBLE: Quote = quote("\"\"\"", "\"\"\"", true, true);
pub(super) const TRIPLE_SINGLE: Quote = quote("'''", "'''", true, true);
pub(super) const RAW_HASH: Quote = quote("r#\"", "\"#", false, true);
pub(super) const RAW: Quote = quote("r\"", "\"", false, true);
pub(super) const LONG_BRACKETS: Quote = quote("[[", "]]", false, true);
