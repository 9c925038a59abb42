//! Rules of processes, tried on real ones.

use super::*;
use std::{path::Path, time::Instant};

fn processes(dir: &Path) -> Processes {
    Processes::new(dir.join("spill"), Scrub::default())
}

fn sh(command: &str) -> Spec {
    Spec {
        argv: vec!["/bin/sh".into(), "-c".into(), command.into()],
        cwd: std::env::temp_dir(),
        env: vec![],
        stdin: None,
        timeout: None,
        limits: Limits::default(),
        merge: false,
        sandbox: None,
    }
}

/// The command line of a sleep that no other run of these tests has.
fn sleep(seconds: u32) -> String {
    format!("sleep {seconds}.{}", std::process::id())
}

fn text(captured: &Captured) -> String {
    String::from_utf8_lossy(&captured.clone().join(b"[...]")).into_owned()
}

/// Whether a process with this in its command line runs.
fn running(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = line.iter().map(|&b| if b == 0 { ' ' } else { b as char }).collect::<String>();
        line.contains(mark) && !line.contains("nextest")
    })
}

async fn gone(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(3);
    while running(mark) {
        assert!(Instant::now() < deadline, "{mark} still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn appears(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !running(mark) {
        assert!(Instant::now() < deadline, "{mark} did not start");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn x06_exit_codes_and_signals() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    for (command, code, signal) in
        [("false", Some(1), None), ("true", Some(0), None), ("exit 3", Some(3), None), ("kill -9 $$", None, Some(9))]
    {
        let ended = p.run(sh(command), None).await.unwrap();
        assert_eq!((ended.exit.code, ended.exit.signal), (code, signal), "{command}");
        assert_eq!(ended.background, None, "{command}");
    }
}

#[tokio::test]
async fn streams_apart_and_merged() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let both = "echo a; echo b >&2; echo c";
    let ended = p.run(sh(both), None).await.unwrap();
    assert_eq!((text(&ended.stdout), text(&ended.stderr)), ("a\nc\n".into(), "b\n".into()));
    let ended = p.run(Spec { merge: true, ..sh(both) }, None).await.unwrap();
    assert_eq!(text(&ended.output), "a\nb\nc\n");
}

#[tokio::test]
async fn x01_a_background_process_holds_the_pipe() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let started = Instant::now();
    let nap = sleep(6101);
    let ended = p.run(sh(&format!("(while :; do echo x; {nap}; done) & echo done")), None).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(1));
    assert!(text(&ended.stdout).contains("done\n"));
    assert!(ended.background.is_some());
    // It goes on, and into the file, until panto ends.
    let file = ended.spill.unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().contains("done\n"));
    appears(&nap).await;
    drop(p);
    gone(&nap).await;
}

#[tokio::test]
async fn x01_a_quiet_survivor_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let nap = sleep(6102);
    let ended = p.run(sh(&format!("{nap} >/dev/null 2>&1 & echo ok")), None).await.unwrap();
    assert!(ended.background.is_some());
    assert!(ended.spill.is_none());
    p.kill_all();
    gone(&nap).await;
}

#[tokio::test]
async fn x01_who_made_a_group_of_his_own_ends_with_panto() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let nap = sleep(6103);
    p.run(sh(&format!("timeout 6103 {nap} >/dev/null 2>&1 &")), None).await.unwrap();
    appears(&nap).await;
    p.inner.shared().groups.look();
    drop(p);
    gone(&nap).await;
}

#[tokio::test]
async fn x01_output_of_survivors_goes_on_into_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let go = dir.path().join("go");
    let command = format!("(until [ -e {0} ]; do sleep 0.01; done; echo LATER; rm {0}) & echo now", go.display());
    let ended = p.run(sh(&command), None).await.unwrap();
    std::fs::write(&go, "").unwrap();
    let file = ended.spill.unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while !std::fs::read_to_string(&file).unwrap().contains("LATER") {
        assert!(Instant::now() < deadline, "the file does not grow");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn x03_time_out_kills_everything() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    // `timeout` makes a group of its own, and the inner shell refuses SIGTERM.
    let nap = sleep(9703);
    let command = format!("echo started; timeout 9999 sh -c \"trap '' TERM; {nap}; true\"");
    let ended = p.run(Spec { timeout: Some(Duration::from_millis(300)), ..sh(&command) }, None).await.unwrap();
    assert!(ended.timed_out);
    assert_eq!(text(&ended.stdout), "started\n");
    gone(&nap).await;
}

