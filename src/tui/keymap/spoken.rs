//! Keys in words for people: `ctrl-x m` in a keymap is `Ctrl-X m` on the screen.

/// The keys of a binding as hints write them.
pub fn spoken(keys: &str) -> String {
    keys.split(' ').map(chord).collect::<Vec<_>>().join(" ")
}

fn chord(key: &str) -> String {
    let (mut out, mut rest) = (String::new(), key);
    while let Some((name, key)) = rest.split_once('-').filter(|(name, key)| !name.is_empty() && !key.is_empty()) {
        out.push_str(&capital(name));
        out.push('-');
        rest = key;
    }
    // A letter alone is what is typed; with another key it is what stands on the key.
    let last = if out.is_empty() && rest.chars().count() == 1 { rest.to_owned() } else { capital(rest) };
    out + &last
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_people_write_them() {
        for (keys, words) in [
            ("enter", "Enter"),
            ("esc", "Esc"),
            ("ctrl-r", "Ctrl-R"),
            ("ctrl-x m", "Ctrl-X m"),
            ("shift-tab", "Shift-Tab"),
            ("ctrl-alt-f", "Ctrl-Alt-F"),
            ("ctrl--", "Ctrl--"),
            ("x", "x"),
            ("G", "G"),
            ("?", "?"),
            ("-", "-"),
            ("f12", "F12"),
            ("", ""),
        ] {
            assert_eq!(spoken(keys), words);
        }
    }
}
