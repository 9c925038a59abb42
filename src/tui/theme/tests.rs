//! Every theme that ships is loaded at every depth; what is wrong in a file is told with its line.

use super::*;
use ratatui::style::{Color, Modifier};

fn shipped(name: &str, depth: ColorDepth) -> Theme {
    Themes::shipped().load(name, depth).unwrap_or_else(|e| panic!("{e}"))
}

fn own(files: &[(&str, &str)]) -> (tempfile::TempDir, Themes) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("a file");
    }
    let themes = Themes::with_folder(folder.path());
    (folder, themes)
}

fn error(text: &str) -> String {
    let (_folder, themes) = own(&[("mine", text)]);
    let error = themes.load("mine", ColorDepth::True).expect_err("an error").to_string();
    error.rsplit('/').next().unwrap_or_default().to_owned()
}

fn rgb(color: Color) -> [u8; 3] {
    match color {
        Color::Rgb(r, g, b) => [r, g, b],
        other => panic!("{other} has no fixed value"),
    }
}

/// Relative luminance after WCAG 2.
fn luminance(color: Color) -> f64 {
    let linear = |v: u8| {
        let v = v as f64 / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = rgb(color).map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("themes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("themes/")
        .map(|f| f.expect("an entry").file_name().to_string_lossy().replace(".toml", ""))
        .collect();
    let mut names = Themes::shipped().names();
    files.sort();
    names.sort();
    assert_eq!(files, names);
    assert!(names.len() >= 8);
}

#[test]
fn every_shipped_theme_loads_at_every_depth() {
    for name in Themes::shipped().names() {
        for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True] {
            let theme = shipped(&name, depth);
            assert_eq!((theme.name(), theme.depth()), (name.as_str(), depth));
            for role in Role::ALL {
                let style = theme.style(*role);
                for color in [style.fg, style.bg].into_iter().flatten() {
                    assert_eq!(depth.fit(color), Some(color), "{name} {}", role.name());
                }
            }
        }
    }
}

#[test]
fn dark_and_light_say_every_role() {
    for name in ["dark", "light"] {
        let text = shipped::text(name).expect("a theme");
        let file = file::parse(name, text).expect("a good theme");
        let missing: Vec<_> =
            Role::ALL.iter().filter(|r| !file.styles.iter().any(|(s, _)| s == *r)).map(|r| r.name()).collect();
        assert_eq!((missing, file.inherits.is_none()), (vec![], true), "{name}");
    }
}

#[test]
fn t27_body_text_is_the_terminals_own_in_the_defaults() {
    for name in ["dark", "light"] {
        for role in [Role::Text, Role::Assistant, Role::CodeBlock, Role::Strong] {
            let style = shipped(name, ColorDepth::Ansi16).style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{name} {}", role.name());
        }
    }
}

#[test]
fn t27_light_is_readable_on_white_and_dark_on_black() {
    for (name, paper) in [("light", Color::Rgb(255, 255, 255)), ("dark", Color::Rgb(0, 0, 0))] {
        let theme = shipped(name, ColorDepth::True);
        for role in Role::ALL.iter().filter(|r| !is_furniture(**r)) {
            let style = theme.style(*role);
            let Some(fg) = style.fg else { continue };
            let ratio = contrast(fg, style.bg.unwrap_or(paper));
            let least = if style.bg.is_some() { 3.0 } else { 4.5 };
            assert!(ratio >= least, "{name} {}: {ratio:.2}", role.name());
        }
    }
}

/// Roles that carry no words.
fn is_furniture(role: Role) -> bool {
    use Role::*;
    matches!(role, Border | TableBorder | Rule | DiffLineNumber | Placeholder)
}

#[test]
fn t27_body_text_stands_out_from_the_themes_background() {
    for name in Themes::shipped().names() {
        let theme = shipped(&name, ColorDepth::True);
        let text = theme.style(Role::Text);
        if let (Some(fg), Some(bg)) = (text.fg, text.bg) {
            assert!(contrast(fg, bg) >= 4.5, "{name}: {:.2}", contrast(fg, bg));
        }
    }
}

#[test]
fn t27_sixteen_colours_leave_text_white_or_black_and_diffs_readable() {
    let neutral = [Color::Black, Color::DarkGray, Color::Gray, Color::White];
    for name in Themes::shipped().names() {
        let theme = shipped(&name, ColorDepth::Ansi16);
        let text = theme.style(Role::Text);
        assert!([text.fg, text.bg].into_iter().flatten().all(|c| neutral.contains(&c)), "{name}: {text:?}");
        assert!(text.fg.is_none() || text.fg != text.bg, "{name}: {text:?}");
        assert_eq!(theme.style(Role::DiffAdded).bg, None, "{name}");
    }
}

#[test]
fn t27_nothing_is_unreadable_in_any_theme() {
    for name in Themes::shipped().names().into_iter().filter(|n| n != "ansi") {
        let theme = shipped(&name, ColorDepth::True);
        let Some(paper) = theme.style(Role::Text).bg else { continue };
        for role in Role::ALL.iter().filter(|r| !is_furniture(**r)) {
            let Some(fg) = theme.style(*role).fg else { continue };
            let ratio = contrast(fg, theme.style(*role).bg.unwrap_or(paper));
            assert!(ratio >= 3.0, "{name} {}: {ratio:.2}", role.name());
        }
    }
}

#[test]
fn without_colours_there_are_none() {
    let allowed = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
    for name in Themes::shipped().names() {
        let theme = shipped(&name, ColorDepth::None);
        for role in Role::ALL {
            let style = theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None));
            assert!(allowed.contains(style.add_modifier), "{name} {}", role.name());
        }
        assert_eq!(theme.style(Role::Selection).add_modifier, Modifier::REVERSED);
    }
}

