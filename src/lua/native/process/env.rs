//! The environment of children: that of panto without keys, tokens and passwords.

use std::ffi::{OsStr, OsString};

/// Which variables children don't get.
#[derive(Debug, Clone, Default)]
pub struct Scrub {
    /// Secret by configuration: the key variables of providers.
    pub secret: Vec<String>,
    /// Passed on all the same (`[tools] env_pass`).
    pub pass: Vec<String>,
}

impl Scrub {
    /// The variables that a child gets.
    pub fn apply(&self, vars: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        vars.filter_map(|(name, value)| {
            let text = name.to_string_lossy();
            if self.pass.iter().any(|p| *p == text) {
                return Some((name, value));
            }
            if self.secret.iter().any(|s| *s == text) || is_secret(&text) {
                return None;
            }
            let value = if is_proxy(&text) { without_password(&value) } else { value };
            Some((name, value))
        })
        .collect()
    }
}

/// By the name: `…_API_KEY`, `…_TOKEN`, `…_SECRET…`, `…PASSWORD…` and the like.
fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let words = ["TOKEN", "SECRET", "PASSWD", "CREDENTIALS", "APIKEY"];
    upper.contains("PASSWORD")
        || upper.contains("API_KEY")
        || ["_ACCESS_KEY", "_PRIVATE_KEY", "_SECRET_KEY"].iter().any(|end| upper.ends_with(end))
        || upper.split('_').any(|word| words.contains(&word))
}

fn is_proxy(name: &str) -> bool {
    name.len() > 6 && name[name.len().saturating_sub(6)..].eq_ignore_ascii_case("_proxy")
}

/// `http://user:password@host` as `http://host`.
fn without_password(url: &OsStr) -> OsString {
    let text = url.to_string_lossy();
    let start = text.find("://").map_or(0, |i| i + 3);
    let end = text[start..].find('/').map_or(text.len(), |i| start + i);
    match text[start..end].rfind('@') {
        Some(at) => format!("{}{}", &text[..start], &text[start + at + 1..]).into(),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(scrub: &Scrub, vars: &[(&str, &str)]) -> Vec<String> {
        let vars = vars.iter().map(|(n, v)| (OsString::from(n), OsString::from(v)));
        scrub.apply(vars).iter().map(|(n, v)| format!("{}={}", n.display(), v.display())).collect()
    }

    #[test]
    fn secrets_are_taken_out() {
        let vars = [
            ("PATH", "/bin"),
            ("OPENAI_API_KEY", "1"),
            ("PANTO_API_KEY", "2"),
            ("PANTO_SERVER_TOKEN", "3"),
            ("github_token", "4"),
            ("AWS_SECRET_ACCESS_KEY", "5"),
            ("PGPASSWORD", "6"),
            ("MINE", "7"),
            ("MAX_TOKENS", "8"),
            ("TOKENIZERS_PARALLELISM", "9"),
        ];
        let scrub = Scrub { secret: vec!["MINE".into()], pass: vec![] };
        assert_eq!(left(&scrub, &vars), ["PATH=/bin", "MAX_TOKENS=8", "TOKENIZERS_PARALLELISM=9"]);
    }

    #[test]
    fn configured_names_pass() {
        let scrub = Scrub { secret: vec![], pass: vec!["NPM_TOKEN".into()] };
        assert_eq!(left(&scrub, &[("NPM_TOKEN", "1"), ("OTHER_TOKEN", "2")]), ["NPM_TOKEN=1"]);
    }

    #[test]
    fn proxies_lose_their_password() {
        let vars = [("https_proxy", "http://me:p@ss@proxy:80/x"), ("HTTP_PROXY", "proxy:80"), ("NO_PROXY", "a,b")];
        assert_eq!(
            left(&Scrub::default(), &vars),
            ["https_proxy=http://proxy:80/x", "HTTP_PROXY=proxy:80", "NO_PROXY=a,b"]
        );
    }
}
