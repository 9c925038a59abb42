//! Pickers.

use super::*;
use crate::backend::{FilePreview, KeyState};
use crate::tui::app::picker::Previewed;
use crate::tui::keymap::Context;

fn three() -> Reply {
    Reply::Sessions(vec![
        summary("a", "ask about APPLE"),
        summary("bb", "ask about BANANA"),
        summary("ccc", "ask about CHERRY"),
    ])
}

fn picking() -> Desk {
    let mut d = Desk::new();
    d.submit("/resume").reply(Ok(three()));
    d
}

#[test]
fn sessions_are_listed_filtered_and_opened() {
    let mut d = picking();
    assert_eq!(d.sent()[0], "ListSessions { scope: Here, query: None }");
    assert!(d.screen().contains("APPLE") && d.screen().contains("CHERRY"));
    d.type_text("BANANA");
    assert!(d.screen().contains("BANANA") && !d.screen().contains("CHERRY"));
    let searched = |s: &String| s.starts_with("SearchSessions { query: \"BANANA\"") && !s.contains("bb.jsonl");
    assert!(d.sent().iter().any(searched), "what was said, of those that aren't shown already");
    d.keys("enter");
    assert_eq!(d.sent(), ["Open { target: Path(\"/data/bb.jsonl\"), mode: Write }"]);
    assert_eq!(d.app.context(), Context::Main);
}

#[test]
fn rows_whose_contents_match_stay() {
    let mut d = picking();
    d.type_text("needle");
    assert!(!d.screen().contains("CHERRY"));
    let purpose = Purpose::Found("needle".into());
    d.tell(Message::Reply(purpose, Ok(Reply::Found(vec!["/data/ccc.jsonl".into()]))));
    assert!(d.screen().contains("CHERRY") && !d.screen().contains("APPLE"));
    d.tell(Message::Reply(Purpose::Found("older".into()), Ok(Reply::Found(vec!["/data/a.jsonl".into()]))));
    assert!(!d.screen().contains("APPLE"), "a stale answer changes nothing");
    d.type_text("s");
    assert!(!d.screen().contains("CHERRY"), "what another query has found is no match of this one");
}

#[test]
fn a_search_over_many_goes_part_by_part_and_ends_with_the_query() {
    let mut d = Desk::new();
    let rows = (0..1000).map(|n| summary(&format!("{n:04}"), "the same words")).collect();
    d.submit("/resume").reply(Ok(Reply::Sessions(rows))).sent();
    let part = |d: &mut Desk| {
        let sent = d.sent();
        let searches: Vec<_> = sent.iter().filter(|s| s.starts_with("SearchSessions")).collect();
        searches.first().map(|s| s.matches(".jsonl").count()).unwrap_or(0)
    };
    d.keys("z");
    assert_eq!(part(&mut d), 0, "one letter is in all of them");
    d.keys("z");
    assert_eq!(part(&mut d), 256);
    assert!(d.screen().contains("1000 still to search"), "{}", d.screen());
    let answer = |d: &mut Desk, found: &str| {
        let found = vec![format!("/data/{found}.jsonl").into()];
        d.tell(Message::Reply(Purpose::Found("zz".into()), Ok(Reply::Found(found))));
    };
    for (found, next) in [("0001", 256), ("0300", 256), ("0600", 232), ("0900", 0)] {
        answer(&mut d, found);
        assert_eq!(part(&mut d), next);
    }
    assert!(d.screen().contains("4 of 1000") && !d.screen().contains("still to search"), "{}", d.screen());
    d.keys("z").sent();
    answer(&mut d, "0002");
    assert_eq!(part(&mut d), 0, "nobody wants the rest of the old one");
}

