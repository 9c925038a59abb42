//! Damaged files: what is lost, what is said, and that the file stays.

use super::*;
use panto::session::{LoadError, load, preview};

/// A session with a line put in, as the line number `at`.
fn with_line(place: &Place, texts: &[&str], at: usize, line: &[u8]) -> PathBuf {
    let path = place.past(texts);
    let bytes = fs::read(&path).unwrap();
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    lines.insert(at - 1, line);
    fs::write(&path, lines.join(&b'\n')).unwrap();
    path
}

#[test]
fn r01_a_bad_line_costs_itself_only() {
    let place = Place::new();
    let texts: Vec<String> = (0..99).map(|n| format!("text {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let path = with_line(&place, &texts, 50, br#"{"type":"mess"#);
    let before = fs::read(&path).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), texts);
    assert_eq!(loaded.warnings, ["1 line skipped (line 50)"]);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn r01_an_entry_whose_parent_was_lost_follows_the_one_before_it() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1", "Q2", "A2"]);
    let text = fs::read_to_string(&path).unwrap().replace(r#""id":"e1""#, r#""id":e1"#);
    fs::write(&path, text).unwrap();
    assert_eq!(said(&load(&path).unwrap()), ["Q1", "Q2", "A2"]);
}

#[tokio::test]
async fn r02_a_cut_last_line_is_dropped_and_the_next_one_is_fresh() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1", "Q2", "A2"]);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 10]).unwrap();
    let (mut log, loaded) = Log::open(&path).unwrap();
    assert!(loaded.cut_tail);
    assert_eq!(loaded.warnings, ["the last line was cut off and is left out (line 5)"]);
    assert_eq!(said(&loaded), ["Q1", "A1", "Q2"]);
    save(&mut log, vec![user("Q3")]).await;
    log.close().await.unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1", "Q2", "Q3"]);
    assert_eq!(loaded.warnings, ["1 line skipped (line 5)"]);
}

#[tokio::test]
async fn a_last_line_that_only_lacks_its_end_is_whole() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let (mut log, loaded) = Log::open(&path).unwrap();
    assert_eq!((said(&loaded), loaded.warnings), (vec!["Q1".to_owned(), "A1".into()], vec![]));
    save(&mut log, vec![user("Q2")]).await;
    assert_eq!(rows(&path).len(), 4);
}

#[test]
fn r04_a_block_of_nul_bytes_hides_nothing() {
    let place = Place::new();
    let path = with_line(&place, &["Q1", "A1", "Q2", "A2"], 4, &[0; 512]);
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1", "Q2", "A2"]);
    assert_eq!(loaded.warnings, ["1 line skipped (line 4)"]);
    let exchange = preview(&path).unwrap();
    assert_eq!(exchange, [(Role::User, "Q2".to_owned()), (Role::Assistant, "A2".into())]);
    // Written behind the block, on the same line.
    let (head, tail) =
        (past_lines(&place.cwd(), "x", &["Q1", "A1"]), r#"{"type":"custom","id":"z","parent_id":"e1","name":"n"}"#);
    fs::write(&path, [head.as_bytes(), &[0; 100_000], tail.as_bytes(), b"\n"].concat()).unwrap();
    assert_eq!(load(&path).unwrap().tip(), Some("z"));
}

#[test]
fn invalid_utf8_costs_its_line() {
    let place = Place::new();
    let path = with_line(&place, &["Q1", "A1"], 3, b"{\"type\":\"message\",\"x\":\"\xff\xfe\"}");
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1"]);
    assert_eq!(loaded.warnings, ["1 line skipped (line 3)"]);
}

#[test]
fn h09_a_lone_surrogate_becomes_the_replacement_character() {
    let place = Place::new();
    let path = place.past(&["Q1", "A-XX"]);
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("A-XX", r"A-\ud83d\u2026")).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A-\u{fffd}…"]);
    assert!(loaded.warnings.is_empty());
}

#[test]
fn h02_a_call_at_the_end_has_a_result_for_the_model() {
    let place = Place::new();
    let path = place.past(&["Q1"]);
    let call = r#"{"type":"message","id":"c","parent_id":"e0","timestamp":"t","message":{"role":"assistant","blocks":[{"type":"tool_use","id":"t1","name":"std.shell","input":{}}]}}"#;
    fs::write(&path, fs::read_to_string(&path).unwrap() + call + "\n").unwrap();
    let history = load(&path).unwrap().history();
    let (_, last) = history.last().unwrap();
    let json = serde_json::to_value(last).unwrap();
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "interrupted before it finished"}], "is_error": true});
    assert_eq!(json, json!({"role": "user", "blocks": [result]}));
}

