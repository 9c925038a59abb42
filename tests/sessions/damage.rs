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
