//! Finding and listing sessions.

use super::*;
use panto::{
    cli::sessions::{SessionsCommand, run},
    session::{FindError, Query, Scope, Summary, load, preview},
};
use std::time::{Duration, Instant};

fn list(place: &Place, scope: Scope, query: &str) -> Vec<Summary> {
    place.store.list(scope, &place.cwd(), Some(query)).unwrap()
}

fn uid(n: usize) -> String {
    format!("0198b000-0000-7000-8000-{n:012}")
}

fn age(path: &Path, seconds: i64) {
    filetime::set_file_mtime(path, filetime::FileTime::from_unix_time(1_700_000_000 - seconds, 0)).unwrap();
}

#[test]
fn a_row_says_what_a_picker_shows() {
    let place = Place::new();
    let path = place.past(&["first\n\tprompt", "A1", "Q2", "A2"]);
    let row = &list(&place, Scope::Here, "")[0];
    assert_eq!((row.id.as_str(), &row.path), ("0198d000-0000-7000-8000-000000000001", &path));
    assert_eq!((row.first_prompt.as_deref(), row.name.as_deref()), (Some("first prompt"), None));
    assert_eq!((row.messages, row.model.as_deref(), row.answered), (4, Some("env:bench"), true));
    assert_eq!((row.locked_by, row.damage.as_deref(), &row.cwd), (None, None, &place.cwd()));
    assert_eq!(panto::util::time::stamp(row.created), "2025-01-02T03:04:05.678Z");

    place.store.rename(&path, "Blue Bicycle").unwrap();
    assert_eq!(list(&place, Scope::Here, "")[0].name.as_deref(), Some("Blue Bicycle"));
    assert_eq!(load(&path).unwrap().name.as_deref(), Some("Blue Bicycle"));
    let (_log, _) = Log::open(&path).unwrap();
    assert_eq!(list(&place, Scope::Here, "")[0].locked_by, Some(std::process::id()));
}

#[test]
fn r75_without_an_answer_a_session_is_listed_and_does_not_resolve() {
    let place = Place::new();
    let path = place.past(&["only a prompt"]);
    let row = &list(&place, Scope::All, "")[0];
    assert!(!row.answered);
    assert_eq!(place.store.resolve(&row.id), None);
    let text = run(&place.store, &place.cwd(), list_command(&[]), &mut |_| {}).unwrap();
    assert!(text.contains("only a prompt") && text.contains("no answer yet"), "{text}");
    fs::write(&path, past_lines(&place.cwd(), &row.id, &["Q", "A"])).unwrap();
    assert_eq!(place.store.resolve(&row.id).unwrap().messages, 2);
    assert_eq!(place.store.resolve("0198d000"), None, "a beginning is not an id");
}

fn list_command(query: &[&str]) -> SessionsCommand {
    let query = query.iter().map(|q| q.to_string()).collect();
    SessionsCommand::List { here: false, repository: false, query, limit: None, json: false }
}

#[test]
fn ids_are_found_by_a_beginning_that_is_enough() {
    let place = Place::new();
    let path = place.past_in(&place.cwd(), &uid(1), &["Q", "A"]);
    place.past_in(&place.path("elsewhere"), &uid(2), &["Q", "A"]);
    assert_eq!(place.store.find(&uid(1)).unwrap(), path);
    assert!(matches!(place.store.find("0198b"), Err(FindError::Ambiguous { candidates, .. }) if candidates.len() == 2));
    assert!(matches!(place.store.find("ffff"), Err(FindError::Unknown(_))));
    assert!(matches!(place.store.find(""), Err(FindError::Unknown(_))));
    fs::remove_file(place.store.find(&uid(2)).unwrap()).unwrap();
    assert_eq!(place.store.find("0198B").unwrap(), path);
    assert!(matches!(Place::new().store.find("x"), Err(FindError::Unknown(_))));
}