#[test]
fn h13_call_ids_used_again_stay_with_their_results() {
    let place = Place::new();
    let path = place.past(&[]);
    let mut text = fs::read_to_string(&path).unwrap();
    for (n, out) in ["one", "two"].iter().enumerate() {
        let call = json!({"role": "assistant", "blocks": [{"type": "tool_use", "id": "bash:0", "name": "std.shell", "input": {}}]});
        let result = json!({"role": "user", "blocks": [{"type": "tool_result", "tool_use_id": "bash:0", "content": [{"type": "text", "text": out}], "is_error": false}]});
        for (half, message) in [call, result].into_iter().enumerate() {
            let row = json!({"type": "message", "id": format!("{n}{half}"), "timestamp": "t", "message": message});
            text += &format!("{row}\n");
        }
    }
    fs::write(&path, text).unwrap();
    let history = serde_json::to_string(&load(&path).unwrap().history()).unwrap();
    assert_eq!(history.matches(r#""bash:0""#).count(), 2);
    assert_eq!(history.matches(r#""bash:0_2""#).count(), 2);
    assert!(history.find("one").unwrap() < history.find("bash:0_2").unwrap());
}

#[test]
fn a_session_without_its_header_is_still_read() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("{\"type\":\"session\"", "{\"typ", 1)).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1"]);
    assert_eq!(loaded.header.id, "0198d000-0000-7000-8000-000000000001");
    assert!(loaded.header.cwd.as_os_str().is_empty());
    assert!(loaded.warnings.iter().any(|w| w.contains("first line")), "{:?}", loaded.warnings);
}

#[test]
fn what_is_no_session_is_an_error_that_names_it() {
    let place = Place::new();
    let path = place.path("notes.jsonl");
    fs::write(&path, "hello\nworld\n").unwrap();
    let error = load(&path).unwrap_err();
    assert!(matches!(error, LoadError::NotASession { .. }) && error.to_string().contains("notes.jsonl"));
    fs::write(&path, "").unwrap();
    assert!(matches!(load(&path), Err(LoadError::NotASession { .. })));
    assert!(matches!(load(&place.path("gone.jsonl")), Err(LoadError::Io { .. })));
}

/// Whatever byte a crash cuts a file at: all whole lines are there, and it can be gone on with.
#[tokio::test]
async fn a_file_cut_at_any_byte_opens_and_loses_only_the_cut_line() {
    let place = Place::new();
    let path = place.past(&["Q1 é", "A1 \u{1f525}", "Q2"]);
    let whole = fs::read(&path).unwrap();
    let header = whole.iter().position(|b| *b == b'\n').unwrap();
    for end in header..=whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let text = |n: usize| ["Q1 é", "A1 \u{1f525}", "Q2"][..n].to_vec();
        // A line that lacks nothing but its LF counts.
        let ends = whole[..end].iter().filter(|b| **b == b'\n').count();
        let complete = ends + usize::from(whole.get(end) == Some(&b'\n'));
        let expected = text(complete.saturating_sub(1));
        let loaded = load(&path).unwrap();
        assert_eq!(said(&loaded), expected, "cut at {end}");
        if end % 11 == 0 {
            let (mut log, _) = Log::open(&path).unwrap();
            save(&mut log, vec![user("next")]).await;
            log.close().await.unwrap();
            assert_eq!(said(&load(&path).unwrap()), [&expected[..], &["next"]].concat(), "cut at {end}");
        }
    }
}

/// Rows of a file in short: a name and its parent (`-`: none), or a leaf and its target.
fn tree(place: &Place, rows: &[(&str, &str, &str)]) -> PathBuf {
    let path = place.past(&[]);
    let mut text = fs::read_to_string(&path).unwrap();
    for (kind, id, other) in rows {
        let parent = (*other != "-").then_some(*other);
        let row = match *kind {
            "leaf" => json!({"type": "leaf", "id": id, "parent_id": null, "timestamp": "t", "target_id": other}),
            role => json!({"type": "message", "id": id, "parent_id": parent, "timestamp": "t",
                "message": {"role": role, "blocks": [{"type": "text", "text": format!("{role} {id}<{other}")}]}}),
        };
        text += &format!("{row}\n");
    }
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_tree_with_circles_lost_leaves_or_repeated_ids_is_read() {
    let place = Place::new();
    for (rows, expected) in [
        (vec![("user", "a", "b"), ("assistant", "b", "a")], vec!["user a<b", "assistant b<a"]),
        (vec![("user", "a", "a")], vec!["user a<a"]),
        (vec![("user", "a", "-"), ("assistant", "b", "a"), ("leaf", "l", "gone")], vec!["user a<-", "assistant b<a"]),
        (vec![("leaf", "l", "l"), ("user", "a", "l")], vec!["user a<l"]),
        // The same line twice.
        (vec![("user", "a", "-"), ("assistant", "b", "a"), ("assistant", "b", "a")], vec!["user a<-", "assistant b<a"]),
        // An id used again further down: each keeps its own words.
        (
            vec![("user", "a", "-"), ("assistant", "b", "a"), ("user", "b", "b")],
            vec!["user a<-", "assistant b<a", "user b<b"],
        ),
        (
            vec![("user", "a", "-"), ("assistant", "b", "a"), ("user", "a", "b")],
            vec!["user a<-", "assistant b<a", "user a<b"],
        ),
    ] {
        let loaded = load(&tree(&place, &rows)).unwrap();
        assert_eq!(said(&loaded), expected, "{rows:?}");
        let roles: Vec<Role> = loaded.history().iter().map(|(_, m)| m.role).collect();
        assert!(
            roles.iter().zip(&expected).all(|(r, text)| text.starts_with("user") == (*r == Role::User)),
            "{rows:?}"
        );
    }
}

#[tokio::test]
async fn lines_that_end_in_crlf_are_whole() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    fs::write(&path, fs::read_to_string(&path).unwrap().replace('\n', "\r\n")).unwrap();
    let (mut log, loaded) = Log::open(&path).unwrap();
    assert_eq!((said(&loaded), loaded.warnings), (vec!["Q1".to_owned(), "A1".into()], vec![]));
    save(&mut log, vec![user("Q2")]).await;
    assert_eq!(said(&load(&path).unwrap()), ["Q1", "A1", "Q2"]);
}

#[test]
fn a_file_of_a_newer_version_is_read_and_says_so() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("\"version\":1", "\"version\":99", 1)).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1"]);
    assert_eq!(loaded.warnings, ["written by a newer version (format 99): some of it may be missing"]);
}

