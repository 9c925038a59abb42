//! The lists over the editor.

use super::*;
use crate::backend::{CommandDecl, Completion, Excerpt, SymbolRow};

fn with_shout() -> Desk {
    let mut d = Desk::new();
    let shout = CommandDecl {
        name: "shout".into(),
        description: "Uppercases its args.".into(),
        origin: "shout.lua".into(),
        completes: false,
    };
    d.event(Event::Commands(Arc::new(vec![shout])));
    d
}

#[test]
fn a_slash_lists_commands_and_escape_closes_them() {
    let mut d = with_shout();
    d.keys("/");
    assert!(d.screen().contains("/model"));
    d.type_text("the");
    assert!(d.screen().contains("/theme"));
    d.keys("esc");
    assert_eq!((d.draft().as_str(), d.app.open.completion.is_none()), ("/the", true));
    d.type_text("m");
    assert!(d.app.open.completion.is_none(), "it stays closed while one types on");
    assert_eq!(d.sent(), Vec::<String>::new());
}

#[test]
fn commands_of_extensions_are_listed_and_run() {
    let mut d = with_shout();
    d.type_text("/sho");
    assert!(d.screen().contains("Uppercases its args. (shout.lua)"));
    d.type_text("ut hi there").keys("enter");
    assert_eq!(d.sent(), ["RunCommand { name: \"shout\", args: \"hi there\" }"]);
}

#[test]
fn commands_that_come_late_are_listed_all_the_same() {
    let mut d = Desk::new();
    d.type_text("/sho");
    let shout = CommandDecl {
        name: "shout".into(),
        description: "Louder.".into(),
        origin: "shout.lua".into(),
        completes: false,
    };
    d.event(Event::Commands(Arc::new(vec![shout])));
    assert!(d.screen().contains("Louder. (shout.lua)"));
}

#[test]
fn enter_runs_the_marked_command_and_tab_completes_it() {
    let mut d = with_shout();
    d.type_text("/sho").keys("tab");
    assert_eq!(d.draft(), "/shout ");
    d.keys("ctrl-u").type_text("/qu").keys("enter");
    assert_eq!(d.sent(), ["Quit(0)"]);
}

#[test]
fn a_word_typed_in_full_wins_over_the_list() {
    let mut d = with_shout();
    assert_eq!(d.submit("/new").sent(), ["New"]);
}

#[test]
fn files_are_asked_for_once_and_put_into_the_draft() {
    let mut d = Desk::new();
    d.type_text("see @");
    d.reply(Ok(Reply::Files(vec!["sources/zebra_file.rs".into(), "sources/other.rs".into()])));
    assert_eq!(d.sent(), ["ListMentions", "ListFiles"]);
    assert!(d.screen().contains("other.rs"));
    d.type_text("zebr");
    assert!(!d.screen().contains("other.rs"));
    d.keys("enter");
    assert_eq!((d.draft().as_str(), d.sent()), ("see @sources/zebra_file.rs ", vec![]));
    assert_eq!(d.keys("enter").sent(), [prompt("see @sources/zebra_file.rs ")]);
}

#[test]
fn nothing_that_matches_leaves_the_keys_to_the_editor() {
    let mut d = Desk::new();
    d.type_text("mail @nobody").reply(Ok(Reply::Files(vec!["a.rs".into()]))).sent();
    assert_eq!(d.keys("enter").sent(), [prompt("mail @nobody")]);
}

#[test]
fn an_enter_right_behind_the_letters_takes_the_file_and_sends_nothing() {
    let mut d = Desk::new();
    d.type_text("@").reply(Ok(Reply::Files(vec!["zebra.rs".into()]))).sent();
    d.bytes(b"ze").wait(10).bytes(b"\r");
    assert_eq!((d.draft().as_str(), d.sent()), ("@zebra.rs ", vec![]));
    d.keys("ctrl-u").bytes(b"/quit").wait(10).bytes(b"\r");
    assert_eq!((d.draft().as_str(), d.sent()), ("/quit\n", vec![]), "a burst runs no command");
}

#[test]
fn a_path_with_blanks_is_quoted() {
    let mut d = Desk::new();
    d.type_text("@").reply(Ok(Reply::Files(vec!["my file.txt".into()]))).keys("enter");
    assert_eq!(d.draft(), "@\"my file.txt\" ");
}

#[test]
fn what_extensions_name_stands_before_the_files() {
    let mut d = Desk::new();
    d.type_text("ask @");
    let explore = Completion { value: "explore".into(), description: "agent: looks around".into() };
    d.tell(Message::Reply(Purpose::Mentions, Ok(Reply::Completions(vec![explore]))));
    assert!(d.screen().contains("agent: looks around"));
    d.reply(Ok(Reply::Files(vec!["explain.md".into(), "other.rs".into()])));
    d.type_text("expl");
    assert!(d.screen().contains("explore") && d.screen().contains("explain.md") && !d.screen().contains("other.rs"));
    d.keys("enter");
    assert_eq!(d.draft(), "ask @explore ");
    d.type_text("@other").reply(Ok(Reply::Files(vec!["other.rs".into()]))).keys("enter");
    assert_eq!(d.draft(), "ask @explore @other.rs ");
}

fn symbol(name: &str, line: u32) -> SymbolRow {
    SymbolRow { name: name.into(), kind: "fn".into(), path: "src/row.rs".into(), line }
}

#[test]
fn definitions_are_listed_behind_at_and_hash_and_their_place_is_put_into_the_draft() {
    let mut d = Desk::new();
    d.type_text("mend @#");
    assert_eq!(d.sent(), ["ListSymbols"]);
    d.tell(Message::Reply(Purpose::Symbols, Ok(Reply::Symbols(vec![symbol("draw", 3), symbol("parse_row", 12)]))));
    d.type_text("pars");
    assert!(d.screen().contains("fn · src/row.rs:12") && !d.screen().contains("draw"), "{}", d.screen());
    assert_eq!((d.keys("enter").draft().as_str(), d.sent()), ("mend @src/row.rs:12 (parse_row) ", vec![]));
}

#[test]
fn beside_the_list_stand_lines_of_the_file_where_there_is_room() {
    let mut d = Desk::new();
    d.wide();
    d.type_text("@");
    d.reply(Ok(Reply::Files(vec!["a.rs".into(), "b.rs".into()])));
    let peek = |path: &str| format!("{:?}", Command::PeekFile { path: path.into(), line: None });
    assert_eq!(d.sent(), ["ListMentions".into(), "ListFiles".into(), peek("a.rs")]);
    let excerpt =
        |text: &str| Ok(Reply::Excerpt(Excerpt { first: 1, lines: vec![text.into(), "\u{1b}[31mred".into()] }));
    d.keys("down");
    assert_eq!(d.sent(), [peek("b.rs")]);
    // What comes late is of another row.
    d.tell(Message::Reply(Purpose::Peek("a.rs".into()), excerpt("fn of_a() {}")));
    assert!(!d.screen().contains("of_a"));
    d.tell(Message::Reply(Purpose::Peek("b.rs".into()), excerpt("fn of_b() {}")));
    assert!(d.screen().contains("1  fn of_b() {}") && !d.screen().contains('\u{1b}'), "{}", d.screen());
    assert_eq!(d.type_text("b").sent(), [] as [&str; 0], "the same row is not asked for again");
}
