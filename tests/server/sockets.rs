//! Where the server listens: the default with and without `XDG_RUNTIME_DIR`, and a path that is too long for a socket.

use super::*;
use crate::support::{Terminal, world::PANTO};

/// The path in the line that a server prints when it is ready, of a server that is ended then.
fn listens(world: &World, args: &[&str]) -> String {
    let mut child = world.spawn(&[&["serve"], args].concat());
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let at = line.trim_end().strip_prefix("listening at ").map(str::to_owned);
    assert!(at.as_deref().is_none_or(exists), "{line}");
    let _ = child.kill();
    let out = child.wait_with_output().expect("it ends");
    at.unwrap_or_else(|| panic!("{line}{}", String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn the_default_is_the_runtime_folder_else_the_data_folder() {
    let mut world = World::new();
    let run = world.env()["XDG_RUNTIME_DIR"].clone();
    assert_eq!(listens(&world, &[]), format!("{run}/panto/panto.sock"));
    world.set("XDG_RUNTIME_DIR", "");
    assert_eq!(listens(&world, &[]), world.data().join("server/panto.sock").display().to_string());
    world.unset("XDG_RUNTIME_DIR");
    assert_eq!(listens(&world, &[]), world.data().join("server/panto.sock").display().to_string());
    let own = format!("{run}/own.sock");
    world.user("config.toml", &format!("[server]\nsocket = \"{own}\"\n"));
    assert_eq!(listens(&world, &[]), own, "the configuration");
    assert_eq!(listens(&world, &["--socket", &format!("{run}/flag.sock")]), format!("{run}/flag.sock"), "the flag");
}

#[test]
fn a_path_that_is_too_long_is_refused_by_both_ends_in_words() {
    let mut world = World::new();
    let long = world.project().join("x".repeat(120));
    let text = long.to_str().expect("UTF-8");
    let ran = world.run(&["serve", "--socket", text]);
    assert!(ran.code != 0 && ran.err.contains("may have 107") && ran.err.contains("--socket"), "{ran:?}");
    let mut t = Terminal::run(&world, &[PANTO, "attach", "--socket", text], 100, 30);
    assert_ne!(t.wait("at most 107 bytes").exit_code(), 0);
    // A folder that the user didn't choose may be too deep as well.
    world.set("XDG_RUNTIME_DIR", long.to_str().expect("UTF-8"));
    let ran = world.run(&["serve"]);
    assert!(ran.code != 0 && ran.err.contains("may have 107"), "{ran:?}");
    assert!(!exists(&long), "nothing was made");
}
