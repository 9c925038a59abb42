//! Where keys, tokens and passwords lie: what a sandboxed command cannot read.

use super::usual::Ground;
use crate::util::small;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Below the home folder.
const HOME: [&str; 58] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube/config",
    ".docker/config.json",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".password-store",
    ".pypirc",
    ".vault-token",
    ".fly",
    ".oci",
    ".op",
    ".pgpass",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/git/credentials",
    ".config/doctl",
    ".config/heroku",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".config/age",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/password-store",
    ".local/share/opencode/auth.json",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    "snap/firefox",
    "snap/chromium",
    "Library/Keychains",
    "Library/Cookies",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
];

/// Files of settings that their programs need, and that hold a secret with some people only: they are unreadable if one
/// of the words stands in them. npm without its ~/.npmrc would not even find a company's registry.
const MIXED: [(&str, &[&str]); 6] = [
    (".npmrc", &["_authToken", "_auth=", "_auth =", "_password"]),
    (".yarnrc.yml", &["npmAuthToken", "npmAuthIdent"]),
    (".m2/settings.xml", &["<password>", "<passphrase>"]),
    (".gradle/gradle.properties", &["assword", "oken", "ecret"]),
    (".config/pip/pip.conf", &["@"]),
    (".nuget/NuGet/NuGet.Config", &["ClearTextPassword", "Password"]),
];

/// Of panto's data folder. What else lies there (spill files, Lua packages, types) is there to be read.
const DATA: [&str; 8] =
    ["auth.json", "sessions", "server", "log", "approvals.json", "trust.json", "history.jsonl", "lua_history"];

/// Names of variables that say where such a file lies.
const VARIABLES: [&str; 9] = [
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "KUBECONFIG",
    "DOCKER_CONFIG",
    "GNUPGHOME",
    "PASSWORD_STORE_DIR",
    "NETRC",
    "PGPASSFILE",
];

/// All of them, whether they exist or not.
pub fn places(ground: &Ground) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = DATA.map(|name| ground.data.join(name)).to_vec();
    let settings = ground.config.join("config.toml");
    if holds(&settings, &["api_key ", "api_key=", "api_key\""]) {
        found.push(settings);
    }
    if let Some(home) = ground.home {
        found.extend(HOME.map(|name| home.join(name)));
        let mixed = MIXED.iter().map(|(name, words)| (home.join(name), words));
        found.extend(mixed.filter(|(path, words)| holds(path, words)).map(|(path, _)| path));
    }
    let named = VARIABLES.iter().filter_map(|name| super::usual::variable(ground, name));
    // A variable that names a folder above the workspace would hide the work itself.
    found.extend(named.filter(|path| !ground.cwd.starts_with(path)));
    found
}

/// Whether one of the words stands in the file; one that is too large to look at is taken to hold one.
fn holds(path: &Path, words: &[&str]) -> bool {
    match small::read(path) {
        Ok(text) => words.iter().any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some()),
        Err(e) => e.kind() == io::ErrorKind::FileTooLarge,
    }
}
