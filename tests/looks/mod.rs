//! Every pane, question and list at every size and in every look: as text, as bytes, and as pictures to look at.
//!
//! `PANTO_PICTURES=folder cargo nextest run looks::pictures` writes all of them as SVG files.

mod desk;
mod scenes;
mod terminal;

use crate::support::svg;
use desk::{Desk, shown, text};
use panto::tui::theme::{ColorDepth, Role, Themes};
use ratatui::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier, Style},
};
use scenes::{SCENES, Scene, open};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
const LOOKS: [(&str, &str, ColorDepth); 4] = [
    ("dark", "dark", ColorDepth::True),
    ("light", "light", ColorDepth::True),
    ("16", "dark", ColorDepth::Ansi16),
    ("none", "dark", ColorDepth::None),
];

fn at(scene: &Scene, theme: &str, depth: ColorDepth) -> Desk {
    let mut desk = Desk::new(theme, depth);
    open(scene, &mut desk);
    desk
}

#[test]
fn every_scene_at_the_sizes_that_people_have() {
    for scene in SCENES {
        let mut desk = at(scene, "dark", ColorDepth::True);
        let screens = SIZES.map(|size| format!("{}x{}\n{}", size.0, size.1, text(&desk.cells(size).0)));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/looks"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(scene.0, screens.join("\n")));
    }
}

#[test]
fn t27_a_look_changes_colours_and_nothing_else() {
    for scene in SCENES.iter().filter(|scene| scene.0 != "themes") {
        let screens = LOOKS.map(|(_, theme, depth)| text(&at(scene, theme, depth).cells(SIZES[0]).0));
        assert!(screens.iter().all(|screen| *screen == screens[0]), "{}", scene.0);
    }
}

/// The parameters of all SGR sequences in a frame.
fn colours(bytes: &[u8]) -> Vec<String> {
    let bytes = String::from_utf8_lossy(bytes);
    let sequences = bytes.split("\x1b[").skip(1).filter_map(|rest| rest.split_once(|c: char| c.is_alphabetic()));
    let ends = bytes.split("\x1b[").skip(1).map(|rest| rest.chars().find(|c| c.is_alphabetic()));
    sequences.zip(ends).filter(|(_, end)| *end == Some('m')).map(|((words, _), _)| words.to_owned()).collect()
}

/// Whether it sets a colour: 30–37, 90–97, 40–47, 100–107, 38, 48.
fn is_colour(word: &str) -> bool {
    word.split(';').any(|n| matches!(n.parse::<u16>(), Ok(30..=38 | 40..=48 | 90..=97 | 100..=107)))
}

#[test]
fn sixteen_colours_are_sixteen_and_none_are_none() {
    for scene in SCENES {
        let of = |depth| colours(&at(scene, "dark", depth).bytes(SIZES[0]));
        let sixteen = of(ColorDepth::Ansi16);
        assert!(!sixteen.iter().any(|w| w.contains("38;") || w.contains("48;")), "{}: {sixteen:?}", scene.0);
        let deep = of(ColorDepth::Ansi256);
        assert!(!deep.iter().any(|w| w.contains("38;2") || w.contains("48;2")), "{}: {deep:?}", scene.0);
        let none = of(ColorDepth::None);
        assert!(!none.iter().any(|w| is_colour(w)), "{}: {none:?}", scene.0);
    }
}

/// The cells of the marked row, if one is marked.
fn marked(buffer: &Buffer, selection: Style) -> usize {
    let is = |cell: &&Cell| match selection.bg {
        Some(bg) => cell.bg == bg,
        None => cell.modifier.contains(Modifier::REVERSED),
    };
    buffer.content.iter().filter(is).count()
}

#[test]
fn without_colours_what_is_marked_is_still_seen() {
    for scene in SCENES.iter().filter(|scene| scene.2) {
        for (look, theme, depth) in LOOKS {
            let mut desk = at(scene, theme, depth);
            let buffer = desk.cells(SIZES[0]).0;
            let selection = desk.app.look.theme.style(Role::Selection);
            assert!(marked(&buffer, selection) > 3, "{} in {look}:\n{}", scene.0, text(&buffer));
        }
    }
    let mut desk = at(scene("transcript"), "dark", ColorDepth::None);
    let buffer = desk.cells((80, 60)).0;
    let told = |modifier| buffer.content.iter().filter(|c| c.modifier.contains(modifier)).count();
    assert!(told(Modifier::BOLD) > 5 && told(Modifier::UNDERLINED) > 5, "headings, links, code");
}

