//! The README's tables come from the program's own, and its picture from the program itself.

mod pictures;

use crate::support::{Terminal, World};
use panto::tui::{command, keymap};
use std::fs;

/// `text` with what lies between `<!-- name -->` and `<!-- /name -->` replaced.
fn with_table(text: &str, name: &str, table: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&open).unwrap_or_else(|| panic!("README.md has no {open}"));
    let (_, after) = rest.split_once(&close).unwrap_or_else(|| panic!("README.md has no {close}"));
    format!("{before}{open}{}\n{close}{after}", table.trim_end())
}

/// `UPDATE=1` writes them anew.
#[test]
fn keys_and_commands_are_those_of_the_program() {
    let old = fs::read_to_string("README.md").expect("there is a README");
    let new = with_table(&old, "commands", &command::table_markdown());
    let new = with_table(&new, "keys", &keymap::table_markdown());
    if std::env::var_os("UPDATE").is_some() {
        fs::write("README.md", &new).expect("written");
    } else {
        assert!(old == new, "the README's tables are old: UPDATE=1 cargo test readme");
    }
}

#[test]
fn what_the_readme_links_to_is_there() {
    let text = fs::read_to_string("README.md").expect("there is a README");
    for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(link.starts_with("http") || fs::metadata(link).is_ok(), "README.md links to {link}");
    }
}

/// The demo, as a newcomer sees it; `UPDATE=1` takes the picture anew.
#[test]
fn the_picture_is_taken_from_the_program() {
    let mut world = World::new();
    // The demo works in a folder of the temporary one; a short path makes a better picture.
    let scratch = tempfile::Builder::new().prefix("demo").rand_bytes(0).tempdir().ok();
    if let Some(scratch) = &scratch {
        world.set("TMPDIR", &scratch.path().display().to_string());
    }
    let mut t = Terminal::panto(&world, &[], 100, 56);
    t.wait("welcome to panto").pause().key("esc").wait_gone("welcome to panto");
    t.wait("type a prompt").submit("show me around").wait("That was a whole turn").wait("type a prompt");
    let picture = t.picture();
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
    assert!(picture.contains("<svg") && picture.contains("Edited"), "{picture}");
    if std::env::var_os("UPDATE").is_some() {
        fs::write("assets/tour.svg", picture).expect("written");
    }
}
