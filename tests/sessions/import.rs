//! Sessions of pi and Claude Code come in as sessions of this program.

use super::*;
use panto::{
    cli::sessions::{SessionsCommand, SessionsError, run},
    conversation::{Block, Part, Status},
    session::{
        EntryKind, Scope, export,
        import::{ImportError, Imported, Options, Origin, import},
        load,
    },
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)
}

const CLAUDE: &str = "claude/2f6c1e60-0000-4000-8000-000000000001.jsonl";

fn bring(place: &Place, path: &Path) -> Result<Imported, ImportError> {
    import(&place.store, path, &place.cwd(), Options::default())
}

fn brought(place: &Place, path: &Path) -> (Imported, Loaded) {
    let done = bring(place, path).unwrap();
    let loaded = load(&done.path).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    (done, loaded)
}

/// A file of these lines.
fn written(place: &Place, name: &str, lines: &[String]) -> PathBuf {
    let path = place.path(name);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn messages(loaded: &Loaded) -> Vec<&Message> {
    let kinds = loaded.branch.iter().map(|e| &e.kind);
    kinds.filter_map(|kind| if let EntryKind::Message(m) = kind { Some(m) } else { None }).collect()
}

/// Every call has its result directly after it.
fn assert_whole(loaded: &Loaded) {
    let history = loaded.history();
    for (n, (_, message)) in history.iter().enumerate() {
        let calls: Vec<&str> = message.calls().map(|(id, ..)| id).collect();
        if calls.is_empty() {
            continue;
        }
        let next = &history[n + 1].1;
        let result =
            |b: &Block| if let Block::ToolResult { tool_use_id, .. } = b { Some(tool_use_id.clone()) } else { None };
        let results: Vec<String> = next.blocks.iter().filter_map(result).collect();
        assert_eq!(results, calls, "{next:?}");
    }
}

#[test]
fn a_session_of_pi_keeps_its_tree_words_and_figures() {
    let place = Place::new();
    let source = fixture("pi.jsonl");
    let before = fs::read(&source).unwrap();
    let (done, loaded) = brought(&place, &source);
    assert_eq!(fs::read(&source).unwrap(), before);
    assert_eq!((done.origin, done.messages, done.children), (Origin::Pi, 9, 0));
    assert_eq!(done.name.as_deref(), Some("The kettle"));
    assert_eq!(loaded.name.as_deref(), Some("The kettle"));
    assert_eq!(loaded.header.timestamp, "2026-02-03T10:00:00.000Z");
    assert_eq!(loaded.header.cwd, Path::new("/nowhere/kettle"));
    assert_eq!(loaded.model.as_deref(), Some("openai:gpt-5"));
    assert_eq!(loaded.thinking.as_deref(), Some("high"));
    assert_eq!(done.notes.len(), 2, "{:?}", done.notes);
    assert!(done.notes[0].contains("1 hologram") && done.notes[1].contains("/nowhere/kettle is not on this machine"));

    let spoken = messages(&loaded);
    let texts: Vec<String> = spoken.iter().map(|m| m.text()).collect();
    let shell = "I ran this in the shell:\n\n$ make\nmade\n";
    assert_eq!(texts, ["Fix the kettle", "I look.", "", "It leaks.", shell, "Go on", "Done."]);
    assert!(matches!(&spoken[1].blocks[0],
        Block::Thinking { text, signature: Some(s), .. } if text == "I look first." && s == "SIG-1"));
    assert_eq!(spoken[1].usage.unwrap().cost, Some(0.3));
    assert_eq!(spoken[1].model.as_deref(), Some("anthropic:claude-sonnet-4-5"));
    let [Block::ToolResult { extra, .. }, Block::ToolResult { content, is_error: true, .. }] = &spoken[2].blocks[..]
    else {
        panic!("{:?}", spoken[2])
    };
    assert_eq!(extra["title"], "Ran ls -la");
    assert!(matches!(&content[1], Part::Image { mime, .. } if mime == "image/png"));
    assert_whole(&loaded);
    assert_eq!(said(&loaded)[0], "Summary of what came before:\n\nA kettle leaks.");

    // The branch that was left is there, and its summary says where it was.
    let rows = rows(&done.path);
    let row = |id: &str| rows.iter().find(|r| r["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    assert_eq!((&row("a3")["parent_id"], &row("a3")["message"]["status"]), (&json!("u2"), &json!("aborted")));
    assert_eq!((&row("s1")["from_id"], &row("s1")["parent_id"]), (&json!("a3"), &json!("a2")));
    assert_eq!(row("c1")["first_kept_id"], "a2");
    assert_eq!(rows[1]["name"], "import");
    assert_eq!(rows[1]["data"]["session_id"], "b7c1b0aa-1111-4222-8333-444455556666");
    assert_eq!(rows[1]["data"]["file"], json!(source.canonicalize().unwrap()));
    let listed = &place.store.list(Scope::All, &place.cwd(), None).unwrap()[0];
    assert_eq!(panto::util::time::stamp(listed.updated), "2026-02-03T10:00:15.000Z");
}

#[test]
fn a_session_of_claude_code_is_put_together_from_its_lines() {
    let place = Place::new();
    let (done, loaded) = brought(&place, &fixture(CLAUDE));
    assert_eq!((done.origin, done.children), (Origin::ClaudeCode, 2));
    assert_eq!(loaded.name.as_deref(), Some("Planting violets"), "the other summary is about another session");
    let left = "1 file-history-snapshot, 1 queue-operation, 1 system (local_command)";
    assert!(done.notes[0].contains(left), "{:?}", done.notes);

    let spoken = messages(&loaded);
    let texts: Vec<String> = spoken.iter().map(|m| m.text()).collect();
    let told = ["Plant violets", "Two at once.", "", "Planted.", "And this picture", "A picture.", "Water them"];
    assert_eq!(texts[..7], told);
    assert_eq!((texts[7].as_str(), spoken[7].status), ("API Error: overloaded", Some(Status::Error)));
    assert_eq!(
        (spoken[7].model.as_deref(), loaded.model.as_deref()),
        (None, Some("anthropic:claude-opus-4-5-20251101"))
    );

    let answer = spoken[1];
    assert_eq!(answer.blocks.len(), 4, "thinking, text and both calls are one message");
    assert!(matches!(&answer.blocks[0], Block::Thinking { signature: Some(s), .. } if s == "SIG-C"));
    assert_eq!((answer.usage.unwrap().output, answer.usage.unwrap().cache_write), (55, 26));
    let [Block::ToolResult { .. }, Block::ToolResult { extra, content, .. }] = &spoken[2].blocks[..] else {
        panic!("both results are one message: {:?}", spoken[2])
    };
    assert_eq!(extra["title"], "Edited bed.txt");
    assert_eq!(extra["details"]["diff"], "@@ -1,2 +1,2 @@\n roses\n-blue\n+violet\n");
    assert!(matches!(&content[1], Part::Image { .. }));
    assert!(matches!(&spoken[5].blocks[0], Block::Thinking { redacted: Some(r), .. } if r == "OPAQUE"));
    assert_whole(&loaded);
    assert_eq!(said(&loaded)[..2], ["Summary of what came before:\n\nViolets were planted.", "Water them"]);

    let rows = rows(&done.path);
    assert!(rows.iter().any(|r| r["message"]["blocks"][0]["text"] == "A branch that was left"));
    assert!(!rows.iter().any(|r| r["message"]["blocks"][0]["text"] == "Look for weeds"));
    let children = Store::folder(&done.path.with_extension("")).list(Scope::All, &place.cwd(), None).unwrap();
    let mut prompts: Vec<_> = children.iter().filter_map(|c| c.first_prompt.as_deref()).collect();
    prompts.sort();
    assert_eq!(prompts, ["Count the petals", "Look for weeds"]);
    assert!(place.store.list(Scope::All, &place.cwd(), None).unwrap()[0].has_children);
}

#[test]
fn a_second_import_says_so_and_again_makes_another() {
    let place = Place::new();
    let source = fixture("pi.jsonl");
    let first = bring(&place, &source).unwrap();
    let error = bring(&place, &source).unwrap_err().to_string();
    assert!(error.contains(&first.id) && error.contains("--again"), "{error}");
    let again = Options { again: true, ..Options::default() };
    let second = import(&place.store, &source, &place.cwd(), again).unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(place.store.list(Scope::All, &place.cwd(), None).unwrap().len(), 2);
    // What lies in the trash is not in the way.
    place.store.delete(&first.path).unwrap();
    assert_eq!(bring(&place, &source).unwrap().id, first.id);
    assert!(matches!(bring(&place, &first.path), Err(ImportError::Own(_))));
}

#[test]
fn what_was_imported_is_gone_on_with_and_exported() {
    let place = Place::new();
    let (done, loaded) = brought(&place, &fixture(CLAUDE));
    let (log, _) = Log::open(&done.path).unwrap();
    assert_eq!(log.tip(), loaded.tip());
    let text = export::render(&loaded, panto::session::Format::Md).unwrap();
    assert!(text.contains("Plant violets") && text.contains("violet"), "{text}");
}

#[test]
fn a_damaged_file_gives_what_is_readable() {
    let place = Place::new();
    let whole = fs::read_to_string(fixture("pi.jsonl")).unwrap();
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    lines[7] = lines[7][..40].to_owned();
    lines.insert(5, "\0\0\0not json \u{7f}".to_owned());
    lines.truncate(19);
    let cut = written(&place, "cut.jsonl", &lines);
    let text = fs::read_to_string(&cut).unwrap();
    fs::write(&cut, &text[..text.len() - 30]).unwrap();
    let (done, loaded) = brought(&place, &cut);
    assert_eq!(done.notes[0], "2 lines cannot be read (lines 6, 9)");
    assert_eq!(done.notes[1], "the last line was cut off and is left out (line 19)");
    assert!(shown(&loaded).contains(&"Fix the kettle".to_owned()), "{:?}", shown(&loaded));
    assert_whole(&loaded);
}

fn pi_line(id: &str, parent: &str, role: &str, text: &str) -> String {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z",
           "message": {"role": role, "content": text}})
    .to_string()
}

const PI_HEAD: &str = r#"{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#;

#[test]
fn circles_of_parents_twins_and_strange_ids_end() {
    let place = Place::new();
    let odd = "../\u{1b}[2J";
    let lines = [
        PI_HEAD.to_owned(),
        pi_line("a", "b", "user", "one"),
        pi_line("b", "a", "assistant", "two"),
        pi_line("b", "b", "user", "twin"),
        pi_line(odd, "b", "assistant", "odd"),
        pi_line("z", odd, "user", "last"),
    ];
    let (done, loaded) = brought(&place, &written(&place, "circle.jsonl", &lines));
    assert_eq!(done.messages, 5);
    assert_eq!(shown(&loaded), ["one", "two", "odd", "last"]);
    assert!(loaded.branch.iter().all(|e| e.id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')));
}

#[test]
fn long_lines_and_long_chains_are_no_trouble() {
    let place = Place::new();
    let mut lines = vec![PI_HEAD.to_owned(), pi_line("n0", "", "user", &"x".repeat(10 << 20))];
    // Children before their parents, twenty thousand deep.
    lines.extend((1..20_000).rev().map(|n| pi_line(&format!("n{n}"), &format!("n{}", n - 1), "assistant", "y")));
    lines.push(pi_line("end", "n19999", "user", "end"));
    let (done, loaded) = brought(&place, &written(&place, "long.jsonl", &lines));
    assert_eq!((done.messages, loaded.branch.len()), (20_001, 20_002));
}

#[test]
fn kinds_without_number_are_named_only_so_far() {
    let place = Place::new();
    let mut lines = vec![PI_HEAD.to_owned(), pi_line("a", "", "user", "hello")];
    lines.extend((0..1000).map(|n| json!({"type": format!("kind{n}\u{1b}[31m{}", "z".repeat(500))}).to_string()));
    let (done, _) = brought(&place, &written(&place, "kinds.jsonl", &lines));
    assert!(done.notes[0].contains("988 of other kinds") && done.notes[0].len() < 1000, "{}", done.notes[0]);
    assert!(!done.notes[0].contains('\u{1b}'));
}

#[test]
fn what_is_no_session_is_refused_with_the_next_step() {
    let place = Place::new();
    let refused = |name: &str, lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        bring(&place, &written(&place, name, &lines)).unwrap_err().to_string()
    };
    assert!(refused("a.jsonl", &["{}", "[1]", "hello"]).contains("--from pi"));
    assert!(refused("b.jsonl", &[PI_HEAD]).contains("no message"));
    let summary = r#"{"type":"summary","summary":"x","leafUuid":"y"}"#;
    assert!(refused("c.jsonl", &[summary]).contains("no message"));
    assert!(matches!(bring(&place, &place.path("none.jsonl")), Err(ImportError::Read { .. })));
}

#[test]
fn a_folder_is_imported_whole_and_known_files_are_passed_over() {
    let place = Place::new();
    let folder = fixture("");
    let go = |paths: Vec<PathBuf>, json: bool, notes: &mut Vec<String>| {
        let command = SessionsCommand::Import { paths, from: None, again: false, json };
        run(&place.store, &place.cwd(), command, &mut |n| notes.push(n.to_owned()))
    };
    let mut notes = vec![];
    let text = go(vec![folder.clone()], false, &mut notes).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("of claude-code, 2 children  Planting violets"), "{text}");
    notes.clear();
    assert_eq!(go(vec![folder], true, &mut notes).unwrap(), "[]\n");
    assert_eq!(notes, ["2 files imported before and left out; --again imports them once more"]);
    let failed = go(vec![fixture("pi.jsonl"), place.path("nothing")], true, &mut notes);
    let Err(SessionsError::Partly { done, message }) = failed else { panic!("{failed:?}") };
    assert_eq!(message, "2 files could not be imported");
    assert_eq!(serde_json::from_str::<Value>(&done).unwrap().as_array().unwrap().len(), 2);
}
