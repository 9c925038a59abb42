//! Places inside of the workspace that are not to be written, and credentials that are not to be read.

use super::world::{World, each, with_namespaces};
use std::{fs, os::unix::net::UnixListener};

/// Writes that would have something run later.
const WRITES: [(&str, &str); 13] = [
    ("hook", "echo x > .git/hooks/pre-commit"),
    ("hooks moved", "mv .git/hooks .git/old; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"),
    ("repository moved", "mv .git x; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"),
    ("repository copied", "cp -r .git new; mv .git .git.old && mv new .git; echo x > .git/hooks/pre-commit"),
    ("repository removed", "rm -rf .git/hooks; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"),
    ("hook by a hard link", "ln .git/hooks/there h && echo x > h; cp h .git/hooks/pre-commit"),
    ("hook by a link", "ln -s .git/hooks g; echo x > g/pre-commit"),
    ("hook by unmounting", "umount -l .git/hooks; umount -l .git; echo x > .git/hooks/pre-commit"),
    ("hook by remounting", "mount -o remount,bind,rw .git/hooks; echo x > .git/hooks/pre-commit"),
    (
        "hook by a namespace",
        "unshare -Urm sh -c 'umount -l .git/hooks; mount -o remount,bind,rw .git/hooks; echo x > .git/hooks/pre-commit'",
    ),
    ("panto", "echo x > .panto/extensions/evil.lua"),
    ("panto replaced", "mv .panto old; mkdir -p .panto/extensions; echo x > .panto/extensions/evil.lua"),
    ("start-up file", "echo x >> ~/.bashrc; rm -f ~/.bashrc; echo x > ~/.bashrc"),
];

fn repository(w: &mut World) {
    assert!(w.command("git init -q .").status().expect("git").success());
    w.put("work/.git/hooks/there", "THERE");
    w.put("work/.panto/extensions/own.lua", "");
    w.usual();
}

/// What was written of what must not be.
fn written(w: &World) -> Vec<&'static str> {
    let names = ["work/.git/hooks/pre-commit", "work/.panto/extensions/evil.lua"];
    let mut found: Vec<&str> = names.into_iter().filter(|name| w.at(name).exists()).collect();
    found.extend(["home/.bashrc"].into_iter().filter(|name| !w.read(name).is_empty()));
    found.extend(["work/.git/hooks/there"].into_iter().filter(|name| w.read(name) != "THERE"));
    found
}

#[test]
fn protected_places_cannot_be_written() {
    with_namespaces(|mut w| {
        repository(&mut w);
        for (name, line) in WRITES {
            let ran = w.run(&format!("echo BEGUN; {line}"));
            assert!(ran.output.contains("BEGUN"), "{name}: {}", ran.output);
            assert!(written(&w).is_empty(), "{name}: {:?}\n{}", written(&w), ran.output);
        }
    });
}

#[test]
fn start_up_files_are_protected_where_the_home_folder_is_the_workspace() {
    with_namespaces(|mut w| {
        w.policy.write.push(w.at("home"));
        let ran = w.run("echo x > ~/new; echo x > ~/.bashrc; mv ~/.bashrc ~/b; echo x > ~/.bashrc");
        assert_eq!((w.read("home/new").as_str(), w.read("home/.bashrc").as_str()), ("x\n", ""), "{}", ran.output);
    });
}

#[test]
fn what_cannot_be_prevented_is_noticed_and_undone() {
    each(|mut w| {
        repository(&mut w);
        fs::remove_dir_all(w.at("work/.panto")).expect("removed");
        w.usual();
        for line in [
            "mkdir -p .panto/extensions && echo x > .panto/extensions/evil.lua",
            "git config core.hooksPath evil",
            "git config alias.x '!evil'",
            "echo ../evil > .git/commondir",
        ] {
            let watch = w.policy.look(&w.support).watch();
            w.run(line);
            let changes = watch.changes();
            assert_eq!(changes.len(), 1, "{line}: {changes:?}");
            changes[0].undo().expect("undone");
            assert!(watch.changes().is_empty(), "{line}: {:?}", watch.changes());
        }
        let watch = w.policy.look(&w.support).watch();
        w.run("git config user.name x; git remote add origin git@host:a/b; git config core.fsmonitor false");
        assert!(watch.changes().is_empty(), "{:?}", watch.changes());
    });
}

#[test]
fn without_namespaces_every_write_is_noticed_and_undone() {
    each(|mut w| {
        w.support = w.support.clone().without_namespaces();
        repository(&mut w);
        for (name, line) in WRITES {
            let watch = w.policy.look(&w.support).watch();
            w.run(line);
            let changed = !written(&w).is_empty();
            let changes = watch.changes();
            assert!(!changed || !changes.is_empty(), "{name}");
            changes.iter().for_each(|c| c.undo().unwrap_or_else(|e| panic!("{name}: {}: {e}", c.path.display())));
            assert!(written(&w).is_empty(), "{name}: {:?}", written(&w));
            for left in ["x", "old", "new", ".git.old", "h", "g", ".git/old"] {
                w.command(&format!("rm -rf {left}")).status().expect("rm");
            }
            if !w.at("work/.git/HEAD").exists() {
                repository(&mut w);
            }
        }
    });
}

