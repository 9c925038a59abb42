//! Whether a battery is there: installed in the tree, or found elsewhere and new enough.
//!
//! Only loading a C module tells whether it loads. That is done in another process, once for each file: the module may
//! be broken, and luv remembers the state that first loaded it.

use super::pins::Battery;
use super::{Setup, setup};
use crate::util::atomic;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// How long a module may take to load.
const PATIENCE: Duration = Duration::from_secs(10);

/// Cheap: a few looks at the disk, unless a module is seen for the first time.
pub fn there(battery: &Battery, setup: &Setup) -> bool {
    setup.tree.has(battery.name, None) || found(battery, setup)
}

fn found(battery: &Battery, setup: &Setup) -> bool {
    let Some(file) = module(battery, setup) else { return false };
    let Some(print) = fingerprint(&file) else { return false };
    let note = setup.tree.root().join("etc").join(format!("{}-elsewhere", battery.name));
    if let Ok(known) = fs::read_to_string(&note)
        && let Some((seen, verdict)) = known.split_once('\n')
        && seen == print
    {
        return verdict == "loads";
    }
    let loads = loads(battery, setup);
    let verdict = if loads { "loads" } else { "does not load" };
    // Without the note it is asked again the next time.
    let _ = atomic::replace(&note, format!("{print}\n{verdict}").as_bytes(), None);
    loads
}

/// The file that `require` would load.
fn module(battery: &Battery, setup: &Setup) -> Option<PathBuf> {
    let lua = mlua::Lua::new();
    super::extend_search_paths(&lua, &setup.tree).ok()?;
    let search = format!("return (package.searchpath({:?}, package.cpath))", battery.name);
    lua.load(search).eval::<Option<String>>().ok()?.map(PathBuf::from)
}

fn fingerprint(file: &Path) -> Option<String> {
    let data = file.metadata().ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {} {changed}", file.display(), data.len()))
}

fn loads(battery: &Battery, setup: &Setup) -> bool {
    let code = format!("io.write(require({:?}).version_string())", battery.name);
    let mut command = Command::new(&setup.program);
    command.args(["lua", "-e", &code]).env(setup::GUARD, "1").env_remove("PANTO_SERVER_TOKEN").stdin(Stdio::null());
    let Some(text) = said(command, PATIENCE) else { return false };
    version(&text).is_some_and(|v| v >= battery.oldest)
}

/// What a command prints, if it succeeds in time.
fn said(mut command: Command, patience: Duration) -> Option<String> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let deadline = Instant::now() + patience;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                _ = child.kill();
                _ = child.wait();
                return None;
            }
        }
    };
    // A version is short: it fits into the pipe. Whoever the command has left behind may hold the pipe's other end.
    let mut text = [0; 256];
    let length = child.stdout.take()?.read(&mut text).ok()?;
    status.success().then(|| String::from_utf8_lossy(&text[..length]).into_owned())
}

/// The first two numbers of a version: `1.44.2-dev` is 1.44.
pub(super) fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r43_versions_compare_as_numbers() {
        assert_eq!(version("1.44.2"), Some((1, 44)));
        assert_eq!(version("1.5.0-dev"), Some((1, 5)));
        assert_eq!(version("dev"), None);
        assert!(version("1.5.0") < version("1.44.0"));
    }

    #[test]
    fn a_module_that_never_loads_is_given_up() {
        let run = |script: &str, patience| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            said(command, patience)
        };
        assert_eq!(run("exec sleep 1000", Duration::from_millis(50)), None);
        assert_eq!(run("echo 1.2", PATIENCE).as_deref(), Some("1.2\n"));
        assert_eq!(run("echo 1.2; exit 1", PATIENCE), None);
    }
}