#[test]
fn two_folders_of_one_name_are_told_apart_by_the_header() {
    let place = Place::new();
    let (one, two) = (place.path("project/a-b/c"), place.path("project/a/b-c"));
    fs::create_dir_all(&one).unwrap();
    fs::create_dir_all(&two).unwrap();
    let first = place.past_in(&one, &uid(1), &["Q", "A"]);
    let second = place.past_in(&two, &uid(2), &["Q", "A"]);
    assert_eq!(first.parent(), second.parent());
    age(&first, 50);
    age(&second, 10);
    assert_eq!(place.store.newest(&one), Some(first));
    assert_eq!(place.store.newest(&two), Some(second));
    assert_eq!(place.store.newest(&place.cwd()), None);
}

#[test]
fn the_latest_activity_comes_first() {
    let place = Place::new();
    let paths: Vec<PathBuf> = (0..4).map(|n| place.past_in(&place.cwd(), &uid(n), &["Q", "A"])).collect();
    for (path, seconds) in paths.iter().zip([30, 10, 40, 20]) {
        age(path, seconds);
    }
    let order: Vec<PathBuf> = list(&place, Scope::All, "").into_iter().map(|s| s.path).collect();
    assert_eq!(order, [&paths[1], &paths[3], &paths[0], &paths[2]].map(Clone::clone));
    assert_eq!(place.store.newest(&place.cwd()).as_ref(), Some(&paths[1]));
}

#[test]
fn r13_a_moved_project_is_listed_under_all_and_not_rebound() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    std::os::unix::fs::symlink(place.cwd(), place.path("link")).unwrap();
    assert_eq!(place.store.newest(&place.path("link")), Some(path.clone()));
    fs::rename(place.cwd(), place.path("moved")).unwrap();
    let moved = place.path("moved");
    assert_eq!(place.store.newest(&moved), None);
    assert_eq!(place.store.list(Scope::Here, &moved, None).unwrap().len(), 0);
    assert_eq!(place.store.list(Scope::All, &moved, None).unwrap().len(), 1);
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.header.cwd, place.cwd());
    // Going on in the new folder is a fork there.
    let (fork, _) = Log::fork(&place.store, &path, None, &moved).unwrap();
    assert_eq!(fork.cwd(), moved);
}

