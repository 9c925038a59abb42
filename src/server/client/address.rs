//! Where a server listens and how a client shows that it may speak.

use crate::util::paths::{Env, expand_home};
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
    /// `flag` is `--socket`, `option` is `[server] socket` (empty: the usual place), `data` the data folder.
    pub fn find(flag: Option<&Path>, option: &str, data: &Path, env: Env<'_>) -> Address {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let server = data.join("server");
        let usual = || match set("XDG_RUNTIME_DIR") {
            Some(folder) => Path::new(&folder).join("panto/panto.sock"),
            None => server.join("panto.sock"),
        };
        let home = set("HOME").map(PathBuf::from);
        let socket = match (flag, option) {
            (Some(flag), _) => flag.to_owned(),
            (None, "") => usual(),
            (None, option) => expand_home(Path::new(option), home.as_deref()),
        };
        let token = set("PANTO_SERVER_TOKEN").map_or_else(|| Token::File(server.join("token")), Token::Given);
        Address { socket, token }
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

    fn socket(flag: Option<&str>, option: &str, env: &[(&str, &str)]) -> String {
        let env = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        Address::find(flag.map(Path::new), option, Path::new("/data"), &env).socket.display().to_string()
    }

    #[test]
    fn the_flag_counts_before_the_option_before_the_usual_places() {
        let runtime = ("XDG_RUNTIME_DIR", "/run/1");
        assert_eq!(socket(Some("x.sock"), "/o", &[runtime]), "x.sock");
        assert_eq!(socket(None, "~/o.sock", &[runtime, ("HOME", "/me")]), "/me/o.sock");
        assert_eq!(socket(None, "", &[runtime]), "/run/1/panto/panto.sock");
        assert_eq!(socket(None, "", &[("XDG_RUNTIME_DIR", "")]), "/data/server/panto.sock");
    }

    #[test]
    fn the_token_comes_from_the_environment_or_the_file() {
        let data = tempfile::tempdir().expect("a folder");
        let of = |token: Option<&str>| {
            let env = |name: &str| token.filter(|_| name == "PANTO_SERVER_TOKEN").map(str::to_owned);
            Address::find(None, "", data.path(), &env).token()
        };
        assert_eq!(of(Some("given")).expect("a token"), "given");
        let (path, _) = of(None).expect_err("there is no file");
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "kept\n").expect("a file");
        assert_eq!(of(None).expect("a token"), "kept");
    }
}