fn scene(name: &str) -> &'static Scene {
    SCENES.iter().find(|scene| scene.0 == name).expect("a scene of this name")
}

/// Sizes from nothing to a large screen, those that people have among them.
fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let tiny = (0..=24).step_by(3).flat_map(|columns| (0..=10).map(move |rows| (columns, rows)));
    let odd =
        [(1, 1), (2, 300), (300, 2), (20, 6), (21, 7), (40, 12), (60, 16), (79, 9), (80, 24), (109, 30), (250, 80)];
    tiny.chain(odd)
}

#[test]
fn t09_no_size_breaks_anything_and_the_old_one_brings_all_back() {
    for scene in SCENES {
        let mut desk = at(scene, "dark", ColorDepth::True);
        let before = SIZES.map(|size| text(&desk.cells(size).0));
        for size in sizes() {
            let (buffer, caret) = desk.cells(size);
            let screen = text(&buffer);
            let fits = size.0 >= 20 && size.1 >= 6;
            assert!(fits || !screen.contains('>'), "{} at {size:?}:\n{screen}", scene.0);
            if let Some(caret) = caret {
                assert!(caret.x < size.0.max(1) && caret.y < size.1, "{} at {size:?}: {caret:?}", scene.0);
            }
            if fits && scene.2 {
                let selection = desk.app.look.theme.style(Role::Selection);
                assert!(
                    marked(&buffer, selection) > 0,
                    "what has the keys is not seen: {} at {size:?}:\n{screen}",
                    scene.0
                );
            }
        }
        let after = SIZES.map(|size| text(&desk.cells(size).0));
        assert_eq!(before, after, "{}", scene.0);
    }
}

/// Relative luminance after WCAG 2.
fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = rgb.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Letters and digits; lines, bars and marks carry no words.
fn is_word(cell: &Cell) -> bool {
    cell.symbol().chars().any(char::is_alphanumeric)
}

#[test]
fn t27_every_word_that_is_drawn_stands_out_in_every_theme() {
    for name in Themes::shipped().names().into_iter().filter(|name| name != "ansi") {
        let light = ["light", "catppuccin-latte", "gruvbox-light", "solarized-light"].contains(&name.as_str());
        let (ink, paper) = if light { ([0, 0, 0], [255, 255, 255]) } else { ([208, 208, 208], [0, 0, 0]) };
        let rgb = |color, own| if let Color::Rgb(r, g, b) = color { [r, g, b] } else { own };
        for scene in SCENES.iter().filter(|scene| scene.0 != "themes") {
            let mut desk = at(scene, &name, ColorDepth::True);
            let (buffer, _) = desk.cells(SIZES[1]);
            // What a tool has coloured by itself is its own affair.
            for cell in
                buffer.content.iter().filter(|c| is_word(c) && !matches!(c.fg, Color::Indexed(_) | Color::Green))
            {
                let ratio = contrast(rgb(cell.fg, ink), rgb(cell.bg, paper));
                assert!(ratio >= 2.9, "{name}, {}: {:?} {ratio:.2}\n{}", scene.0, cell, text(&buffer));
            }
        }
    }
}

#[test]
fn pictures_are_drawn_for_whoever_wants_them() {
    let Ok(folder) = std::env::var("PANTO_PICTURES") else { return };
    for scene in SCENES {
        for (look, theme, depth) in LOOKS {
            for size in SIZES {
                let bytes = at(scene, theme, depth).bytes(size);
                let ground = if look == "light" { svg::LIGHT } else { svg::DARK };
                let picture = svg::picture_on(shown(&bytes, size).screen(), ground);
                let path = format!("{folder}/{}-{look}-{}x{}.svg", scene.0, size.0, size.1);
                std::fs::write(path, picture).expect("written");
            }
        }
    }
}