#[tokio::test]
async fn x03_dropping_the_run_kills_everything() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let nap = sleep(9704);
    let run = p.run(sh(&format!("sh -c 'sh -c \"{nap}; true\"; true'")), None);
    tokio::select! {
        _ = run => panic!("it ended by itself"),
        () = appears(&nap) => {}
    }
    gone(&nap).await;
}

#[tokio::test]
async fn x04_no_terminal_and_no_input() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let ended = p.run(sh("(: </dev/tty) 2>/dev/null && echo TTY || echo NO-TTY; cat; echo END"), None).await.unwrap();
    assert_eq!(text(&ended.stdout), "NO-TTY\nEND\n");
    let ended = p.run(Spec { stdin: Some(b"fed".to_vec()), ..sh("cat") }, None).await.unwrap();
    assert_eq!(text(&ended.stdout), "fed");
}

#[tokio::test]
async fn x05_endless_output_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let limits = Limits { bytes: 10_000, lines: 100 };
    let spec = Spec { limits, merge: true, ..sh("echo HEAD; head -c 3000000 /dev/zero | tr '\\0' z; echo; echo TAIL") };
    let ended = p.run(spec, None).await.unwrap();
    let output = text(&ended.output);
    assert!(output.starts_with("HEAD\n") && output.ends_with("z\nTAIL\n"), "{output}");
    assert!(output.len() < 10_100);
    assert_eq!(ended.output.bytes, 3_000_011);
    assert_eq!(std::fs::metadata(ended.spill.unwrap()).unwrap().len(), 3_000_011);
    let spec = Spec { timeout: Some(Duration::from_millis(200)), limits, ..sh("yes") };
    let ended = p.run(spec, None).await.unwrap();
    assert!(ended.timed_out && ended.stdout.truncated);
}

#[tokio::test]
async fn many_lines_keep_both_ends() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let limits = Limits { bytes: 50_000, lines: 10 };
    let ended = p.run(Spec { limits, ..sh("seq 1 100") }, None).await.unwrap();
    assert_eq!(text(&ended.output), "1\n2\n3\n4\n5\n[...]96\n97\n98\n99\n100\n");
    assert_eq!(ended.output.left_out(), (292 - 10 - 16, 90));
    assert!(std::fs::read_to_string(ended.spill.unwrap()).unwrap().starts_with("1\n2\n"));
}

#[tokio::test]
async fn x15_a_folder_that_is_gone_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let cwd = dir.path().join("gone");
    let error = p.run(Spec { cwd: cwd.clone(), ..sh("echo hi") }, None).await.unwrap_err();
    assert_eq!(error.to_string(), format!("the working directory {} is gone, or never was there", cwd.display()));
    let missing = Spec { argv: vec!["no-such-program".into()], ..sh("") };
    let error = p.run(missing, None).await.unwrap_err();
    assert!(error.to_string().starts_with("no-such-program: "), "{error}");
}

#[tokio::test]
async fn news_are_whole_characters_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let (news, mut heard) = mpsc::unbounded_channel();
    let command = "printf 'a\\303'; sleep 0.1; printf '\\244b'; sleep 0.1; printf c";
    p.run(sh(command), Some(news)).await.unwrap();
    let mut all = String::new();
    while let Some(chunk) = heard.recv().await {
        all += std::str::from_utf8(&chunk).expect("a chunk is whole characters");
    }
    assert_eq!(all, "aäbc");
}

#[tokio::test]
async fn detached_commands_log_and_end() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let detached = p.detach(sh("echo working; exit 4")).await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while std::fs::read_to_string(&detached.log).unwrap() != "working\n\n[exit code 4]\n" {
        assert!(Instant::now() < deadline, "the log is not written");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn live_commands_talk() {
    let dir = tempfile::tempdir().unwrap();
    let p = processes(dir.path());
    let live = p
        .spawn(sh("while read l; do echo \"<$l>\"; echo \"e:$l\" >&2; done; exit 5"), CancellationToken::new())
        .await
        .unwrap();
    live.write(b"one\ntwo\n").await.unwrap();
    assert_eq!(live.read_line().await.unwrap(), b"<one>");
    assert_eq!(live.read_line().await.unwrap(), b"<two>");
    live.close_stdin().await;
    assert_eq!(live.read_line().await, None);
    assert_eq!(live.wait().await, Exit { code: Some(5), signal: None });
    let nap = sleep(9705);
    let live = p.spawn(sh(&format!("{nap}; true")), CancellationToken::new()).await.unwrap();
    appears(&nap).await;
    drop(live);
    gone(&nap).await;
}
