//! The usual policy of a workspace: temp folders and caches are writable, credentials unreadable, start-up files
//! protected. What the configuration adds comes on top.

use super::{Policy, credentials, git, places, sockets};
use crate::util::paths::Env;
use std::path::{Path, PathBuf};

/// What the usual policy depends on.
pub struct Ground<'a> {
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    /// panto's own folders.
    pub config: &'a Path,
    pub data: &'a Path,
    pub env: Env<'a>,
    /// `[permissions] write` and `read_deny`: absolute.
    pub write: &'a [PathBuf],
    pub read_deny: &'a [PathBuf],
    pub network: bool,
}

/// Caches below the home folder. Left out with intent: whatever holds programs that are on the PATH or are started by
/// themselves (~/.cargo/bin, ~/.rustup, ~/.local/share/pnpm itself, ~/.gradle/init.d), and settings.
const CACHES: [&str; 32] = [
    ".cache",
    ".npm/_cacache",
    ".npm/_logs",
    ".npm/_update-notifier-last-checked",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".yarn/berry",
    ".bun/install/cache",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/native",
    ".gradle/notifications",
    ".gradle/workers",
    ".gradle/wrapper",
    ".gradle/.tmp",
    ".m2/repository",
    ".ivy2/cache",
    ".nuget/packages",
    ".local/share/NuGet",
    ".conda/pkgs",
    ".composer/cache",
    ".pub-cache/hosted",
    ".hex/packages",
    ".cabal/packages",
    ".opam/download-cache",
    ".bundle/cache",
    ".terraform.d/plugin-cache",
    ".ccache",
    ".sbt/boot",
    ".kube/cache",
    "Library/Caches",
    "Library/pnpm/store",
];

/// What cargo keeps besides the sources: without its locks it cannot fetch.
const CARGO: [&str; 6] =
    ["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache", ".crates-cache"];

/// Files and folders of the home folder that start programs by themselves.
const STARTUP: [&str; 40] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".zcompdump",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".pam_environment",
    ".inputrc",
    ".tmux.conf",
    ".vimrc",
    ".gitconfig",
    ".config/fish",
    ".config/nushell",
    ".config/zsh",
    ".config/git",
    ".config/environment.d",
    ".config/systemd",
    ".config/autostart",
    ".config/nvim",
    ".cargo/bin",
    ".cargo/env",
    ".cargo/config.toml",
    ".local/bin",
    ".local/share/systemd",
    "bin",
    "Library/LaunchAgents",
];

impl Policy {
    /// Only a look at the disk; nothing is made.
    pub fn usual(ground: &Ground) -> Policy {
        let workspace = places::real(ground.cwd);
        let mut write = temporary(ground);
        write.extend(caches(ground));
        write.extend(ground.write.iter().map(|p| places::real(p)));
        write.retain(|p| p.exists());
        let repositories = git::repositories(&workspace, ground.write);
        write.extend(repositories.iter().map(|r| r.folder.clone()));
        let mut protect = startup(ground);
        for folder in std::iter::once(&workspace).chain(ground.write) {
            protect.extend([PROJECT, ".git/hooks", ".git/commondir"].map(|name| folder.join(name)));
            // The file of a worktree says where its repository is.
            protect.extend(Some(folder.join(".git")).filter(|git| git.is_file()));
        }
        protect.extend(repositories.iter().flat_map(|r| r.protected.clone()));
        let mut git_config: Vec<PathBuf> = repositories.into_iter().flat_map(|r| r.settings).collect();
        git_config.push(workspace.join(".git/config"));
        let read_deny: Vec<PathBuf> =
            credentials::places(ground).into_iter().chain(ground.read_deny.to_vec()).collect();
        Policy {
            workspace,
            write: places::distinct(write),
            read_deny: places::distinct(read_deny),
            protect: places::distinct(protect),
            git_config: places::distinct(git_config),
            sockets: places::distinct(sockets::places(ground)),
            network: ground.network,
        }
    }
}

/// The folder in which a project keeps settings and code for panto.
const PROJECT: &str = ".panto";

pub(super) fn variable(ground: &Ground, name: &str) -> Option<PathBuf> {
    (ground.env)(name).map(PathBuf::from).filter(|p| p.is_absolute())
}

fn temporary(ground: &Ground) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    // A folder that contains the home folder is no temp folder, whatever TMPDIR says.
    let own = variable(ground, "TMPDIR").filter(|p| !ground.home.is_some_and(|h| h.starts_with(p)));
    usual.into_iter().chain(own).map(|p| places::real(&p)).collect()
}

fn caches(ground: &Ground) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ground.home.iter().flat_map(|home| CACHES.map(|name| home.join(name))).collect();
    found.extend(
        ["XDG_CACHE_HOME", "GOMODCACHE", "GOCACHE", "npm_config_cache"]
            .map(|n| variable(ground, n))
            .into_iter()
            .flatten(),
    );
    let go = variable(ground, "GOPATH").or_else(|| ground.home.map(|h| h.join("go")));
    found.extend(go.map(|p| p.join("pkg")));
    let cargo = variable(ground, "CARGO_HOME").or_else(|| ground.home.map(|h| h.join(".cargo")));
    found.extend(cargo.iter().flat_map(|cargo| CARGO.map(|name| cargo.join(name))));
    let credentials = credentials::places(ground);
    let real = found.iter().filter_map(|p| p.canonicalize().ok());
    // Neither a folder above the home folder nor one that is a credential itself, whatever a variable says.
    real.filter(|p| !ground.home.is_some_and(|h| h.starts_with(p)) && !places::under_any(p, &credentials)).collect()
}

fn startup(ground: &Ground) -> Vec<PathBuf> {
    let Some(home) = ground.home else { return vec![] };
    let mut found: Vec<PathBuf> = STARTUP.map(|name| home.join(name)).to_vec();
    found.extend([ground.config.to_owned(), ground.data.to_owned()]);
    found
        .extend(variable(ground, "ZDOTDIR").iter().flat_map(|z| [".zshrc", ".zshenv", ".zprofile"].map(|n| z.join(n))));
    // Prompts of zsh that lie in the cache and are read by every shell.
    let cache = variable(ground, "XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache"));
    let entries = std::fs::read_dir(&cache).into_iter().flatten().flatten();
    let prompt = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b"p10k-");
    found.extend(entries.filter(|e| prompt(&e.file_name())).map(|e| e.path()));
    found
}
