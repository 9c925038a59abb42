//! The list over the editor: commands behind a `/` at the start and what may follow them, files and what extensions name
//! behind an `@`, definitions behind an `@#`.

use super::editor::Editor;
use super::picker::List;
use crate::backend::Excerpt;
use std::path::PathBuf;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Commands,
    /// And what extensions let one mention.
    Files,
    /// Definitions, behind `@#`.
    Symbols,
    /// What may follow a command of an extension.
    Arguments,
}

/// The word at the caret that asks for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    pub source: Source,
    pub row: usize,
    /// Column (characters) of the `/` or the `@`.
    pub column: usize,
    /// What is typed behind it.
    pub query: String,
}

impl Trigger {
    /// Looks at the text before the caret.
    pub fn find(editor: &Editor) -> Option<Trigger> {
        let before = editor.before_caret();
        let (row, _) = editor.caret();
        let at = |source, start: usize| Trigger {
            source,
            row,
            column: before[..start].chars().count(),
            query: before[start + 1..].to_owned(),
        };
        if row == 0 && before.starts_with('/') && !before.contains(char::is_whitespace) {
            return (!before[1..].contains('/')).then(|| at(Source::Commands, 0));
        }
        let word = before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        if let Some(query) = before[word..].strip_prefix("@#") {
            return Some(Trigger { query: query.to_owned(), ..at(Source::Symbols, word) });
        }
        if before[word..].starts_with('@') {
            return Some(at(Source::Files, word));
        }
        let (_, args) = command(before).filter(|_| row == 0)?;
        let start = before.len() - args.len();
        Some(Trigger {
            source: Source::Arguments,
            row,
            column: before[..start].chars().count(),
            query: args.to_owned(),
        })
    }

    /// Whether both stand at the same place, whatever is typed behind.
    pub fn is_at(&self, other: &Trigger) -> bool {
        (self.source, self.row, self.column) == (other.source, other.row, other.column)
    }
}

/// The command in `/name arguments`, and its arguments, once a blank stands behind the name.
pub fn command(before: &str) -> Option<(&str, &str)> {
    let (name, args) = before.strip_prefix('/')?.split_once(' ')?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some((name, args))
}

/// A list that is open. The picks are what is inserted: a command's name, its arguments, a file's path, a name, a place.
#[derive(Debug)]
pub struct Completion {
    pub trigger: Trigger,
    pub list: List<String>,
    /// Of the marked row, where it is a file or a place in one.
    pub peek: Option<Peek>,
}

/// Lines of the file that is marked.
#[derive(Debug, Clone, PartialEq)]
pub struct Peek {
    pub pick: String,
    pub path: PathBuf,
    /// The line that is meant.
    pub line: Option<u32>,
    /// Once it has come.
    pub excerpt: Option<Excerpt>,
}

impl Completion {
    pub fn new(trigger: Trigger, list: List<String>) -> Completion {
        Completion { trigger, list, peek: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::app::editor::Fold;
    use crate::tui::text::Ambiguous;

    fn trigger(text: &str) -> Option<(Source, usize, String)> {
        let mut editor = Editor::new(Fold { lines: 10, chars: 1000 }, Ambiguous::Narrow);
        editor.insert(text);
        Trigger::find(&editor).map(|t| (t.source, t.column, t.query))
    }

    #[test]
    fn where_lists_open() {
        assert_eq!(trigger("/mo"), Some((Source::Commands, 0, "mo".into())));
        assert_eq!(trigger("/name x y"), Some((Source::Arguments, 6, "x y".into())));
        assert_eq!(trigger("/name x @y"), Some((Source::Files, 8, "y".into())));
        assert_eq!(trigger("say /mo"), None);
        assert_eq!(trigger("/usr/bin"), None);
        assert_eq!(trigger("x\n/mo"), None);
        assert_eq!(trigger("@"), Some((Source::Files, 0, String::new())));
        assert_eq!(trigger("é see @src/m"), Some((Source::Files, 6, "src/m".into())));
        assert_eq!(trigger("me@home"), None);
        assert_eq!(trigger("see @#par"), Some((Source::Symbols, 4, "par".into())));
        assert_eq!(trigger("@a b"), None);
    }
}