#[test]
fn a_repository_holds_its_folders_and_worktrees() {
    let place = Place::new();
    let (inner, tree, other) = (place.path("project/inner"), place.path("tree"), place.path("other"));
    for folder in [&inner, &tree, &other] {
        fs::create_dir_all(folder).unwrap();
    }
    let git = place.path("project/.git");
    fs::create_dir_all(git.join("worktrees/tree")).unwrap();
    fs::write(git.join("worktrees/tree/commondir"), "../..\n").unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", git.join("worktrees/tree").display())).unwrap();
    for (n, folder) in [place.cwd(), inner.clone(), tree, other.clone()].iter().enumerate() {
        place.past_in(folder, &uid(n), &["Q", "A"]);
    }
    let ids = |scope, cwd: &Path| {
        let mut ids: Vec<String> = place.store.list(scope, cwd, None).unwrap().into_iter().map(|s| s.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(Scope::Repository, &inner), [uid(0), uid(1), uid(2)]);
    assert_eq!(ids(Scope::Repository, &other), [uid(3)]);
    assert_eq!(ids(Scope::Here, &inner), [uid(1)]);
}

#[test]
fn a_search_looks_at_what_was_said_and_not_at_the_json() {
    let place = Place::new();
    for (n, texts) in [["about apples", "GREEN ones"], ["über Äpfel", "say \"quoted\""], ["x", "y"]].iter().enumerate()
    {
        place.past_in(&place.cwd(), &uid(n), texts);
    }
    let found = |query: &str| {
        let mut ids: Vec<String> = list(&place, Scope::All, query).into_iter().map(|s| s.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(found("Apples"), [uid(0)]);
    assert_eq!(found("green APPLES"), [uid(0)]);
    assert_eq!(found("äpfel"), [uid(1)]);
    assert_eq!(found("\"quoted\""), [uid(1)]);
    assert_eq!(found("8000-000000000002"), [uid(2)]);
    assert_eq!(found("green äpfel"), Vec::<String>::new());
    assert_eq!(found("parent_id"), Vec::<String>::new());
    assert_eq!(found(" ").len(), 3);
}

#[test]
fn r07_large_files_and_many_files_are_listed_from_their_ends() {
    let place = Place::new();
    for n in 0..10_000 {
        place.past_in(&place.path(&format!("p{}", n % 20)), &uid(n), &["prompt of many", "A"]);
    }
    let large = place.past_in(&place.cwd(), &uid(99_999), &["large one", "A"]);
    fs::File::options().write(true).open(&large).unwrap().set_len(2_000_000_000).unwrap();
    let started = Instant::now();
    let rows = list(&place, Scope::All, "");
    // Generous: this build is not optimised and the machine may be busy.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert_eq!(rows.len(), 10_001);
    let row = rows.iter().find(|r| r.path == large).unwrap();
    assert_eq!((row.first_prompt.as_deref(), row.messages), (Some("large one"), 2));
    assert_eq!(row.damage.as_deref(), Some("a part of it is lost"));
    assert_eq!(preview(&large).unwrap(), []);
}

#[test]
fn r07_a_file_that_is_as_the_index_says_is_not_read_again() {
    let place = Place::new();
    let path = place.past(&["APPLE", "A"]);
    age(&path, 5);
    let prompt = || list(&place, Scope::All, "")[0].first_prompt.clone().unwrap();
    assert_eq!(prompt(), "APPLE");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("APPLE", "PEARS")).unwrap();
    age(&path, 5);
    assert_eq!(prompt(), "APPLE", "same size and mtime");
    age(&path, 4);
    assert_eq!(prompt(), "PEARS");
    for wrong in ["", "{\"version\":1,\"rows\":[]}", "{\"version\":99,\"rows\":{}}", "\0\0"] {
        fs::write(place.sessions().join("index.json"), wrong).unwrap();
        assert_eq!(prompt(), "PEARS");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(list(&place, Scope::All, "").len(), 0);
}

#[test]
fn a_name_in_the_middle_of_a_long_file_is_remembered() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let grow = |n: usize| {
        let row = json!({"type": "message", "id": format!("g{n}"), "timestamp": "t",
            "message": {"role": "assistant", "model": "env:bench", "blocks": [{"type": "text", "text": "x".repeat(10_000)}]}});
        fs::write(&path, fs::read_to_string(&path).unwrap() + &format!("{row}\n")).unwrap();
    };
    (0..20).for_each(grow);
    place.store.rename(&path, "Green Kettle").unwrap();
    assert_eq!(list(&place, Scope::All, "")[0].name.as_deref(), Some("Green Kettle"));
    for n in 20..40 {
        grow(n);
        if n % 4 == 0 {
            list(&place, Scope::All, "");
        }
    }
    let row = &list(&place, Scope::All, "")[0];
    assert_eq!(row.name.as_deref(), Some("Green Kettle"));
    assert!((40..=44).contains(&row.messages), "{}", row.messages);
}

#[test]
fn a_long_system_message_does_not_hide_the_first_prompt() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let system = json!({"type": "message", "id": "s", "parent_id": null, "timestamp": "t",
        "message": {"role": "system", "blocks": [{"type": "text", "text": "rules ".repeat(40_000)}]}});
    let text = fs::read_to_string(&path).unwrap().replacen('\n', &format!("\n{system}\n"), 1);
    fs::write(&path, text).unwrap();
    let row = &list(&place, Scope::All, "")[0];
    assert_eq!((row.first_prompt.as_deref(), row.answered), (Some("Q"), true));
}

#[test]
fn r08_children_are_not_listed_and_read_errors_are_shown() {
    let place = Place::new();
    let path = place.past(&["the title", "A"]);
    let children = path.with_extension("");
    fs::create_dir(&children).unwrap();
    for n in 0..404 {
        let name = format!("20250102T030405Z_{}.jsonl", uid(n));
        fs::write(children.join(name), past_lines(&place.cwd(), &uid(n), &["child", "A"])).unwrap();
    }
    let garbage = path.with_file_name(format!("20250102T030405Z_{}.jsonl", uid(7)));
    fs::write(&garbage, "no session\n").unwrap();
    let rows = list(&place, Scope::All, "");
    assert_eq!(rows.len(), 2);
    let (good, bad) = (rows.iter().find(|r| r.path == path).unwrap(), rows.iter().find(|r| r.path == garbage).unwrap());
    assert_eq!(good.first_prompt.as_deref(), Some("the title"));
    assert_eq!((bad.damage.as_deref(), bad.id.as_str()), (Some("the first line cannot be read"), uid(7).as_str()));

    let trash = place.store.delete(&path).unwrap();
    assert!(trash.exists() && trash.with_extension("").join(format!("20250102T030405Z_{}.jsonl", uid(0))).exists());
    assert!(!path.exists() && !children.exists());
    assert_eq!(list(&place, Scope::All, "").len(), 1);
}

#[test]
fn a_preview_is_the_last_exchange_of_the_active_branch() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1", "Q2", &"long ".repeat(40_000)]);
    let exchange = preview(&path).unwrap();
    assert_eq!(exchange[0], (Role::User, "Q2".into()));
    assert!(exchange[1].1.starts_with("long"));
    let leaf = r#"{"type":"leaf","id":"l","parent_id":"e1","timestamp":"t","target_id":"e1"}"#;
    let path = place.past(&["Q1", "A1", "Q2", "A2"]);
    fs::write(&path, fs::read_to_string(&path).unwrap() + leaf + "\n").unwrap();
    assert_eq!(preview(&path).unwrap(), [(Role::User, "Q1".to_owned()), (Role::Assistant, "A1".into())]);
    assert_eq!(preview(&place.past(&["only"])).unwrap(), [(Role::User, "only".to_owned())]);
}

