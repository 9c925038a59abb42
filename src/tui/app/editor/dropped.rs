//! A paste that is nothing but paths of pictures: what a terminal types when files are dropped on it.

use std::path::{Path, PathBuf};

const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// The paths, if each word is one of a picture: absolute, below `~/`, or a `file://` address. A name in a text is none.
pub fn pictures(pasted: &str, home: Option<&Path>) -> Option<Vec<PathBuf>> {
    if pasted.len() > 8192 {
        return None;
    }
    let paths: Option<Vec<_>> = words(pasted)?.iter().map(|word| path(word, home)).collect();
    paths.filter(|paths| !paths.is_empty())
}

fn path(word: &str, home: Option<&Path>) -> Option<PathBuf> {
    let path = match (word.strip_prefix("file://"), word.strip_prefix("~/")) {
        (Some(address), _) => {
            PathBuf::from(percent_encoding::percent_decode_str(address).decode_utf8().ok()?.into_owned())
        }
        (_, Some(rest)) => home?.join(rest),
        _ => PathBuf::from(word),
    };
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    (path.is_absolute() && ENDINGS.contains(&ending.as_str())).then_some(path)
}

/// Words as a shell has them: quotes, and blanks behind backslashes. None where a quote is open.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote, mut chars) = (vec![], None::<String>, None, text.chars());
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_type_for_dropped_files() {
        let found = |text: &str| {
            let paths = pictures(text, Some(Path::new("/home/u")))?;
            Some(paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join("|"))
        };
        for (pasted, path) in [
            ("/tmp/a.png", "/tmp/a.png"),
            (" '/tmp/a b.PNG' ", "/tmp/a b.PNG"),
            (r"/tmp/a\ b.jpeg", "/tmp/a b.jpeg"),
            ("file:///tmp/a%20b.webp\n", "/tmp/a b.webp"),
            ("~/a.gif", "/home/u/a.gif"),
            ("/tmp/a.png \"/tmp/b c.jpg\"", "/tmp/a.png|/tmp/b c.jpg"),
        ] {
            assert_eq!(found(pasted).as_deref(), Some(path), "{pasted}");
        }
        for text in ["", "a.png", "see /tmp/a.png", "/tmp/a.txt", "'/tmp/a.png", "/etc/hosts"] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
