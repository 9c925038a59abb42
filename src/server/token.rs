//! The token that clients show: `PANTO_SERVER_TOKEN`, else `<data>/server/token`, made on first use.

use crate::util::{atomic, ids};
use std::{fs, io, path::Path};

/// What makes a connection one of the user's own.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// From the environment's variable if it is set, else from the file, which is made (0600) where it is missing.
    pub fn find(data: &Path, variable: Option<String>) -> io::Result<Token> {
        if let Some(token) = variable.filter(|token| !token.is_empty()) {
            return Ok(Token(token));
        }
        let path = data.join("server").join("token");
        match read(&path) {
            Some(token) => Ok(token),
            None => make(&path),
        }
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// In a time that doesn't depend on where the two differ.
    pub fn matches(&self, shown: &str) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.as_bytes());
        let differ = own.iter().zip(shown).fold(0, |acc, (a, b)| acc | (a ^ b));
        own.len() == shown.len() && differ == 0
    }
}

fn read(path: &Path) -> Option<Token> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|token| !token.is_empty()).map(Token)
}

fn make(path: &Path) -> io::Result<Token> {
    if let Some(folder) = path.parent() {
        super::socket::make_private(folder)?;
    }
    // Two ids of version 4 have 244 random bits; the file's mode keeps them secret.
    let token = ids::secret();
    let line = format!("{token}\n");
    if !atomic::create(path, line.as_bytes(), 0o600)? {
        // Another process was faster: what lies there counts for both. One without a token in it is no use to anybody.
        if let Some(token) = read(path) {
            return Ok(token);
        }
        atomic::write(path, line.as_bytes(), Some(0o600))?;
    }
    Ok(Token(token))
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_made_once_and_only_the_user_may_read_it() {
        let data = tempfile::tempdir().unwrap();
        let first = Token::find(data.path(), None).unwrap();
        let again = Token::find(data.path(), Some(String::new())).unwrap();
        assert!(first.matches(again.text()) && first.text().len() >= 32);
        let mode = |path: &str| fs::metadata(data.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("server"), mode("server/token")), (0o700, 0o600));
        assert!(
            !first.matches("") && !first.matches(&first.text()[1..]) && !format!("{first:?}").contains(first.text())
        );
        assert!(Token::find(data.path(), Some("mine".into())).unwrap().matches("mine"));
    }

    #[test]
    fn processes_that_start_together_have_the_same_one() {
        let data = tempfile::tempdir().unwrap();
        let tokens: Vec<Token> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..16).map(|_| scope.spawn(|| Token::find(data.path(), None).unwrap())).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        let kept = read(&data.path().join("server/token")).unwrap();
        assert!(tokens.iter().all(|token| token.matches(kept.text())));
    }
}