#[test]
fn t07_wide_titles_are_cut_and_never_panic() {
    let place = Place::new();
    for (n, c) in ["击", "—", "e\u{301}", "👨‍👩‍👧‍👦"].iter().enumerate() {
        let path = place.past_in(&place.path(&c.repeat(60)), &uid(n), &[&c.repeat(60), "A"]);
        if n % 2 == 0 {
            place.store.rename(&path, &c.repeat(600)).unwrap();
        }
    }
    let text = run(&place.store, &place.cwd(), list_command(&[]), &mut |_| {}).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(text.contains('…'));
    assert!(text.lines().all(|line| panto::util::text::width(line) < 160), "{text}");
}

#[test]
fn the_subcommands_work_on_an_id() {
    let place = Place::new();
    let path = place.past(&["Q1", "AN-ANSWER\u{1b}[2J"]);
    let with_bad = fs::read_to_string(&path).unwrap().replacen('\n', "\n{\"type\":\"mess\n", 1);
    fs::write(&path, with_bad).unwrap();
    let mut notes = Vec::new();
    let mut go = |command| run(&place.store, &place.cwd(), command, &mut |n| notes.push(n.to_owned())).unwrap();
    let id = || "0198d".to_owned();
    let shown = go(SessionsCommand::Show { id: id(), json: false });
    assert!(shown.contains("AN-ANSWER") && !shown.contains('\u{1b}'), "{shown}");
    let export =
        |name, force| SessionsCommand::Export { id: id(), format: None, output: Some(place.path(name)), force };
    go(export("out.html", false));
    go(export("out.html", true));
    assert!(fs::read_to_string(place.path("out.html")).unwrap().contains("AN-ANSWER"));
    assert!(
        run(&place.store, &place.cwd(), export("out.html", false), &mut |_| {})
            .is_err_and(|e| { e.to_string().contains("out-2.html is free; --force writes over it") })
    );
    let active = || fs::metadata(&path).unwrap().modified().unwrap();
    let before = active();
    go(SessionsCommand::Rename { id: id(), name: "Blue".into() });
    assert_eq!(active(), before, "a name is no activity");
    assert!(go(list_command(&["blue"])).contains("Blue"));
    go(SessionsCommand::Repair { id: id() });
    assert_eq!(go(list_command(&[])).lines().count(), 2);
    let mistyped = SessionsCommand::Delete { ids: vec![id(), "ffff".into()] };
    assert!(run(&place.store, &place.cwd(), mistyped, &mut |_| {}).is_err() && path.exists());
    go(SessionsCommand::Delete { ids: vec![id()] });
    assert_eq!(go(list_command(&[])).lines().count(), 1);
    assert!(notes.iter().all(|n| n == "1 line skipped (line 2)") && notes.len() == 4, "{notes:?}");
    let error = run(&place.store, &place.cwd(), SessionsCommand::Show { id: "ffff".into(), json: false }, &mut |_| {})
        .unwrap_err();
    assert!(error.to_string().contains("no session `ffff`") && error.exit_code() == 1);
}

