//! What was worked out for a command is kept for the next one: whatever happens in between counts all the same.

use super::world::{World, each, with_namespaces};
use std::{fs, os::unix::fs::symlink};

/// A world in which a command has run already.
fn begun(w: &World) {
    for _ in 0..2 {
        assert!(w.run("echo x > before").ok);
    }
}

#[test]
fn a_credential_that_is_made_between_commands_cannot_be_read() {
    each(|w| {
        begun(&w);
        w.put("home/.ssh/id_ed25519", "SECRET-WORD");
        w.put("home/.netrc", "SECRET-WORD");
        let ran = w.run("cat ~/.ssh/* ~/.netrc; echo ENDED");
        assert!(ran.output.contains("ENDED") && !ran.output.contains("SECRET-WORD"), "{}", ran.output);
    });
}

#[test]
fn a_credential_that_is_replaced_between_commands_cannot_be_read() {
    each(|w| {
        w.put("home/.ssh/id", "SECRET-WORD");
        w.put("home/.netrc", "SECRET-WORD");
        begun(&w);
        fs::rename(w.at("home/.ssh"), w.at("home/old")).expect("it is moved");
        fs::remove_file(w.at("home/.netrc")).expect("it goes");
        w.put("home/.ssh", "SECRET-WORD");
        w.put("home/.netrc/file", "SECRET-WORD");
        let ran = w.run("cat ~/.ssh ~/.netrc/*; echo ENDED");
        assert!(ran.output.contains("ENDED") && !ran.output.contains("SECRET-WORD"), "{}", ran.output);
    });
}

#[test]
fn a_link_to_a_credential_that_is_turned_between_commands_is_followed() {
    each(|w| {
        for name in ["one", "two"] {
            w.put(&format!("elsewhere/{name}/key"), "SECRET-WORD");
        }
        let turn = |to: &str| {
            _ = fs::remove_file(w.at("home/.ssh"));
            symlink(w.at("elsewhere").join(to), w.at("home/.ssh")).expect("a link");
        };
        turn("one");
        begun(&w);
        turn("two");
        let ran = w.run("cat ~/.ssh/key $AWAY/two/key; echo ENDED");
        assert!(ran.output.contains("ENDED") && !ran.output.contains("SECRET-WORD"), "{}", ran.output);
    });
}

#[test]
fn a_protected_place_that_is_made_between_commands_cannot_be_written() {
    with_namespaces(|w| {
        begun(&w);
        w.put("work/.panto/settings", "MINE");
        w.run("echo x > .panto/settings; echo x > .panto/new; mv .panto old; mkdir .panto; echo x > .panto/new");
        assert_eq!(w.read("work/.panto/settings"), "MINE");
        assert!(!w.at("work/.panto/new").exists());
    });
}

#[test]
fn a_folder_that_takes_the_place_of_a_writable_one_is_writable_in_its_stead() {
    each(|w| {
        begun(&w);
        let moved = |from: &str, to: &str| fs::rename(w.at(from), w.at(to)).expect("it is moved");
        for name in ["work", "tmp"] {
            moved(name, &format!("elsewhere/{name}"));
            fs::create_dir(w.at(name)).expect("a folder");
        }
        let ran = w.run("echo x > here && echo x > $TMPDIR/here; echo x > $AWAY/work/away; echo x > $AWAY/tmp/away");
        for (name, is_written) in
            [("work/here", true), ("tmp/here", true), ("elsewhere/work/away", false), ("elsewhere/tmp/away", false)]
        {
            assert_eq!(w.at(name).exists(), is_written, "{name}: {}", ran.output);
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_mounted_between_commands_is_seen() {
    with_namespaces(|w| {
        w.put("home/.ssh/id", "SECRET-WORD");
        begun(&w);
        let (home, away) = (w.at("home"), w.at("elsewhere"));
        let Some(_mount) = Mount::bind(&home, &away) else { return eprintln!("skipped: nothing can be mounted") };
        let ran = w.run("ls $AWAY/.bashrc; cat $AWAY/.ssh/id; echo ENDED");
        assert!(ran.output.contains(".bashrc\n"), "it is mounted: {}", ran.output);
        assert!(ran.output.contains("ENDED") && !ran.output.contains("SECRET-WORD"), "{}", ran.output);
    });
}

/// A folder at a second place, until it is dropped.
#[cfg(target_os = "linux")]
struct Mount(std::ffi::CString);

#[cfg(target_os = "linux")]
impl Mount {
    fn bind(from: &std::path::Path, to: &std::path::Path) -> Option<Mount> {
        use std::{ffi::CString, os::unix::ffi::OsStrExt};
        let [from, to] = [from, to].map(|p| CString::new(p.as_os_str().as_bytes()).expect("no zero"));
        let none = std::ptr::null();
        // SAFETY: the strings outlive the call, which does not look at what is null.
        let made = unsafe { libc::mount(from.as_ptr(), to.as_ptr(), none, libc::MS_BIND, none.cast()) };
        (made == 0).then_some(Mount(to))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Mount {
    fn drop(&mut self) {
        // SAFETY: the string outlives the call.
        unsafe { libc::umount2(self.0.as_ptr(), libc::MNT_DETACH) };
    }
}
