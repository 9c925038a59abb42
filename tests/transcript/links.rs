//! Words that lead somewhere: where they stand on the screen, and that nothing hostile leads anywhere.

use crate::support::transcript::*;
use panto::tui::{
    beside::{Anchor, Beside},
    view,
};
use ratatui::layout::Rect;

fn links(pane: &mut Pane, width: u16, height: u16) -> Vec<Anchor> {
    let buffer = pane.draw();
    let mut beside = Beside::default();
    view::transcript::beside(&pane.transcript, Rect::new(0, 0, width, height), &mut beside);
    let links = beside.links;
    assert!(links.iter().all(|link| link.is_seen(&buffer)), "{links:?}");
    links
}

fn told(links: &[Anchor]) -> Vec<(&str, &str)> {
    links.iter().map(|l| (l.text.as_str(), &*l.target)).collect()
}

#[test]
fn links_and_addresses_stand_where_their_words_do() {
    let answer = answer("1", "A [page 漢字](https://a.b/c), and https://d/e.\n\n- `curl http://f`\n\n> <https://g>");
    let call = shell("2", "Ran it", "listening on http://127.0.0.1:8080/\n");
    let mut pane = Pane::of(70, 30, vec![user("0", "look at https://u"), answer, call]);
    let links = links(&mut pane, 70, 30);
    let told = told(&links);
    for wanted in [
        ("https://u", "https://u"),
        ("page 漢字", "https://a.b/c"),
        ("https://a.b/c", "https://a.b/c"),
        ("https://d/e", "https://d/e"),
        ("http://f", "http://f"),
        ("https://g", "https://g"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
    ] {
        assert!(told.contains(&wanted), "{wanted:?} in {told:?}");
    }
}

#[test]
fn a_link_that_is_broken_leads_from_both_rows_to_the_same_place() {
    let mut pane = Pane::of(24, 12, vec![answer("1", "See [a few words of a link](https://a.b/c) here")]);
    let links = links(&mut pane, 24, 12);
    let words: Vec<_> = links.iter().filter(|l| !l.text.contains("://")).collect();
    assert!(words.len() >= 2 && words[0].y < words[1].y, "{links:?}");
    assert!(links.iter().all(|l| "https://a.b/c".contains(&*l.target) || &*l.target == "https://a.b/c"), "{links:?}");
}

#[test]
fn t02_what_is_hostile_leads_nowhere_it_hides() {
    let nasty = [
        "[click](https://a\u{1b}]8;;http://evil\u{7})",
        "[click](https://a&#27;]52;c;x&#7;)",
        "\u{1b}]8;;http://evil\u{7}click\u{1b}]8;;\u{7}",
        "[click](javascript:alert%281%29) [file](file://host/share)",
        "https://a\u{202e}b\u{9c}c https://x\u{1b}\\y",
    ];
    let mut items: Vec<_> = nasty.iter().enumerate().map(|(n, text)| answer(&format!("a{n}"), text)).collect();
    items.extend(nasty.iter().enumerate().map(|(n, text)| shell(&format!("t{n}"), text, text)));
    items.extend(nasty.iter().enumerate().map(|(n, text)| user(&format!("u{n}"), text)));
    let mut pane = Pane::of(80, 60, items);
    for link in links(&mut pane, 80, 60) {
        assert!(link.target.bytes().all(|b| b.is_ascii_graphic()), "{link:?}");
        assert!(link.target.starts_with("https://a") || link.target.starts_with("https://x"), "{link:?}");
    }
}