#[test]
fn children_unfold_below_their_parent_and_open_without_writing() {
    let mut d = Desk::new();
    let mut parent = summary("bb", "ask the agents");
    parent.has_children = true;
    d.submit("/resume").reply(Ok(Reply::Sessions(vec![parent, summary("a", "another")])));
    assert!(d.screen().contains("▸ children"), "{}", d.screen());
    d.sent();
    assert_eq!(d.keys("alt-j").sent(), ["ListChildren { path: Some(\"/data/bb.jsonl\") }"]);
    let child = summary("child", "count the petals");
    d.tell(Message::Reply(Purpose::Children("/data/bb.jsonl".into()), Ok(Reply::Sessions(vec![child]))));
    let screen = d.screen();
    let place = |words: &str| screen.find(words).unwrap_or_else(|| panic!("no {words} on\n{screen}"));
    assert!(place("ask the agents") < place("└ count the petals") && place("└ count the petals") < place("another"));
    assert!(d.keys("alt-j").screen().find("count the petals").is_none());
    d.keys("alt-j");
    d.tell(Message::Reply(
        Purpose::Children("/data/bb.jsonl".into()),
        Ok(Reply::Sessions(vec![summary("child", "x")])),
    ));
    d.sent();
    assert_eq!(
        d.keys("down enter").sent().last().map(String::as_str),
        Some("Open { target: Path(\"/data/child.jsonl\"), mode: ReadOnly }")
    );
}

#[test]
fn a_session_is_exported_from_the_picker() {
    let mut d = picking();
    d.sent();
    d.keys("alt-e");
    assert!(d.screen().contains("write to (.html .md .jsonl): ask-about-cherry.html"), "{}", d.screen());
    let sent = d.keys("enter").sent();
    let export = "Export { path: Some(\"ask-about-cherry.html\"), session: Some(\"/data/ccc.jsonl\") }";
    assert_eq!(sent, [export]);
    let taken = "ask-about-cherry.html is there already";
    // A name that was proposed gives way, one that was typed comes back.
    let row = |name: &str, tries| Purpose::ExportedRow { session: "/data/ccc.jsonl".into(), name: name.into(), tries };
    let refused = |taken| Err(BackendError::new(Code::InvalidRequest, taken));
    d.tell(Message::Reply(row("ask-about-cherry.html", Some(1)), refused(taken)));
    d.reply(Ok(Reply::Text("/work/ask-about-cherry-2.html".into())));
    assert!(d.screen().contains("written to /work/ask-about-cherry-2.html"), "{}", d.screen());
    assert!(d.sent()[0].contains("ask-about-cherry-2.html"));
    d.keys("alt-e ctrl-u").type_text("a.txt").keys("enter").refuse(Code::InvalidRequest, "a.txt is there already");
    let screen = d.screen();
    assert!(screen.contains("a.txt is there already") && screen.contains(".jsonl): a.txt"), "{screen}");
}

#[test]
fn the_marked_session_is_previewed() {
    let mut d = picking();
    assert!(d.sent().iter().any(|s| s.contains("PreviewSession") && s.contains("ccc")), "the newest first");
    let preview = FilePreview {
        exchange: vec![("you".into(), "what is it".into()), ("panto".into(), "a fruit".into())],
        found: None,
    };
    let of = Previewed { path: "/data/ccc.jsonl".into(), query: None };
    d.tell(Message::Reply(Purpose::Preview(of), Ok(Reply::Preview(preview))));
    assert!(d.screen().contains("a fruit"));
    d.keys("ctrl-t");
    assert!(!d.screen().contains("a fruit"));
}

