//! One theme file: TOML in, palette and style specifications out, each with its line.
//!
//! ```toml
//! inherits = "dark"
//! [palette]
//! sea = "#205080"
//! [styles]
//! link = { fg = "sea", underline = true }
//! accent = "sea"                            # the same as { fg = "sea" }
//! ```

use super::{Role, ThemeError, color};
use ratatui::style::{Color, Modifier};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// A theme as it is written.
#[derive(Debug, Default)]
pub(super) struct File {
    /// The theme that says what this one doesn't.
    pub inherits: Option<Placed<String>>,
    pub palette: Vec<(String, Color)>,
    pub styles: Vec<(Role, Placed<Spec>)>,
}

/// Something and the place where it stands.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    pub it: T,
    pub file: String,
    pub line: usize,
}

impl<T> Placed<T> {
    pub fn error(&self, what: String) -> ThemeError {
        ThemeError { file: self.file.clone(), line: Some(self.line), what }
    }
}

/// A style with its colours by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Spec {
    pub fg: Option<String>,
    pub bg: Option<String>,
    pub modifiers: Modifier,
}

/// Reads the text of a theme file called `name`.
pub(super) fn parse(name: &str, text: &str) -> Result<File, ThemeError> {
    let reader = Reader { name, text };
    let table = DeTable::parse(text).map_err(|e| reader.error(e.span().map_or(0, |s| s.start), e.message()))?;
    let mut file = File::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "inherits" => file.inherits = Some(reader.placed(key, reader.string(value)?.to_owned())),
            "palette" => file.palette = reader.palette(value)?,
            "styles" => file.styles = reader.styles(value)?,
            other => return Err(reader.unknown(key, "key", other, &["inherits", "palette", "styles"])),
        }
    }
    Ok(file)
}

/// The file that is read, for the places of errors.
struct Reader<'a> {
    name: &'a str,
    text: &'a str,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl Reader<'_> {
    fn error(&self, at: usize, what: &str) -> ThemeError {
        let line = Some(self.line(at));
        ThemeError { file: self.name.to_owned(), line, what: what.to_owned() }
    }

    fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
    }

    fn placed<K, T>(&self, key: &Spanned<K>, it: T) -> Placed<T> {
        Placed { it, file: self.name.to_owned(), line: self.line(key.span().start) }
    }

    fn unknown<K>(&self, key: &Spanned<K>, kind: &str, word: &str, known: &[&str]) -> ThemeError {
        let nearest = nearest(word, known.iter().copied());
        self.error(key.span().start, &format!("there is no {kind} `{word}`; the nearest is `{nearest}`"))
    }

    fn string<'v>(&self, value: &'v Value) -> Result<&'v str, ThemeError> {
        value.get_ref().as_str().ok_or_else(|| self.error(value.span().start, "a text in quotes is wanted here"))
    }

    fn table<'v, 'i>(&self, value: &'v Value<'i>) -> Result<&'v DeTable<'i>, ThemeError> {
        value.get_ref().as_table().ok_or_else(|| self.error(value.span().start, "a table is wanted here"))
    }

    fn palette(&self, value: &Value) -> Result<Vec<(String, Color)>, ThemeError> {
        let entries = self.table(value)?.iter();
        let color = |value: &Value| {
            let word = self.color_word(value)?;
            color::parse(&word).ok_or_else(|| self.error(value.span().start, &no_color(&word)))
        };
        entries.map(|(key, value)| Ok((key.get_ref().to_string(), color(value)?))).collect()
    }

    fn styles(&self, value: &Value) -> Result<Vec<(Role, Placed<Spec>)>, ThemeError> {
        let entries = self.table(value)?.iter();
        let names: Vec<&str> = Role::ALL.iter().map(|r| r.name()).collect();
        entries
            .map(|(key, value)| {
                let word = key.get_ref().as_ref();
                let role = Role::named(word).ok_or_else(|| self.unknown(key, "role", word, &names))?;
                Ok((role, self.placed(key, self.spec(value)?)))
            })
            .collect()
    }

    fn spec(&self, value: &Value) -> Result<Spec, ThemeError> {
        if value.get_ref().as_table().is_none() {
            return Ok(Spec { fg: Some(self.color_word(value)?), ..Spec::default() });
        }
        let mut spec = Spec::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "fg" => spec.fg = Some(self.color_word(value)?),
                "bg" => spec.bg = Some(self.color_word(value)?),
                word => {
                    let (_, modifier) = MODIFIERS.iter().find(|(name, _)| *name == word).ok_or_else(|| {
                        let names = ["fg", "bg"].into_iter().chain(MODIFIERS.iter().map(|(name, _)| *name));
                        self.unknown(key, "key", word, &names.collect::<Vec<_>>())
                    })?;
                    spec.modifiers.set(*modifier, self.boolean(value)?);
                }
            }
        }
        Ok(spec)
    }

    fn boolean(&self, value: &Value) -> Result<bool, ThemeError> {
        value.get_ref().as_bool().ok_or_else(|| self.error(value.span().start, "`true` or `false` is wanted here"))
    }

    /// A colour as text; the numbers of the 256 may stand without quotes.
    fn color_word(&self, value: &Value) -> Result<String, ThemeError> {
        match value.get_ref() {
            DeValue::Integer(number) => Ok(number.to_string()),
            _ => self.string(value).map(str::to_owned),
        }
    }
}

const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("dim", Modifier::DIM),
    ("strikethrough", Modifier::CROSSED_OUT),
];

pub(super) fn no_color(word: &str) -> String {
    format!(
        "there is no colour `{word}`; a colour is `#rrggbb`, a number from 0 to 255, `default`, a name such as \
         `bright-red`, or one from [palette]"
    )
}

/// The known word that is most like this one.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    known.min_by_key(|k| strsim::damerau_levenshtein(k, word)).unwrap_or_default()
}
