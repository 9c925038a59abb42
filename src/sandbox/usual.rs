//! The usual policy of a workspace: temp folders and caches are writable, credentials unreadable, start-up files
//! protected. What the configuration adds comes on top.

use super::{Policy, credentials, git, places, places::Resolver, sockets};
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
const STARTUP: [&str; 74] = [
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
    ".cargo/config",
    ".rustup",
    ".config/starship.toml",
    ".config/direnv",
    ".direnvrc",
    ".config/tmux",
    ".screenrc",
    ".emacs",
    ".emacs.d",
    ".config/emacs",
    ".config/helix",
    ".config/zed",
    ".vim",
    ".config/Code/User",
    ".vscode",
    ".gdbinit",
    ".lldbinit",
    ".psqlrc",
    ".irbrc",
    ".Rprofile",
    ".oh-my-zsh",
    ".config/alacritty",
    ".config/kitty",
    ".config/wezterm",
    ".wezterm.lua",
    ".config/ghostty",
    ".config/hypr",
    ".config/sway",
    ".config/i3",
    ".xsessionrc",
    ".local/share/applications",
    ".local/share/fish",
    ".gradle/init.d",
    ".gradle/init.gradle",
    "Library/LaunchAgents",
];

/// Of panto's data folder: what it runs, and what it takes for the user's word. The rest changes all the time.
const OWN: [&str; 5] = ["rocks", "extensions.json", "approvals.json", "trust.json", "auth.json"];

impl Policy {
    /// Only a look at the disk; nothing is made. Much of it may not exist.
    pub fn usual(ground: &Ground) -> Policy {
        let mut resolver = Resolver::default();
        let workspace = resolver.real(ground.cwd);
        let credentials: Vec<PathBuf> = credentials::places(ground);
        let mut write = caches(ground, &credentials, &mut resolver);
        write.extend(temporary(ground).chain(ground.write.iter().cloned()));
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
        let read_deny: Vec<PathBuf> = credentials.into_iter().chain(ground.read_deny.to_vec()).collect();
        Policy {
            workspace,
            write: places::distinct(write),
            read_deny: places::distinct(read_deny),
            protect: places::distinct(protect),
            git_config: places::distinct(git_config),
            sockets: places::distinct(sockets::places(ground, &mut resolver)),
            network: ground.network,
        }
    }
}

/// The folder in which a project keeps settings and code for panto.
const PROJECT: &str = ".panto";

pub(super) fn variable(ground: &Ground, name: &str) -> Option<PathBuf> {
    (ground.env)(name).map(PathBuf::from).filter(|p| p.is_absolute())
}

fn temporary(ground: &Ground) -> impl Iterator<Item = PathBuf> {
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    // A folder that contains the home folder is no temp folder, whatever TMPDIR says.
    let own = variable(ground, "TMPDIR").filter(|p| !ground.home.is_some_and(|h| h.starts_with(p)));
    usual.into_iter().chain(own)
}

/// Whether they exist is looked at when a command is prepared. What a variable names must neither be above the home
/// folder nor hold credentials.
fn caches(ground: &Ground, credentials: &[PathBuf], resolver: &mut Resolver) -> Vec<PathBuf> {
    let mut named =
        ["XDG_CACHE_HOME", "GOMODCACHE", "GOCACHE", "npm_config_cache"].map(|n| variable(ground, n)).to_vec();
    named.push(variable(ground, "GOPATH").map(|p| p.join("pkg")));
    let cargo = variable(ground, "CARGO_HOME");
    named.extend(cargo.iter().flat_map(|cargo| CARGO.map(|name| Some(cargo.join(name)))));
    let real = named.into_iter().flatten().filter_map(|p| resolver.there(&p));
    let kept = real
        .filter(|p| !ground.home.is_some_and(|h| h.starts_with(p)) && !credentials.iter().any(|c| p.starts_with(c)));
    let own = ground.home.iter().flat_map(|home| {
        let cargo = CARGO.map(|name| home.join(".cargo").join(name));
        CACHES.iter().chain(&["go/pkg"]).map(|name| home.join(name)).chain(cargo).collect::<Vec<_>>()
    });
    kept.chain(own).collect()
}

fn startup(ground: &Ground) -> Vec<PathBuf> {
    let Some(home) = ground.home else { return vec![] };
    let mut found: Vec<PathBuf> = STARTUP.map(|name| home.join(name)).to_vec();
    found.push(ground.config.to_owned());
    found.extend(OWN.map(|name| ground.data.join(name)));
    found
        .extend(variable(ground, "ZDOTDIR").iter().flat_map(|z| [".zshrc", ".zshenv", ".zprofile"].map(|n| z.join(n))));
    // Prompts of zsh that lie in the cache and are read by every shell.
    let cache = variable(ground, "XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache"));
    let entries = std::fs::read_dir(&cache).into_iter().flatten().flatten();
    let prompt = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b"p10k-");
    found.extend(entries.filter(|e| prompt(&e.file_name())).map(|e| e.path()));
    found
}