#[test]
fn two_sessions_in_one_file_are_said_to_be() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    let other =
        past_lines(&place.cwd(), "0198d000-0000-7000-8000-000000000002", &["other Q", "other A"]).replace("\"e", "\"f");
    fs::write(&path, fs::read_to_string(&path).unwrap() + &other).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.header.id, "0198d000-0000-7000-8000-000000000001");
    assert_eq!(said(&loaded), ["other Q", "other A"]);
    assert_eq!(loaded.warnings, ["more than one session in the file (line 4): only one branch of it is shown"]);
    // A header that comes late is one all the same.
    fs::write(&path, format!("{{\"cut\n{}", past_lines(&place.cwd(), "x", &["Q", "A"]))).unwrap();
    assert_eq!(load(&path).unwrap().header.id, "x");
}

#[test]
fn a_folder_with_the_name_of_a_session_is_none() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    let folder = path.with_file_name("20250102T030405Z_0198d000-0000-7000-8000-00000000000f.jsonl");
    fs::create_dir(&folder).unwrap();
    assert_eq!(place.store.find("0198d").unwrap(), path);
    assert_eq!(place.store.list(panto::session::Scope::All, &place.cwd(), None).unwrap().len(), 1);
    assert_eq!(place.store.newest(&place.cwd()), Some(path));
    assert!(matches!(load(&folder), Err(LoadError::Io { .. })));
    assert!(Log::open(&folder).is_err());
}

#[test]
fn a_line_of_two_gigabytes_costs_itself_only() {
    use std::io::{Seek, SeekFrom, Write};
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    let mut file = fs::File::options().write(true).open(&path).unwrap();
    let end = file.seek(SeekFrom::End(0)).unwrap();
    // A hole reads as NUL bytes; the line begins before it and ends behind it.
    file.write_all(b"{\"type\":\"mess").unwrap();
    file.seek(SeekFrom::Start(end + (2 << 30))).unwrap();
    file.write_all(b"\"}\n").unwrap();
    let last = json!({"type": "message", "id": "z", "parent_id": "e1", "timestamp": "t",
        "message": {"role": "user", "blocks": [{"type": "text", "text": "Q2"}]}});
    writeln!(file, "{last}").unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1", "Q2"]);
    assert_eq!(loaded.warnings, ["1 line skipped (line 4)"]);
    let row = &place.store.list(panto::session::Scope::All, &place.cwd(), None).unwrap()[0];
    assert_eq!(row.first_prompt.as_deref(), Some("Q1"));
    assert_eq!(preview(&path).unwrap(), [(Role::User, "Q2".to_owned())]);
    // The buffer ends where the line is known to be too long.
    // The peak is the process's: where other tests share it, it tells nothing of this one.
    if std::env::var_os("NEXTEST_EXECUTION_MODE").is_none_or(|mode| mode != "process-per-test") {
        return;
    }
    let peak = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = peak
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .and_then(|l| l.trim().strip_suffix("kB")?.trim().parse().ok());
    assert!(peak.unwrap_or(0u64) < 700 << 10, "{peak:?} kB at the most");
}

#[test]
fn the_order_of_the_file_decides_and_no_clock() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1", "Q2", "A2"]);
    let mut text = fs::read_to_string(&path).unwrap();
    for (n, at) in ["2031-01-01", "2019-01-01", "2030-01-01", "1969-12-31"].iter().enumerate() {
        let (old, new) = (format!("\"id\":\"e{n}\""), format!("\"id\":\"e{n}\",\"x\":1"));
        let line = text.lines().find(|l| l.contains(&old)).unwrap().to_owned();
        text = text.replace(&line, &line.replace(&old, &new).replace("2025-01-02", at));
    }
    fs::write(&path, &text).unwrap();
    assert!(text.contains("1969-12-31T03:04:05.678Z"));
    assert_eq!(said(&load(&path).unwrap()), ["Q1", "A1", "Q2", "A2"]);
    assert_eq!(preview(&path).unwrap(), [(Role::User, "Q2".to_owned()), (Role::Assistant, "A2".into())]);
}