const SECRETS: [&str; 7] = [
    "home/.ssh/id_ed25519",
    "home/.aws/credentials",
    "home/.gnupg/key",
    "home/data/auth.json",
    "home/data/sessions/a.jsonl",
    "home/.netrc",
    "home/.npmrc",
];

#[test]
fn credentials_cannot_be_read() {
    each(|mut w| {
        for name in SECRETS {
            w.put(name, "_authToken=SECRET-WORD\n");
        }
        std::os::unix::fs::symlink(w.at("home/.ssh/id_ed25519"), w.at("work/key")).expect("a link");
        w.usual();
        let names = SECRETS.map(|name| w.at(name).display().to_string()).join(" ");
        for line in [
            format!("cat {names} key"),
            "ln ~/.ssh/id_ed25519 hard; cat hard; cp -r ~/.ssh copy; cat copy/*; mv ~/.netrc n; cat n".into(),
            "cat /proc/$PPID/root$HOME/.netrc /proc/1/root$HOME/.netrc /proc/self/root$HOME/.netrc /proc/self/cwd/key"
                .into(),
            "umount -l ~/.ssh ~/.netrc; cat ~/.ssh/* ~/.netrc; nsenter -t $PPID -m cat $HOME/.netrc".into(),
            "unshare -Urm sh -c 'umount -l ~/.ssh ~/.netrc; cat ~/.ssh/* ~/.netrc'".into(),
            "mv ~/.ssh ~/open; cat ~/open/*; mkdir m; mount --bind ~ m; cat m/.netrc m/.ssh/*".into(),
        ] {
            let ran = w.run(&format!("{line}; echo ENDED"));
            assert!(
                ran.output.contains("ENDED") && !ran.output.contains("SECRET-WORD"),
                "{:?} {line}: {}",
                w.support.namespaces,
                ran.output
            );
        }
        assert!(w.read("home/.ssh/id_ed25519").contains("SECRET-WORD"));
    });
}

#[test]
fn settings_without_a_secret_stay_readable() {
    each(|mut w| {
        w.put("home/.npmrc", "registry=https://example.org\n");
        w.usual();
        assert!(w.run("cat ~/.npmrc").ok);
    });
}

#[test]
fn credentials_in_a_writable_folder_cannot_be_written_either() {
    each(|mut w| {
        w.put("home/.ssh/authorized_keys", "MINE");
        w.policy.write.push(w.at("home"));
        w.run("echo x > ~/.ssh/authorized_keys; rm -rf ~/.ssh; echo x > ~/.ssh/new");
        let left: Vec<_> =
            fs::read_dir(w.at("home/.ssh")).expect("a folder").flatten().map(|e| e.file_name()).collect();
        assert_eq!((left, w.read("home/.ssh/authorized_keys")), (vec!["authorized_keys".into()], "MINE".into()));
    });
}

#[test]
fn the_environment_and_memory_of_processes_outside_are_closed() {
    each(|w| {
        // A process of the same user, not sandboxed.
        let mut other = w.command("exec sleep 60");
        let mut other = other.env("MARK", "SECRET-WORD").spawn().expect("a process");
        let line = format!(
            "cat /proc/{0}/environ | tr '\\0' ' '; cat /proc/$PPID/environ; head -c1 /proc/{0}/mem; kill {0}; echo ENDED",
            other.id()
        );
        let ran = w.run(&line);
        let alive = other.try_wait().expect("a state").is_none();
        other.kill().expect("ended");
        other.wait().expect("ended");
        assert!(ran.output.contains("ENDED") && !ran.output.contains("SECRET-WORD"), "{}", ran.output);
        assert!(alive || w.support.landlock < 6, "it was killed from inside");
    });
}

#[test]
fn sockets_of_those_who_run_commands_are_covered() {
    with_namespaces(|mut w| {
        let path = w.at("elsewhere/daemon.sock");
        let listener = UnixListener::bind(&path).expect("a socket");
        listener.set_nonblocking(true).expect("a mode");
        let dial = format!("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")'", path.display());
        assert!(w.run(&dial).ok && listener.accept().is_ok(), "it is open without a rule");
        w.policy.sockets.push(path);
        assert!(!w.run(&dial).ok && listener.accept().is_err());
    });
}

#[test]
fn rights_and_times_of_files_outside_stay_as_they_are() {
    with_namespaces(|w| {
        let before = fs::metadata(w.at("elsewhere/victim")).expect("a file");
        w.run("chmod 777 $AWAY/victim; touch -c -d 2001-01-01 $AWAY/victim; setfattr -n user.x -v y $AWAY/victim; chown 12 $AWAY/victim");
        let after = fs::metadata(w.at("elsewhere/victim")).expect("a file");
        assert_eq!((before.permissions(), before.modified().ok()), (after.permissions(), after.modified().ok()));
    });
}

#[test]
fn what_goes_on_in_the_background_stays_inside() {
    each(|w| {
        w.run("(read -t 0.2 < <(sleep 5); echo x > $AWAY/new; echo DONE > done) >/dev/null 2>&1 &");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while w.read("work/done").is_empty() && std::time::Instant::now() < until {
            std::thread::yield_now();
        }
        assert_eq!((w.read("work/done").as_str(), w.at("elsewhere/new").exists()), ("DONE\n", false));
    });
}
