//! Forks, repaired copies, exports.

use super::*;
use panto::{
    cli::sessions::{SessionsCommand, run},
    session::{Copied, Format, LoadError, LockError, StoreError, export, load},
};

const FUTURE: &str =
    r#"{"type":"from_the_future","id":"f","parent_id":"e3","timestamp":"t","payload":{"deep":[1, 2.50]}}"#;

fn with_future(place: &Place) -> PathBuf {
    let path = place.past(&["Q1", "A1", "Q2", "A2"]);
    fs::write(&path, fs::read_to_string(&path).unwrap() + FUTURE + "\n").unwrap();
    path
}

#[tokio::test]
async fn a_fork_takes_the_raw_lines_and_leaves_the_old_file() {
    let place = Place::new();
    let path = with_future(&place);
    let before = fs::read(&path).unwrap();
    let (mut log, loaded) = Log::fork(&place.store, &path, None, &place.cwd()).unwrap();
    assert_eq!(place.files(), std::slice::from_ref(&path), "made before the first entry");
    assert_eq!(said(&loaded), ["Q1", "A1", "Q2", "A2"]);
    assert_eq!(loaded.path, log.path().unwrap());
    save(&mut log, vec![user("other way")]).await;
    log.close().await.unwrap();

    let text = fs::read_to_string(log.path().unwrap()).unwrap();
    assert!(text.contains(FUTURE));
    let rows = rows(log.path().unwrap());
    assert_eq!(rows[0]["parent"], "0198d000-0000-7000-8000-000000000001");
    assert_eq!(rows[0]["id"], log.id());
    assert_eq!(rows.last().unwrap()["parent_id"], "f");
    assert_eq!(said(&load(log.path().unwrap()).unwrap()), ["Q1", "A1", "Q2", "A2", "other way"]);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_fork_may_end_earlier_and_on_another_branch() {
    let place = Place::new();
    let path = with_future(&place);
    let leaf = r#"{"type":"leaf","id":"l","parent_id":"e0","timestamp":"t","target_id":"e0"}"#;
    fs::write(&path, fs::read_to_string(&path).unwrap() + leaf + "\n").unwrap();
    assert_eq!(said(&load(&path).unwrap()), ["Q1"]);
    let (mut log, loaded) = Log::fork(&place.store, &path, Some("e1"), &place.cwd()).unwrap();
    assert_eq!(said(&loaded), ["Q1", "A1"]);
    fs::remove_file(&path).unwrap();
    save(&mut log, vec![user("Q3")]).await;
    let loaded = load(log.path().unwrap()).unwrap();
    assert_eq!((said(&loaded), loaded.warnings), (vec!["Q1".to_owned(), "A1".into(), "Q3".into()], vec![]));
    assert!(matches!(
        Log::fork(&place.store, log.path().unwrap(), Some("nope"), &place.cwd()),
        Err(LoadError::NoSuchEntry { .. })
    ));
}

#[tokio::test]
async fn unknown_entries_and_fields_outlive_going_on() {
    let place = Place::new();
    let path = with_future(&place);
    let (mut log, _) = Log::open(&path).unwrap();
    save(&mut log, vec![user("Q3")]).await;
    assert!(fs::read_to_string(&path).unwrap().lines().any(|line| line == FUTURE));
}

#[test]
fn a_repaired_copy_is_whole_and_the_damaged_file_stays() {
    let place = Place::new();
    let path = with_future(&place);
    let mut bytes = fs::read_to_string(&path).unwrap().replacen("Q2", r"Q2\ud83d", 1).into_bytes();
    let second = bytes.iter().position(|b| *b == b'\n').unwrap() + 1;
    bytes.splice(second..second, *b"{\"type\":\"mess\n\0\0\0\n\xff\n");
    bytes.truncate(bytes.len() - 5);
    fs::write(&path, &bytes).unwrap();
    let repaired = place.store.repair(&path).unwrap();
    let copy = &repaired.path;
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(copy.parent(), path.parent());
    let loaded = load(copy).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(said(&loaded), ["Q1", "A1", "Q2\u{fffd}", "A2"]);
    assert_eq!(rows(copy).len(), 5);
    assert_eq!(&place.store.find(&loaded.header.id).unwrap(), copy);
    let Copied { entries, left_out, mended, cut } = repaired.copied;
    assert_eq!((entries, repaired.messages), (4, 4));
    // The broken line, the bytes, the surrogate, and the tail of the unknown entry.
    assert_eq!((left_out, mended, cut), (vec![2, 3, 4], vec![7], Some(9)));
}

#[test]
fn repair_says_what_was_repaired_and_what_can_be_read_now() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    let id = || "0198d".to_owned();
    let repair = || run(&place.store, &place.cwd(), SessionsCommand::Repair { id: id() }, &mut |_| {}).unwrap();
    let said = repair();
    assert!(said.contains("2 entries can be read, 2 messages of them") && said.contains("nothing had to be"), "{said}");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('\n', "\n{\"type\":\"mess\n", 1).replace("A1", r"A1\ud83d") + "{\"cu").unwrap();
    let said = repair();
    for part in ["left out 1 line (line 2)", "mended 1 line (line 4)", "cut off (line 5)", "the old file is kept"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn r13_a_session_of_a_moved_project_can_be_bound_to_the_new_folder() {
    let place = Place::new();
    let path = with_future(&place);
    let lines = fs::read_to_string(&path).unwrap();
    let children = path.with_extension("");
    fs::create_dir(&children).unwrap();
    fs::write(children.join("c.jsonl"), "x").unwrap();
    let moved = place.path("proj2");
    fs::rename(place.cwd(), &moved).unwrap();
    let (log, _) = Log::open(&path).unwrap();
    assert!(matches!(place.store.rebind(&path, &moved), Err(StoreError::Lock(LockError::Locked(_)))));
    drop(log);
    let nowhere = SessionsCommand::Rebind { id: "0198d".into(), folder: Some("nope".into()) };
    let refused = run(&place.store, &moved, nowhere, &mut |_| {}).unwrap_err().to_string();
    assert!(refused.contains("there is no folder") && path.exists(), "{refused}");
    let active = fs::metadata(&path).unwrap().modified().unwrap();
    let rebind = SessionsCommand::Rebind { id: "0198d".into(), folder: None };
    let told = run(&place.store, &moved, rebind, &mut |_| {}).unwrap();
    assert!(told.contains(&moved.display().to_string()) && told.contains(&place.cwd().display().to_string()), "{told}");
    let now = place.store.newest(&moved).expect("listed in the new folder");
    assert_eq!(fs::metadata(&now).unwrap().modified().unwrap(), active, "a new folder is no activity");
    assert!(!path.exists() && !children.exists() && now.with_extension("").join("c.jsonl").exists());
    let (after, loaded) = (fs::read_to_string(&now).unwrap(), load(&now).unwrap());
    assert_eq!((loaded.header.cwd, loaded.header.id.as_str()), (moved, "0198d000-0000-7000-8000-000000000001"));
    let rest = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(rest(&after), rest(&lines), "all lines but the first stay byte for byte");
    assert_eq!(place.files().iter().filter(|p| p.extension().is_some_and(|e| e == "lock")).count(), 0);
}

#[test]
fn two_folders_of_one_encoded_name_can_be_bound_to_one_another() {
    let place = Place::new();
    let (one, two) = (place.path("project/a-b"), place.path("project/a/b"));
    fs::create_dir_all(&one).unwrap();
    fs::create_dir_all(&two).unwrap();
    let mut log = Log::create(&place.store, &one);
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(save(&mut log, vec![user("Q"), answer("A")]));
    let path = log.path().unwrap().to_owned();
    drop(log);
    assert_eq!(place.store.rebind(&path, &two).unwrap(), path);
    assert_eq!((place.store.newest(&two), place.store.newest(&one)), (Some(path.clone()), None));
    assert_eq!(said(&load(&path).unwrap()), ["Q", "A"]);
}

fn exported(format: Format) -> String {
    let place = Place::new();
    let path = place.past(&["Q <b>&\u{1b}[31m", "A ```x```"]);
    let extra = [
        json!({"role": "assistant", "blocks": [
            {"type": "thinking", "text": "hm"},
            {"type": "tool_use", "id": "c", "name": "std.shell", "input": {"command": "ls"}}
        ]}),
        json!({"role": "user", "blocks": [
            {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "OUT ```` \u{202e}"}], "is_error": false}
        ]}),
    ];
    let mut text = fs::read_to_string(&path).unwrap();
    for (n, message) in extra.iter().enumerate() {
        text +=
            &format!("{}\n", json!({"type": "message", "id": format!("x{n}"), "timestamp": "t", "message": message}));
    }
    fs::write(&path, text + FUTURE + "\n").unwrap();
    export::render(&load(&path).unwrap(), format).unwrap()
}

#[test]
fn the_markdown_holds_everything_and_no_escape_sequence() {
    let text = exported(Format::Md);
    for part in [
        "# Q <b>&",
        "## You",
        "## env:bench",
        "A ```x```",
        "> hm",
        "### std.shell ls",
        "\"command\": \"ls\"",
        "`````\nOUT ```` <U+202E>",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn the_html_needs_nothing_else_and_escapes_what_was_said() {
    let text = exported(Format::Html);
    assert!(text.contains("Q &lt;b&gt;&amp;") && text.contains("OUT"), "{text}");
    for forbidden in ["<b>", "src=\"http", "<script", "<link", "\u{1b}"] {
        assert!(!text.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn the_jsonl_is_the_branch_as_it_lies_in_the_file() {
    let text = exported(Format::Jsonl);
    assert!(text.lines().any(|line| line == FUTURE));
    assert_eq!(text.lines().count(), 6);
    assert!(text.starts_with(r#"{"type":"session""#));
}
