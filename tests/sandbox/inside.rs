//! What a sandboxed command can do: work.

use super::world::{World, each};

fn fine(w: &World, line: &str) {
    let ran = w.run(line);
    assert!(ran.ok, "{:?}: {line}\n{}", w.support.namespaces, ran.output);
}

#[test]
fn the_workspace_and_temp_and_cache_folders_are_writable() {
    each(|w| {
        fine(
            &w,
            "mkdir -p deep && echo x > deep/file && mv deep/file deep/moved && ln deep/moved deep/hard && rm deep/moved",
        );
        fine(
            &w,
            "echo x > $TMPDIR/t && echo x > ~/.cache/c && mv deep/hard deep2 && mv deep2 $TMPDIR/ && rm $TMPDIR/deep2",
        );
        assert_eq!(w.read("home/.cache/c"), "x\n");
    });
}

#[test]
fn devices_terminals_and_pipes_work() {
    each(|w| {
        fine(
            &w,
            "echo x > /dev/null && head -c4 /dev/urandom > /dev/null && cat <(echo a) > /dev/null && echo b | tee /dev/stderr",
        );
        fine(
            &w,
            "python3 -c 'import pty, os; a, b = pty.openpty(); os.write(b, b\"x\"); open(os.ttyname(b), \"w\").close()'",
        );
    });
}

#[test]
fn everything_else_can_be_read_and_run() {
    each(|w| {
        w.put("home/notes.txt", "PLAIN-WORD");
        fine(&w, "cat ~/notes.txt $AWAY/victim /etc/passwd > /dev/null && ls / ~ $AWAY > /dev/null && /bin/true");
    });
}

#[test]
fn the_network_is_on_unless_it_is_switched_off() {
    each(|mut w| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let dial = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
        fine(&w, &dial);
        w.policy.network = false;
        assert!(!w.run(&dial).ok, "{:?}", w.support);
    });
}

#[test]
fn cargo_builds() {
    each(|w| {
        w.put("work/Cargo.toml", "[package]\nname = \"small\"\nedition = \"2024\"\n[workspace]\n");
        w.put("work/src/main.rs", "fn main() { println!(\"BUILT\"); }\n");
        let home = std::env::var("HOME").expect("a home folder");
        let folder = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| format!("{home}/{usual}"));
        let mut command = w.command("cargo run -q --offline");
        command.env("CARGO_HOME", folder("CARGO_HOME", ".cargo")).env("RUSTUP_HOME", folder("RUSTUP_HOME", ".rustup"));
        command.env_remove("CARGO_TARGET_DIR");
        let ran = w.start(command);
        assert!(ran.ok && ran.output.contains("BUILT"), "{:?} {}", w.support.namespaces, ran.output);
    });
}

#[test]
fn git_commits() {
    each(|mut w| {
        let made = w.command("git init -q . && echo x > file").status().expect("git");
        assert!(made.success());
        w.usual();
        fine(
            &w,
            "git add file && git -c user.name=a -c user.email=b@c commit -qm x && git config user.name b && git switch -qc other && git log --oneline",
        );
    });
}

#[test]
fn a_worktree_commits_into_its_repository() {
    each(|mut w| {
        let line = "rmdir ../work && git init -q ../main && cd ../main && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git worktree add -q ../work";
        let mut command = w.command(line);
        assert!(command.current_dir(w.at("home")).status().expect("git").success());
        w.usual();
        fine(&w, "echo x > file && git add file && git -c user.name=a -c user.email=b commit -qm y");
        assert!(
            !w.run("echo x > ../main/.git/hooks/pre-commit").ok
                || w.support.namespaces == panto::sandbox::Namespaces::None
        );
        assert!(!w.run("echo x > ../main/file").ok);
    });
}

#[test]
fn the_folder_of_a_repository_is_writable_from_a_folder_in_it() {
    each(|mut w| {
        assert!(w.command("git init -q ..").status().expect("git").success());
        w.usual();
        fine(&w, "echo x > file && git add file && git -c user.name=a -c user.email=b commit -qm y");
        assert!(!w.run("echo x > ../other").ok);
    });
}
