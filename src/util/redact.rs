//! Keys out of text: what neither a document of a session nor a request to a model must carry to others.
//!
//! Known by their beginnings, which those who give keys out choose so that they are found. The beginning stays, so that
//! one sees what was there.

use std::borrow::Cow;

/// Beginnings of keys, and how many characters a key has at least.
const SHAPES: &[(&str, usize)] = &[
    ("sk-", 20),
    ("rk_live_", 20),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("pk-", 24),
    ("gsk_", 20),
    ("xai-", 20),
    ("hf_", 20),
    ("r8_", 20),
    ("AIza", 30),
    ("AKIA", 20),
    ("ASIA", 20),
    ("ya29.", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("npm_", 20),
    ("pypi-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("xoxs-", 20),
    ("xapp-", 20),
    ("tvly-", 20),
    ("eyJhbGciOi", 40),
];
const MARK: &str = "…[key removed]";
const PRIVATE: (&str, &str) = ("-----BEGIN ", "PRIVATE KEY-----");
const PRIVATE_ENDS: &str = "-----END ";

/// The text with keys and private keys replaced by their beginning and a mark.
pub fn keys(text: &str) -> Cow<'_, str> {
    match SHAPES.iter().any(|(prefix, _)| text.contains(prefix)) || text.contains(PRIVATE.1) {
        true => Cow::Owned(private(&words(text))),
        false => Cow::Borrowed(text),
    }
}

fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        out.push_str(&word(&rest[..end]));
        let next = rest[end..].find(is_part).map_or(rest.len(), |at| end + at);
        out.push_str(&rest[end..next]);
        rest = &rest[next..];
    }
    out
}

/// What keys are made of.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// A key may stand behind something, as in `export-sk-…` or a file name; not within a word (`task-…`).
fn word(word: &str) -> Cow<'_, str> {
    for (prefix, least) in SHAPES {
        for (at, _) in word.match_indices(prefix) {
            let begins = !word[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            if begins && word.len() - at >= *least && is_random(&word[at + prefix.len()..]) {
                return Cow::Owned(format!("{}{prefix}{MARK}", &word[..at]));
            }
        }
    }
    Cow::Borrowed(word)
}

/// Keys have digits or both cases in them; a name (`sk-learn-contributors-guide`) hasn't.
fn is_random(rest: &str) -> bool {
    let has = |is: fn(&u8) -> bool| rest.as_bytes().iter().any(is);
    has(u8::is_ascii_digit) || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
}

/// Blocks between the two lines of a private key.
fn private(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(PRIVATE.1) {
        let from = rest[..start].rfind(PRIVATE.0).unwrap_or(start);
        let behind = start + PRIVATE.1.len();
        out.push_str(&rest[..from]);
        out.push_str("[private key removed]");
        rest = match rest[behind..].find(PRIVATE_ENDS) {
            Some(end) => {
                let end = behind + end;
                rest[end..].find(PRIVATE.1).map_or("", |at| &rest[end + at + PRIVATE.1.len()..])
            }
            None => "",
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_and_their_beginning_stays() {
        let secret = "a1B2".repeat(8);
        for (prefix, _) in SHAPES {
            let text = format!("KEY=\"{prefix}{secret}{secret}\" and more");
            let clean = keys(&text);
            assert_eq!(clean, format!("KEY=\"{prefix}{MARK}\" and more"), "{prefix}");
        }
        assert_eq!(keys(&format!("x-sk-ant-api03-{secret}\n")), format!("x-sk-{MARK}\n"));
    }

    #[test]
    fn words_stay() {
        for text in ["task-1-of-a-very-long-list-2", "sk-learn-contributors-guide", "sk-short1", "ghp_", "a sk- b"] {
            assert_eq!(keys(text), text);
        }
    }

    #[test]
    fn private_keys_go_whole_or_to_the_end() {
        let key = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(keys(key), "a\n[private key removed]\nb");
        assert_eq!(keys("a\n-----BEGIN PRIVATE KEY-----\nMIIE"), "a\n[private key removed]");
    }
}
