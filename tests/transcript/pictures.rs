//! Pictures of prompts and results among the text.

use crate::support::transcript::*;
use base64::{Engine, engine::general_purpose::STANDARD};
use panto::{
    backend::{ContentPart, Event, Item, ItemBody},
    conversation::Part,
    tui::{
        app::transcript::Scroll,
        beside::Beside,
        picture::{Canvas, Pictures, Protocol},
        theme::ColorDepth,
        view,
    },
};
use ratatui::layout::Rect;
use std::sync::Arc;

fn png() -> String {
    let mut out = std::io::Cursor::new(vec![]);
    let picture = image::RgbImage::from_fn(200, 120, |x, y| image::Rgb([x as u8, y as u8, 128]));
    picture.write_to(&mut out, image::ImageFormat::Png).expect("a picture");
    STANDARD.encode(out.into_inner())
}

fn items() -> Vec<Arc<Item>> {
    let image = ContentPart::Image { mime: "image/png".into(), data: png() };
    let prompt = ItemBody::User { content: vec![text("what is this"), image] };
    let mut call = (*shell("2", "Read plot.png", "a plot")).clone();
    if let ItemBody::Tool { content, .. } = &mut call.body {
        content.push(Part::Image { mime: "image/png".into(), data: png() });
    }
    vec![Arc::new(Item { id: "1".into(), body: prompt }), Arc::new(call)]
}

fn pane(protocol: Protocol, height: u16) -> (Pane, Arc<Pictures>) {
    let canvas = Canvas { protocol, depth: Some(ColorDepth::True), cell: Some((10, 20)) };
    let pictures = Arc::new(Pictures::new(canvas));
    let mut pane = Pane::new(60, height);
    pane.transcript.show_pictures(pictures.clone());
    pane.transcript.open(&session(items()));
    (pane, pictures)
}

fn make(pictures: &Pictures) {
    pictures.wanted().iter().for_each(|job| pictures.make(job));
}

fn beside(pane: &mut Pane) -> Beside {
    let (buffer, area) = (pane.draw(), Rect::new(0, 0, pane.size.0, pane.size.1));
    let mut beside = Beside::default();
    view::transcript::beside(&pane.transcript, area, &mut beside);
    assert!(beside.stamps.iter().all(|stamp| stamp.is_seen(&buffer)));
    beside
}

#[test]
fn words_stand_for_a_picture_until_it_is_ready() {
    let (mut pane, pictures) = pane(Protocol::Blocks, 30);
    assert!(pane.screen().contains("[picture: image/png") && !pane.screen().contains('▀'), "{}", pane.screen());
    make(&pictures);
    let screen = pane.screen();
    assert_eq!(screen.lines().filter(|line| line.contains("▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀")).count(), 12, "{screen}");
    assert!(screen.contains("▌ ▀▀") && screen.contains("  │ ▀▀"), "{screen}");
    assert_eq!(screen.matches("[picture: image/png").count(), 2, "{screen}");
}

#[test]
fn without_a_way_to_show_them_words_stay() {
    let mut pane = Pane::of(60, 30, items());
    let before = pane.screen();
    assert!(before.contains("[picture: image/png"));
    pane.transcript.show_pictures(Arc::default());
    assert_eq!(pane.screen(), before);
}

/// Rows that are scrolled out of the pane are not told; those within it are whole.
#[test]
fn a_picture_that_is_partly_out_of_view_is_cut_between_rows() {
    for protocol in [Protocol::Kitty, Protocol::Iterm, Protocol::Sixel] {
        let (mut pane, pictures) = pane(protocol, 7);
        beside(&mut pane);
        make(&pictures);
        let whole = beside(&mut pane).stamps.len();
        assert!((1..=6).contains(&whole), "{protocol:?}: {whole}");
        let mut seen = vec![];
        for _ in 0..20 {
            pane.transcript.scroll(Scroll::Lines(-1));
            let stamps = beside(&mut pane).stamps;
            assert!(stamps.iter().all(|stamp| stamp.y < 7 && stamp.columns().end <= 60), "{stamps:?}");
            seen.push(stamps.len());
        }
        assert!(seen.contains(&6) && seen.iter().any(|rows| (1..6).contains(rows)), "{protocol:?}: {seen:?}");
    }
}

#[test]
fn a_picture_is_no_text_that_is_found_or_copied() {
    let (mut pane, pictures) = pane(Protocol::Blocks, 30);
    pane.draw();
    make(&pictures);
    pane.apply(Event::ItemFinished(answer("3", "the end")));
    pane.draw();
    pane.transcript.find("▀");
    while !pane.transcript.tally().complete {
        pane.draw();
    }
    assert_eq!(pane.transcript.tally().total, 0);
}

#[test]
fn the_scrollback_gets_what_a_plain_screen_can_show() {
    for (protocol, rows) in [(Protocol::Blocks, 12), (Protocol::Kitty, 0), (Protocol::Sixel, 0)] {
        let (mut pane, pictures) = pane(protocol, 40);
        pane.draw();
        make(&pictures);
        pane.draw();
        let (mut drawn, mut words) = (0, 0);
        pane.transcript.each_row(|row| {
            let text = row.map_or("", |row| row.text());
            drawn += usize::from(text.contains(['▀', '\u{2800}', '\u{10eeee}']));
            words += usize::from(text.contains("[picture:"));
            true
        });
        assert_eq!((drawn, words), (rows, 2), "{protocol:?}");
    }
}