#[test]
fn nothing_to_list_is_said() {
    let place = Place::new();
    let said = |command| {
        let mut notes = vec![];
        assert_eq!(run(&place.store, &place.cwd(), command, &mut |n| notes.push(n.to_owned())).unwrap(), "");
        notes.join(" ")
    };
    assert_eq!(said(list_command(&[])), "there are no sessions");
    assert!(said(list_command(&["plum"])).contains("`plum`"));
    assert_eq!(said(SessionsCommand::Restore { id: None, json: false }), "the trash is empty");
}

#[test]
fn a_row_has_one_line_whatever_a_file_says() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let text = fs::read_to_string(&path).unwrap();
    let bad = r"x\ny\u001b[2J";
    let text = text.replace("env:bench", bad).replace("\"text\":\"Q\"", &format!("\"text\":\"{bad}\""));
    fs::write(&path, text.replacen("0198d000-0000", bad, 1)).unwrap();
    let listed = run(&place.store, &place.cwd(), list_command(&[]), &mut |_| {}).unwrap();
    assert_eq!(listed.lines().count(), 1, "{listed:?}");
    assert!(!listed.trim_end().contains(char::is_control), "{listed:?}");
}

#[tokio::test]
async fn a_row_knows_the_git_branch_that_a_session_began_on() {
    let place = Place::new();
    fs::create_dir(place.cwd().join(".git")).unwrap();
    fs::write(place.cwd().join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q"), answer("A")]).await;
    log.close().await.unwrap();
    for _ in 0..2 {
        // The second time from the index.
        assert_eq!(list(&place, Scope::Here, "")[0].branch.as_deref(), Some("feature/x"));
    }
}

#[test]
fn what_a_search_found_is_shown_with_what_stands_around_it() {
    let place = Place::new();
    let long = format!("{} the KETTLE\n\u{1f525} leaks {}", "before ".repeat(40), "after ".repeat(60));
    let path = place.past(&["Q", &long, "Q2 kettle", "A2"]);
    let found = Query::new("nothing kettle").and_then(|query| query.excerpt(&path)).expect("found");
    assert!(found.starts_with('…') && found.ends_with('…') && found.chars().count() <= 162, "{found}");
    assert!(found.contains("before the KETTLE \u{1f525} leaks after"), "{found}");
    assert_eq!(Query::new("teapot").and_then(|query| query.excerpt(&path)), None);
}
