//! Slash commands.

use super::*;
use crate::backend::CommandDecl;

#[test]
fn what_commands_send() {
    let rows = [
        ("/new", "New"),
        ("/fork", "Fork { entry_id: None }"),
        ("/name Green Kettle", "Rename { name: \"Green Kettle\" }"),
        ("/model env:other", "SetModel { model: \"env:other\" }"),
        ("/thinking high", "SetThinking { level: High }"),
        ("/export a.md", "Export { path: Some(\"a.md\"), session: None }"),
        ("/import --again a b.jsonl", "Import { path: \"a b.jsonl\", again: true }"),
        ("/quit", "Quit(0)"),
    ];
    for (line, sent) in rows {
        let mut all = Desk::new().submit(line).sent();
        // What completes it as it is typed.
        all.retain(|s| !s.starts_with("ListPaths"));
        assert_eq!(all, [sent], "{line}");
    }
}

#[test]
fn an_unknown_command_stays_and_the_nearest_is_named() {
    let mut d = Desk::new();
    d.submit("/modle");
    assert_eq!((d.sent(), d.draft()), (vec![], "/modle".into()));
    assert!(d.hint().contains("/modle") && d.hint().contains("/model"), "{}", d.hint());
}

#[test]
fn a_path_is_a_prompt() {
    assert_eq!(Desk::new().submit("/etc/hosts is broken").sent(), [prompt("/etc/hosts is broken")]);
}

#[test]
fn a_refused_command_goes_back_with_the_reason() {
    let mut d = Desk::new();
    d.submit("/model nowhere:x").refuse(Code::InvalidRequest, "Could not resolve nowhere/x");
    assert_eq!((d.draft().as_str(), d.hint()), ("/model nowhere:x", "Could not resolve nowhere/x"));
    assert_eq!(d.keys("esc").hint(), "", "Esc closes the message");
}

#[test]
fn an_extensions_error_is_shown_and_the_line_is_gone() {
    let mut d = Desk::new();
    let boom = CommandDecl { name: "boom".into(), description: "d".into(), origin: "c.lua".into(), completes: false };
    d.event(Event::Commands(Arc::new(vec![boom])));
    d.submit("/boom").refuse(Code::Internal, "c.lua:1: kaboom\nstack traceback:\n\tc.lua:1");
    assert_eq!((d.draft().as_str(), d.screen().contains("kaboom")), ("", true));
    assert!(d.screen().contains("stack traceback"));
    assert!(!d.keys("esc").screen().contains("kaboom"));
}

#[test]
fn an_unknown_level_or_theme_is_said_with_what_there_is() {
    let mut d = Desk::new();
    d.submit("/thinking hard");
    assert!(d.hint().contains("minimal") && d.draft() == "/thinking hard", "{}", d.hint());
    let mut d = Desk::new();
    d.submit("/theme no-such-theme");
    assert!(d.hint().contains("no-such-theme") && d.hint().contains("light"), "{}", d.hint());
}

#[test]
fn name_alone_offers_the_old_one() {
    let mut d = Desk::new();
    d.submit("/name");
    assert_eq!(d.draft(), "/name ");
}

#[test]
fn copy_without_an_answer() {
    let mut d = Desk::new();
    d.submit("/copy");
    assert_eq!(d.sent(), Vec::<String>::new());
    assert!(d.hint().contains("no answer"));
}

#[test]
fn every_builtin_runs_without_arguments() {
    for builtin in crate::tui::command::Builtin::ALL {
        let mut d = Desk::new();
        d.submit(&format!("/{}", builtin.name()));
        let asks = matches!(builtin, crate::tui::command::Builtin::Name | crate::tui::command::Builtin::Import);
        assert!(!d.draft().starts_with("/") || asks, "{}", builtin.name());
    }
}

#[test]
fn a_fork_says_where_the_old_session_is() {
    let mut d = Desk::new();
    d.submit("/fork").reply(Ok(Reply::Done));
    assert!(d.hint().contains("the old one is in /resume"), "{}", d.hint());
    d.submit("/fork").refuse(Code::InvalidRequest, "there is nothing to fork yet");
    assert_eq!(d.draft(), "/fork");
}
