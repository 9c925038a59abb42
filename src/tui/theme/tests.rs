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
        Color::Indexed(n) => depth::indexed(n),
        other => panic!("{other} has no fixed value"),
    }
}

fn luminance(color: Color) -> f64 {
    depth::luminance(rgb(color))
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

/// Roles that carry no words.
fn is_furniture(role: Role) -> bool {
    matches!(role, Role::Border | Role::TableBorder | Role::Rule)
}

fn is_tint(role: Role) -> bool {
    use Role::*;
    matches!(role, DiffAdded | DiffRemoved | DiffAddedWord | DiffRemovedWord)
}

/// What one reads for long.
fn is_body(role: Role) -> bool {
    use Role::*;
    matches!(role, Text | Assistant | CodeBlock | Strong | Emphasis | TableHeader | SyntaxVariable)
}

/// Words and the ground they stand on, where the terminal's own colours are black and white, or nearly so.
fn pairs(theme: &Theme, light: bool) -> Vec<(String, Role, Color, Color)> {
    let own = if light {
        [(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255)), (Color::Rgb(0x22, 0x22, 0x22), Color::Rgb(0xfa, 0xfa, 0xfa))]
    } else {
        [(Color::Rgb(0xd0, 0xd0, 0xd0), Color::Rgb(0, 0, 0)), (Color::Rgb(255, 255, 255), Color::Rgb(0x12, 0x12, 0x12))]
    };
    let mut pairs = vec![];
    for (ink, paper) in own {
        let text = theme.style(Role::Text);
        let (ink, paper) = (text.fg.unwrap_or(ink), text.bg.unwrap_or(paper));
        let selection = theme.style(Role::Selection).bg;
        for role in Role::ALL.iter().copied().filter(|role| !is_furniture(*role)) {
            let style = theme.style(role);
            let fg = style.fg.unwrap_or(ink);
            pairs.push((role.name().to_owned(), role, fg, style.bg.unwrap_or(paper)));
            let chosen =
                selection.filter(|_| style.bg.is_none() && !matches!(role, Role::DiffLineNumber | Role::Placeholder));
            pairs.extend(chosen.map(|ground| (format!("{} in the selection", role.name()), role, fg, ground)));
        }
        for role in [Role::DiffAdded, Role::DiffRemoved, Role::DiffAddedWord, Role::DiffRemovedWord] {
            let ground = theme.style(role).bg;
            pairs.extend(ground.map(|ground| (format!("text on {}", role.name()), Role::Text, ink, ground)));
        }
    }
    pairs
}

/// `least`: of body text and of all other words.
fn faint(depth: ColorDepth, least: (f64, f64)) -> Vec<String> {
    let mut faint = vec![];
    // The sixteen colours are whatever the terminal makes of them.
    for name in Themes::shipped().names().into_iter().filter(|name| name != "ansi") {
        for (what, role, fg, bg) in pairs(&shipped(&name, depth), name == "light") {
            let (has, wants) = (contrast(fg, bg), if is_body(role) { least.0 } else { least.1 });
            if has < wants {
                faint.push(format!("{name} {what}: {has:.2}, not {wants}"));
            }
        }
    }
    faint
}

#[test]
fn t27_words_of_every_theme_stand_out_from_their_ground() {
    assert_eq!(faint(ColorDepth::True, (4.5, 3.0)), Vec::<String>::new());
}

#[test]
fn t27_of_256_colours_the_nearest_are_readable_as_well() {
    assert_eq!(faint(ColorDepth::Ansi256, (4.5, 2.5)), Vec::<String>::new());
}

#[test]
fn t27_the_light_default_is_readable_in_every_role() {
    let light = pairs(&shipped("light", ColorDepth::True), true);
    // A tint of its own takes a little of it.
    let on_paper = light.iter().filter(|(what, role, ..)| what == role.name() && !is_tint(*role));
    let faint: Vec<_> = on_paper.filter(|(_, _, fg, bg)| contrast(*fg, *bg) < 4.3).collect();
    assert!(faint.is_empty(), "{faint:?}");
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
fn without_colours_there_are_none() {
    for name in Themes::shipped().names() {
        let theme = shipped(&name, ColorDepth::None);
        for role in Role::ALL {
            let style = theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None));
        }
        assert_eq!(theme.style(Role::Selection).add_modifier, Modifier::REVERSED);
        let told_apart = [Role::Text, Role::Placeholder, Role::SearchMatch, Role::Accent, Role::Selection];
        let mut styles: Vec<_> = told_apart.map(|role| theme.style(role).add_modifier.bits()).into();
        styles.sort_unstable();
        styles.dedup();
        assert_eq!(styles.len(), told_apart.len(), "{name}");
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

#[test]
fn of_sixteen_colours_what_is_faint_and_what_is_marked_can_be_read() {
    for name in Themes::shipped().names().into_iter().filter(|name| name != "ansi") {
        let theme = shipped(&name, ColorDepth::Ansi16);
        let (text, dim, selection) = (theme.style(Role::Text), theme.style(Role::Dim), theme.style(Role::Selection));
        assert_eq!((selection.bg, selection.add_modifier), (None, Modifier::REVERSED), "{name}");
        // The dark gray of many a terminal is that of its background.
        let faint = dim.add_modifier.contains(Modifier::DIM) && dim.fg == text.fg;
        assert!(faint || dim.fg.is_some_and(|fg| fg != Color::DarkGray), "{name}: {dim:?}");
    }
}
