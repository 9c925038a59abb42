//! Sockets behind which somebody outside of the sandbox does what he is told: container daemons, the session bus,
//! terminal multiplexers, editors, key agents, panto itself.

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

/// Those that exist, by their real paths.
pub fn places(ground: &Ground) -> Vec<PathBuf> {
    // SAFETY: reads a number of the process.
    let user = unsafe { libc::getuid() };
    let mut found: Vec<PathBuf> = SYSTEM.map(PathBuf::from).to_vec();
    found.extend(ground.home.iter().flat_map(|home| HOME.map(|name| home.join(name))));
    found.extend(OWN.map(|name| PathBuf::from(format!("/tmp/{name}{user}"))));
    found.extend(variable(ground, "TMUX_TMPDIR").map(|p| p.join(format!("tmux-{user}"))));
    found.push(PathBuf::from(format!("/run/user/{user}")));
    found.extend(variable(ground, "XDG_RUNTIME_DIR").filter(|p| is_private(p, ground)));
    found.extend(NAMED.iter().filter_map(|name| (ground.env)(name)).filter_map(|value| named(&value)));
    found.iter().filter_map(|p| p.canonicalize().ok()).collect()
}

/// A runtime folder holds sockets and nothing to work on: not the workspace, the home folder, a temp folder or what is
/// above them.
fn is_private(folder: &Path, ground: &Ground) -> bool {
    let mut others =
        [Some(ground.cwd), ground.home, Some(Path::new("/tmp")), Some(Path::new("/dev/shm"))].into_iter().flatten();
    !others.any(|other| other.starts_with(folder))
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
fn named(value: &str) -> Option<PathBuf> {
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
    use super::named;
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
            assert_eq!(named(&value).as_ref(), Some(&path), "{value}");
        }
        for value in ["tcp://127.0.0.1:2375", "", "wayland-0", "/no/such/socket"] {
            assert_eq!(named(value), None, "{value}");
        }
    }
}
