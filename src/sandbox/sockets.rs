//! Sockets behind which somebody outside of the sandbox does what he is told: container daemons, the session bus,
//! terminal multiplexers, editors, key agents, panto itself.

use super::places::Resolver;
use super::usual::{Ground, variable};
use std::{
    os::unix::fs::FileTypeExt,
    path::{Path, PathBuf},
};

/// Of the system. Name services (nscd, systemd-resolved) stay: they answer and do nothing.
const SYSTEM: [&str; 17] = [
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/buildkit",
    "/run/dbus",
    "/run/systemd/private",
    "/run/snapd.socket",
    "/run/libvirt",
    "/run/screen",
    "/var/lib/incus/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/tmp/.X11-unix",
    "/tmp/screens",
    "/var/run/screen",
];

/// Below the home folder.
const HOME: [&str; 6] = [".docker/run", ".docker/desktop", ".screen", ".emacs.d/server", ".colima", ".lima"];

/// Folders in /tmp that end in the user's number.
const OWN: [&str; 4] = ["tmux-", "emacs", "zellij-", "runtime-"];

/// How names in /tmp begin that belong to key agents, editors and terminals of other sessions, too.
const BEGINNINGS: [&str; 6] = ["ssh-", "vscode-ipc-", "vscode-git-", "nvim.", "kitty-", "dbus-"];

/// All of them, whether they exist or not.
pub fn places(ground: &Ground, resolver: &mut Resolver) -> Vec<PathBuf> {
    // SAFETY: reads a number of the process.
    let user = unsafe { libc::getuid() };
    let mut named: Vec<PathBuf> = NAMED.iter().filter_map(|n| (ground.env)(n)).filter_map(|v| socket(&v)).collect();
    named.extend(variable(ground, "TMUX_TMPDIR").map(|p| p.join(format!("tmux-{user}"))));
    named.extend(variable(ground, "XDG_RUNTIME_DIR"));
    named.push(PathBuf::from(format!("/run/user/{user}")));
    let open = stay_open(ground, resolver);
    let named = named.iter().filter_map(|p| resolver.there(p)).filter(|p| !open.iter().any(|o| o.starts_with(p)));
    let home = ground.home.iter().flat_map(|home| HOME.map(|name| home.join(name)));
    let own = OWN.map(|name| PathBuf::from(format!("/tmp/{name}{user}")));
    let sessions = std::fs::read_dir("/tmp").into_iter().flatten().flatten().filter(|e| {
        let name = e.file_name();
        BEGINNINGS.iter().any(|b| name.as_encoded_bytes().starts_with(b.as_bytes()))
    });
    let fixed = SYSTEM.map(PathBuf::from).into_iter().chain(home).chain(own).chain(sessions.map(|e| e.path()));
    named.chain(fixed.filter(|p| !ground.cwd.starts_with(p))).collect()
}

/// What stays open whatever a variable says: the workspace, the home folder, temp folders and what is above them.
fn stay_open(ground: &Ground, resolver: &mut Resolver) -> Vec<PathBuf> {
    let own = variable(ground, "TMPDIR");
    let all = [Some(ground.cwd), ground.home, own.as_deref(), Some(Path::new("/tmp")), Some(Path::new("/dev/shm"))];
    all.into_iter().flatten().map(|p| resolver.real(p)).collect()
}

/// Variables that name such a socket.
const NAMED: [&str; 21] = [
    "SSH_AUTH_SOCK",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "CONTAINERD_ADDRESS",
    "TMUX",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "ALACRITTY_SOCKET",
    "SWAYSOCK",
    "I3SOCK",
    "WAYLAND_DISPLAY",
    "GNOME_KEYRING_CONTROL",
    "PANTO_SOCKET",
    "EMACS_SOCKET_NAME",
];

/// The socket in `unix:path=/a,guid=1`, `unix:///a`, `/a,1,2` or `/a:1`.
fn socket(value: &str) -> Option<PathBuf> {
    let path = &value[value.find('/')?..];
    let path = path.trim_start_matches("//");
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let ends = path.find([',', ';', ':']).unwrap_or(path.len());
    let path = PathBuf::from(&path[..ends]);
    std::fs::metadata(&path)
        .is_ok_and(|m| m.file_type().is_socket() || m.is_dir() && path != Path::new("/"))
        .then_some(path)
}

#[cfg(test)]
mod tests {
    use super::socket;
    use std::os::unix::net::UnixListener;

    #[test]
    fn the_socket_is_found_in_every_form_of_a_variable() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("socket");
        let _listener = UnixListener::bind(&path).expect("a socket");
        let shown = path.display();
        for value in [
            format!("{shown}"),
            format!("{shown},123,0"),
            format!("unix:path={shown},guid=1"),
            format!("unix://{shown}"),
            format!("unix:{shown}"),
        ] {
            assert_eq!(socket(&value).as_ref(), Some(&path), "{value}");
        }
        for value in ["tcp://127.0.0.1:2375", "", "wayland-0", "/no/such/socket"] {
            assert_eq!(socket(value), None, "{value}");
        }
    }
}