#[test]
fn rename_delete_sort_scope() {
    let mut d = picking();
    d.sent();
    d.keys("ctrl-r").type_text("Blue").keys("enter");
    assert_eq!(d.sent(), ["RenameSession { path: \"/data/ccc.jsonl\", name: \"Blue\" }"]);
    d.keys("ctrl-d");
    assert!(d.screen().contains("delete \"ask about CHERRY\"?"));
    assert_eq!(d.keys("n").sent(), Vec::<String>::new());
    assert_eq!(d.keys("ctrl-d y").sent(), ["DeleteSession { path: \"/data/ccc.jsonl\" }"]);
    let moved = Reply::Text("moved to /data/.trash; restore brings it back".into());
    d.tell(Message::Reply(Purpose::Relist, Ok(moved)));
    assert!(d.screen().contains("moved to /data/.trash; restore brings it back"), "{}", d.screen());
    d.sent();
    assert!(d.keys("ctrl-s").screen().contains("by created"));
    d.sent();
    assert_eq!(d.keys("tab").sent(), ["ListSessions { scope: Repository, query: None }"]);
    assert_eq!(d.keys("ctrl-f").sent(), ["Open { target: Path(\"/data/ccc.jsonl\"), mode: Fork }"]);
}

#[test]
fn escape_closes_the_picker_and_not_the_turn() {
    let mut d = Desk::new();
    d.phase(Phase::Turn).keys("alt-m").reply(Ok(Reply::Models(vec![model("env:bench"), model("faux:demo")])));
    assert!(d.screen().contains("env:bench"));
    d.sent();
    assert_eq!(d.keys("esc").sent(), Vec::<String>::new());
    assert_eq!(d.keys("esc").sent(), ["Abort"]);
}

#[test]
fn models_and_levels_are_chosen() {
    let mut d = Desk::new();
    d.submit("/model").reply(Ok(Reply::Models(vec![model("env:bench"), model("faux:demo")]))).sent();
    assert_eq!(d.keys("d e m enter").sent(), ["SetModel { model: \"faux:demo\" }"]);
    d.submit("/thinking");
    assert_eq!(d.keys("down enter").sent(), ["SetThinking { level: High }"]);
}

#[test]
fn a_key_is_typed_unseen_and_leads_to_its_models() {
    let mut d = Desk::new();
    d.submit("/login openai").type_text("sk-unseen");
    let screen = d.screen();
    assert!(screen.contains("API key of openai") && screen.contains("> •••••••••"), "{screen}");
    assert!(!screen.contains("sk-unseen") && !format!("{:?}", d.app.open).contains("sk-unseen"));
    d.keys("enter").reply(Ok(Reply::Text("openai: the key works".into())));
    let login = "Login { provider: \"openai\", key: (secret) }";
    assert_eq!(d.sent(), [login, "ListModels"]);
    assert!(d.app.open.picker.as_ref().is_some_and(|p| p.query.text() == "openai:"));
    assert_eq!(d.hint(), "openai: the key works");
}

#[test]
fn a_key_that_is_refused_is_asked_for_again() {
    let mut d = Desk::new();
    d.submit("/login openai").type_text("sk-wrong").keys("enter");
    d.reply(Err(BackendError::new(Code::InvalidRequest, "401: invalid api key"))).sent();
    let screen = d.screen();
    assert!(screen.contains("API key of openai") && screen.contains("401: invalid api key"), "{screen}");
    d.type_text("sk-right");
    assert!(!d.screen().contains("sk-right"), "it is no prompt");
    d.keys("enter").reply(Err(BackendError::new(Code::NotFound, "no provider `openai`")));
    assert_eq!(d.sent(), ["Login { provider: \"openai\", key: (secret) }"]);
    assert!(d.app.open.dialogs.is_empty(), "there is nobody to ask for");
}

#[test]
fn a_key_in_a_command_line_is_neither_taken_nor_remembered() {
    let mut d = Desk::new();
    d.submit("/login openai sk-in-the-line");
    let remembered = d.sent.iter().any(|e| matches!(e, Effect::Remember(line) if line == "/login openai"));
    assert!(remembered && !format!("{:?} {:?}", d.sent, d.app.open).contains("sk-in-the-line"));
    assert!(d.screen().contains("does not belong into the command line"));
    assert_eq!(d.keys("esc").sent(), Vec::<String>::new());
    d.submit("/login openai").keys("enter");
    assert_eq!(d.sent(), Vec::<String>::new(), "a blank key is none");
}