#[test]
fn an_own_theme_takes_over_what_it_does_not_say() {
    let (_folder, themes) = own(&[
        ("mine", "inherits = \"dark\"\n[palette]\nred = \"#ff0000\"\n[styles]\nlink = 208\ncode = { bold = true }"),
        ("dark", "inherits = \"dark\"\n[styles]\nlink = \"bright-cyan\""),
    ]);
    let theme = themes.load("mine", ColorDepth::True).expect("a theme");
    assert_eq!(theme.style(Role::Link).fg, Some(Color::Indexed(208)));
    assert_eq!(theme.style(Role::ToolError).fg, Some(Color::Rgb(255, 0, 0)), "the parent's styles, this palette");
    assert_eq!(theme.style(Role::Code), Style::new().add_modifier(Modifier::BOLD), "a style is replaced whole");
    assert_ne!(theme.id(), shipped("dark", ColorDepth::True).id());
    assert_eq!(themes.load("dark", ColorDepth::True).expect("a theme").style(Role::Link).fg, Some(Color::LightCyan));
    assert_eq!(themes.names().last().map(String::as_str), Some("mine"));
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_the_nearest() {
    assert_eq!(
        error("\n[styles]\nheding1 = \"red\""),
        "mine.toml:3: there is no role `heding1`; the nearest is `heading1`"
    );
    assert!(error("[styles]\nlink = \"rde\"").starts_with("mine.toml:2: there is no colour `rde`"));
    assert!(error("[palette]\n\nsea = \"#12345\"").starts_with("mine.toml:3: there is no colour `#12345`"));
    assert_eq!(error("[styles]\nlink = { fgg = 1 }"), "mine.toml:2: there is no key `fgg`; the nearest is `fg`");
    assert_eq!(error("[styles]\nlink = { bold = 1 }"), "mine.toml:2: `true` or `false` is wanted here");
    assert_eq!(error("stiles = 1"), "mine.toml:1: there is no key `stiles`; the nearest is `styles`");
    assert!(error("[styles\n").starts_with("mine.toml:1: "));
    assert_eq!(error("\ninherits = \"drak\""), "mine.toml:2: there is no theme `drak`; the nearest is `dark`");
}

#[test]
fn circles_and_unknown_names_end() {
    let (_folder, themes) = own(&[("a", "inherits = \"b\""), ("b", "inherits = \"a\"")]);
    assert!(themes.load("a", ColorDepth::True).expect_err("a circle").what.contains("circle"));
    for name in ["no-such-theme", "", "..", "../dark", "a/b"] {
        let error = themes.load(name, ColorDepth::True).expect_err("none").to_string();
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
}
