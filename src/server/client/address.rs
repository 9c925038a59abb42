//! Where a server listens and how a client shows that it may speak.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A socket, and where the token comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub socket: PathBuf,
    token: Token,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Given(String),
    /// Read anew for each connection: a server may have made another.
    File(PathBuf),
}

impl Address {
    /// `token` is `PANTO_SERVER_TOKEN`; without it the file of the data folder counts.
    pub fn new(socket: PathBuf, token: Option<String>, data: &Path) -> Address {
        let file = || Token::File(data.join("server").join("token"));
        Address { socket, token: token.filter(|token| !token.is_empty()).map_or_else(file, Token::Given) }
    }

    /// # Errors
    /// When the file can't be read, with its path.
    pub fn token(&self) -> Result<String, (PathBuf, io::Error)> {
        match &self.token {
            Token::Given(token) => Ok(token.clone()),
            Token::File(path) => match fs::read_to_string(path) {
                Ok(text) => Ok(text.trim().to_owned()),
                Err(error) => Err((path.clone(), error)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_comes_from_the_environment_or_the_file() {
        let data = tempfile::tempdir().expect("a folder");
        let of = |token: Option<&str>| Address::new("s".into(), token.map(str::to_owned), data.path()).token();
        assert_eq!(of(Some("given")).expect("a token"), "given");
        let (path, _) = of(Some("")).expect_err("there is no file");
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "kept\n").expect("a file");
        assert_eq!(of(None).expect("a token"), "kept");
    }
}