#[test]
fn whose_key_is_chosen_from_a_list() {
    let key = |provider: &str, origins: &[&str], required: bool, kept: bool| KeyState {
        provider: provider.into(),
        origins: origins.iter().map(|o| (*o).to_owned()).collect(),
        required,
        kept,
    };
    let keys =
        vec![key("ollama", &[], false, false), key("groq", &["auth.json"], true, true), key("xai", &[], true, false)];
    let mut d = Desk::new();
    d.submit("/login").reply(Ok(Reply::Keys(keys.clone())));
    let screen = d.screen();
    for part in ["has one: auth.json", "no key", "needs none"] {
        assert!(screen.contains(part), "{part} is not on:\n{screen}");
    }
    d.keys("x a i enter");
    assert!(d.screen().contains("API key of xai"));
    d.keys("esc").submit("/logout").reply(Ok(Reply::Keys(keys))).sent();
    assert_eq!(d.keys("enter").sent(), ["Logout { provider: \"groq\" }"]);
    d.submit("/logout").reply(Ok(Reply::Keys(vec![])));
    assert!(d.hint().starts_with("no key is kept") && d.app.open.picker.is_none());
}

#[test]
fn a_model_without_its_key_asks_for_it_and_a_server_that_is_down_says_so() {
    let mut d = Desk::new();
    let mut locked = model("xai:grok-4");
    (locked.authenticated, locked.missing) = (false, Some("set XAI_API_KEY".into()));
    let down = ModelListing { missing: Some("no server answers".into()), ..ModelListing::absent("ollama".into()) };
    d.submit("/model").reply(Ok(Reply::Models(vec![locked.clone()])));
    assert_eq!(
        d.sent().pop().as_deref(),
        Some("FindModels"),
        "this machine's servers are asked when the list is there"
    );
    d.tell(Message::Reply(Purpose::FoundModels, Ok(Reply::Models(vec![locked, down]))));
    let screen = d.screen();
    for part in ["no key: Enter asks for one", "set XAI_API_KEY", "no server answers"] {
        assert!(screen.contains(part), "{part} is not on:\n{screen}");
    }
    d.keys("g r o k enter");
    assert!(d.screen().contains("API key of xai"));
}

#[test]
fn themes_are_tried_on_and_taken_back() {
    let mut d = Desk::new();
    let before = d.app.look.theme.name().to_owned();
    d.submit("/theme").type_text("light");
    assert_eq!(d.app.look.theme.name(), "light");
    d.keys("esc");
    assert_eq!(d.app.look.theme.name(), before);
    d.submit("/theme").type_text("light").keys("enter");
    assert_eq!((d.app.look.theme.name(), d.app.open.picker.is_none()), ("light", true));
}

#[test]
fn the_terminals_background_decides_about_auto() {
    let mut d = Desk::new();
    d.bytes(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    assert_eq!(d.app.look.theme.name(), "light");
    d.bytes(b"\x1b]11;rgb:0/0/0\x1b\\");
    assert_eq!(d.app.look.theme.name(), "dark");
    d.submit("/theme dark").bytes(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    assert_eq!(d.app.look.theme.name(), "dark");
    assert_eq!(d.draft(), "", "an answer is never typed");
}

#[test]
fn the_keys_page_shows_the_keymap() {
    let mut d = Desk::new();
    d.keys("?");
    let screen = d.screen();
    for key in ["Ctrl-T", "Ctrl-O", "Alt-M"] {
        assert!(screen.contains(key), "{key} is not on:\n{screen}");
    }
    d.keys("esc");
    assert!(!d.screen().contains("Ctrl-O"));
}

#[test]
fn the_palette_runs_actions_and_commands() {
    let mut d = Desk::new();
    d.keys("ctrl-p").sent();
    assert_eq!(d.submit("/new").sent(), ["New"]);
    d.keys("ctrl-p").sent();
    assert_eq!(d.submit("toggle-mouse").sent(), ["Mouse(false)"]);
}

#[test]
fn the_prompt_history_is_searched() {
    let mut d = Desk::new();
    d.tell(Message::History(vec!["remember the crocodile".into(), "other".into()]));
    d.keys("ctrl-r").type_text("croco");
    assert!(!d.screen().contains("other"));
    d.keys("enter");
    assert_eq!(d.draft(), "remember the crocodile");
    d.keys("ctrl-u ctrl-r").bytes(b"oth\r");
    assert_eq!(d.draft(), "other", "typed ahead of a slow machine");
}

#[test]
fn sequences() {
    let mut d = Desk::new();
    assert_eq!(d.keys("ctrl-x m").sent(), ["Mouse(false)"]);
    assert!(d.keys("ctrl-x").screen().contains("Ctrl-X …"));
    d.keys("q");
    assert_eq!(d.draft(), "", "a sequence that means nothing types nothing");
}

#[test]
fn the_picker_of_the_command_line() {
    let mut d = Desk::with(Setup { start: Start::Picker, ..setup() });
    assert_eq!(d.sent(), ["ListSessions { scope: Here, query: None }"]);
    d.keys("esc");
    assert_eq!(d.app.context(), Context::Main);
}

fn shown_read_only(d: &mut Desk) {
    d.event(Event::SessionOpened(Arc::new(Session { read_only: true, ..session(Phase::Idle) })));
}

#[test]
fn what_is_shown_read_only_is_opened_again_for_writing() {
    let mut d = Desk::new();
    shown_read_only(&mut d);
    let own = summary(&session(Phase::Idle).id, "x");
    d.submit("/resume").reply(Ok(Reply::Sessions(vec![own]))).keys("enter");
    let sent = d.sent();
    assert!(sent.last().is_some_and(|s| s.starts_with("Open {") && s.ends_with("mode: Write }")), "{sent:?}");
    d.submit("/resume").reply(Ok(Reply::Sessions(vec![summary(&session(Phase::Idle).id, "x")]))).keys("enter");
    d.refuse(Code::SessionLocked, "the session is open in process 42");
    assert!(d.screen().contains("take it over"), "{}", d.screen());
}

#[test]
fn why_a_session_is_read_only_is_said() {
    for (locked_by, words) in [(None, "as asked"), (Some(42), "another process writes this session")] {
        let mut d = Desk::new();
        let row = SessionSummary { locked_by, ..summary("a", "x") };
        d.submit("/resume").reply(Ok(Reply::Sessions(vec![row]))).keys("ctrl-o");
        shown_read_only(&mut d);
        assert!(d.hint().contains(words), "{}", d.hint());
    }
}

#[test]
fn resume_with_a_word_filters_by_it() {
    let mut d = Desk::new();
    d.submit("/resume cherry").reply(Ok(three()));
    let screen = d.screen();
    assert!(screen.contains("> cherry") && screen.contains("ask about CHERRY"), "{screen}");
    assert!(!screen.contains("APPLE"), "{screen}");
}

#[test]
fn the_footer_says_what_the_keys_do_now() {
    let mut d = picking();
    for (key, words) in [
        ("ctrl-r", "Enter keeps it · Esc leaves it"),
        ("alt-e", "Enter writes it · Esc leaves it"),
        ("ctrl-d", "y moves it"),
    ] {
        d.keys(key);
        assert!(d.screen().contains(words) && !d.screen().contains("read-only"), "{}", d.screen());
        d.keys("esc");
    }
    assert!(d.keys("ctrl-d").screen().contains("delete \"ask about CHERRY\"?"), "{}", d.screen());
}

#[test]
fn what_the_server_has_open_and_the_branch_are_told() {
    let mut d = Desk::new();
    let row = SessionSummary { held_here: true, branch: Some("feature/x".into()), ..summary("a", "x") };
    d.submit("/resume").reply(Ok(Reply::Sessions(vec![row]))).keys("ctrl-t");
    let screen = d.screen();
    assert!(screen.contains("open in the server") && screen.contains("feature/x"), "{screen}");
}
