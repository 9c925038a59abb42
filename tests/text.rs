//! The text engine from outside: markdown in any chunking, hostile text, any width.

use panto::tui::{
    text::{Ambiguous, Highlighter, Markdown, Page, Row, ansi, diff, sanitize, wrap},
    theme::{ColorDepth, Role, Theme, Themes},
};
use proptest::prelude::*;
use ratatui::{
    backend::{Backend, CrosstermBackend},
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};
use std::num::NonZeroU16;

/// A theme and a highlighter to lay text out with.
struct Desk {
    theme: Theme,
    highlighter: Highlighter,
}

impl Desk {
    fn new() -> Self {
        let theme = Themes::shipped().load("dark", ColorDepth::True).expect("a theme");
        Desk { theme, highlighter: Highlighter::new() }
    }

    fn page(&self, width: usize) -> Page<'_> {
        Page { width, theme: &self.theme, ambiguous: Ambiguous::Narrow, highlighter: &self.highlighter }
    }
}

fn rows(markdown: &mut Markdown, page: &Page) -> Vec<Row> {
    markdown.lay_out(page);
    let rows: Vec<Row> = markdown.rows(0..usize::MAX).cloned().collect();
    assert_eq!(rows.len(), markdown.height());
    rows
}

fn lines(text: &str, width: usize) -> Vec<String> {
    let desk = Desk::new();
    rows(&mut Markdown::whole(text), &desk.page(width)).iter().map(|r| r.text().to_owned()).collect()
}

#[test]
fn blocks_stand_apart() {
    assert_eq!(
        lines("# Big Title\nIntro:\n- one\n- two\n\n  more\n\n> said\n> on\n\n---\nend", 20),
        ["Big Title", "Intro:", "• one", "• two", "", "  more", "", "│ said on", "", "────────────────────", "end"]
    );
}

#[test]
fn lists_nest_and_count() {
    assert_eq!(
        lines("1. one\n   - a\n     - b\n1. two\n\n3. three\n- [x] done\n- [ ] to do\n-", 20),
        ["1. one", "   • a", "     ◦ b", "2. two", "", "3. three", "[x] done", "[ ] to do", "• "]
    );
    assert_eq!(lines("- one two three four", 11), ["• one two", "  three", "  four"]);
}

#[test]
fn hard_breaks_stay_lines() {
    assert_eq!(
        lines("row-000  \nrow-001  \nsoft\nwrapped<br>html\\\nend", 80),
        ["row-000", "row-001", "soft wrapped", "html", "end"]
    );
}

#[test]
fn tables_are_drawn_and_shrink() {
    let table = "| name | value |\n|:---|---:|\n| alpha | 12 |\n| b | **x** `y` |";
    assert_eq!(lines(table, 80), ["name  │ value", "──────┼──────", "alpha │    12", "b     │   x y"]);
    assert_eq!(
        lines("|a|b|\n|-|-|\n|one two three|x|", 12),
        ["a        │ b", "─────────┼──", "one two  │ x", "three    │ "]
    );
}

#[test]
fn a_table_with_too_many_columns_is_told_line_by_line() {
    let table =
        "| name | size | kind | owner |\n|-|-|-|-|\n| a.rs | 12 | a file that is **long** | me |\n| b | 3 | | you |";
    assert_eq!(
        lines(table, 20),
        [
            "name: a.rs",
            "size: 12",
            "kind: a file that is",
            "  long",
            "owner: me",
            "────────────────────",
            "name: b",
            "size: 3",
            "kind:",
            "owner: you",
        ]
    );
    assert_eq!(lines("|a|b|c|d|\n|-|-|-|-|", 20), ["a", "b", "c", "d"]);
    assert!(lines(table, 40)[0].contains("│"), "there is room for columns");
}

#[test]
fn quotes_lists_and_code_lie_within_one_another() {
    assert_eq!(
        lines("> - one\n>   > deep ~~x~~\n> - [x] two\n>\n>   ```\n>   code\n>   ```", 30),
        ["│ • one", "│   │ deep x", "│ [x] two", "│", "│       code"]
    );
}

#[test]
fn t06_table_borders_align_with_wide_ambiguous_characters() {
    let desk = Desk::new();
    let table = "| sign | word |\n|---|---|\n| ① | x |\n| ± | y |\n| a | z |\n";
    for ambiguous in [Ambiguous::Narrow, Ambiguous::Wide] {
        let rows = rows(&mut Markdown::whole(table), &Page { ambiguous, ..desk.page(80) });
        let at: Vec<usize> = "xyz"
            .chars()
            .map(|word| {
                let row = rows.iter().find(|r| r.text().ends_with(word)).expect("a row");
                row.width(ambiguous)
            })
            .collect();
        assert_eq!(at, [8; 3], "{ambiguous:?}");
    }
}

#[test]
fn code_is_coloured_and_kept_as_it_is() {
    let desk = Desk::new();
    let rows = rows(&mut Markdown::whole("```rust\nfn main() {}\n\n\tx\n```\nend"), &desk.page(80));
    assert_eq!(rows.iter().map(Row::text).collect::<Vec<_>>(), ["  fn main() {}", "  ", "      x", "", "end"]);
    let keyword = rows[0].spans().find(|(text, _)| *text == "fn").expect("a part").1;
    assert_eq!(keyword.fg, desk.theme.style(Role::SyntaxKeyword).fg);
}

#[test]
fn t03_tabs_in_code_are_stops() {
    let lines = lines("```\nfunc f() {\n\tx := 1\n\t\ty := 2\n}\n```", 80);
    assert_eq!(lines, ["  func f() {", "      x := 1", "          y := 2", "  }"]);
}

#[test]
fn t03_tabs_in_the_code_of_a_list_are_stops() {
    assert_eq!(lines("- ```go\n  x\n  \ty\n  ```", 80), ["•   x", "        y"]);
}

#[test]
fn inline_styles_links_and_entities() {
    let desk = Desk::new();
    let text = "**bold** *it* ~~no~~ [text](http://x) <http://y> &amp; <b>html</b>";
    let rows = rows(&mut Markdown::whole(text), &desk.page(80));
    assert_eq!(rows[0].text(), "bold it no text (http://x) http://y & <b>html</b>");
    let bold = rows[0].spans().find(|(text, _)| *text == "bold").expect("a part").1;
    assert!(bold.add_modifier.contains(Modifier::BOLD));
}

#[test]
fn t02_entities_and_links_bring_no_control_characters() {
    for text in ["a&#27;[2Jb", "[x](<http://a&#27;]0;t&#7;>)", "`\u{1b}[31m`", "&#x202E;abc", "```\n&#27;\u{9b}2J\n```"]
    {
        for line in lines(text, 80) {
            assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
        }
    }
}

#[test]
fn t02_hostile_text_cut_over_deltas() {
    let text = "ok \u{1b}]52;c;ZWNobyBoaQ==\u{7} \u{1b}]0;pwn\u{7} \u{9b}2J \u{202e}abc \u{1b}[31mstill";
    for size in 1..8 {
        let mut markdown = Markdown::new();
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(size).for_each(|c| markdown.push(&c.iter().collect::<String>()));
        markdown.finish();
        assert_eq!(markdown.source(), "ok    <U+202E>abc still");
    }
}

#[test]
fn t02_names_and_errors_in_one_line() {
    assert_eq!(sanitize::line("evil\u{1b}]0;pwn\u{7}name\n.txt\t"), "evilname␊.txt ");
    assert!(matches!(sanitize::line("plain — ünïcode"), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn t01_cursor_movement_in_tool_output_is_dropped() {
    let rows =
        ansi::rows("\u{1b}[2J\u{1b}[5;5HX\u{1b}[31mred\u{1b}[0m\u{1b}]0;pwn\u{7}\u{1b}[?1000h\n", ColorDepth::True);
    assert_eq!(rows.iter().map(Row::text).collect::<Vec<_>>(), ["Xred"]);
    assert_eq!(rows[0].spans().count(), 2);
}

#[test]
fn a_mark_that_is_not_finished_waits() {
    let desk = Desk::new();
    let mut markdown = Markdown::new();
    markdown.push("text\n-");
    assert_eq!(rows(&mut markdown, &desk.page(80)).len(), 1, "not a heading for a moment");
    markdown.push(" item");
    assert_eq!(rows(&mut markdown, &desk.page(80))[1].text(), "• item");
    markdown.push("\n``");
    assert_eq!(rows(&mut markdown, &desk.page(80)).len(), 2);
    markdown.finish();
    assert_eq!(rows(&mut markdown, &desk.page(80)).last().map(Row::text), Some("• item ``"));
}

/// Much of it is settled while it grows; each frame is the same as one made from nothing.
#[test]
fn a_long_paragraph_that_grows_is_laid_out_as_if_it_had_come_at_once() {
    let plain = "words of a long paragraph, some (in [brackets]), snake_case and 2 * 3 < 7 among them; ".repeat(60);
    let texts = [
        plain.clone(),
        format!("{plain}a **bold word and {plain} its end** and {plain}"),
        format!("{plain}a `code and {plain} its end` and {plain}"),
        format!("{plain}[a link and {plain}](http://x) and {plain}"),
        format!("{plain}\nanother line, {plain}  \na hard break, {plain}\n===\n\n{plain}"),
        format!("- item {plain}\n\n> quote {plain}\n\n{plain}").replace("words", "漢字 ünï"),
        format!("9. item {plain}\n   - nested **b** {plain}\n   - second {plain}\n\n     para {plain}\n10. end"),
        format!("> - {plain}\n> {plain}\n\n- [x] {plain}  \n  after a break {plain}"),
        format!("- **All {plain}** of it\n\n- {}", "0123 4567 12. 13) ".repeat(300)),
        format!("```json\n{{\n{}\n  \"end\": true\n}}\n```\nend", "{\"key\": [1,\t2, \"漢字\"]}, ".repeat(250)),
        format!("  ~~~\n  {}", "\tone\ttwo-three".repeat(400)),
    ];
    let desk = Desk::new();
    for text in &texts {
        let (mut grown, mut so_far) = (Markdown::new(), String::new());
        let chars: Vec<char> = text.chars().collect();
        for chunk in chars.chunks(197) {
            let chunk: String = chunk.iter().collect();
            grown.push(&chunk);
            so_far.push_str(&chunk);
            let mut anew = Markdown::new();
            anew.push(&so_far);
            assert_eq!(rows(&mut grown, &desk.page(30)), rows(&mut anew, &desk.page(30)), "{so_far}");
        }
        grown.finish();
        assert_eq!(rows(&mut grown, &desk.page(30)), rows(&mut Markdown::whole(text), &desk.page(30)));
    }
}

/// 100 KB without a break: what comes last costs no more than what came first.
#[test]
fn a_frame_of_a_long_paragraph_costs_its_end() {
    let desk = Desk::new();
    let mut markdown = Markdown::new();
    let mut took = vec![];
    for _ in 0..400 {
        markdown.push(&"some plain words, and more of them; ".repeat(7));
        let since = std::time::Instant::now();
        markdown.lay_out(&desk.page(100));
        took.push(since.elapsed());
    }
    // The best of many: others use the machine too.
    let best = |part: &[std::time::Duration]| part.iter().min().copied().unwrap_or_default();
    let (first, last) = (best(&took[20..60]), best(&took[360..]));
    assert!(last < first * 4, "{first:?} at the beginning, {last:?} at the end");
}

#[test]
fn any_range_of_rows() {
    let desk = Desk::new();
    let mut markdown = Markdown::whole("a\n\nb\n\n```\nc\nd\n```\n\n- e\n- f");
    let all = rows(&mut markdown, &desk.page(20));
    for start in 0..all.len() + 2 {
        for end in 0..all.len() + 2 {
            let want: Vec<&Row> = all.iter().take(end).skip(start).collect();
            assert_eq!(markdown.rows(start..end).collect::<Vec<_>>(), want, "{start}..{end}");
        }
    }
}

#[test]
fn a_theme_or_a_width_gives_new_rows() {
    let desk = Desk::new();
    let light = Themes::shipped().load("light", ColorDepth::True).expect("a theme");
    let mut markdown = Markdown::whole("# title\n\nsome words");
    let dark = rows(&mut markdown, &desk.page(80));
    assert_ne!(rows(&mut markdown, &Page { theme: &light, ..desk.page(80) }), dark);
    assert_eq!(rows(&mut markdown, &desk.page(5)).len(), 4);
    assert_eq!(rows(&mut markdown, &desk.page(80)), dark);
}

/// What a terminal shows after it was sent the changes from each frame to the next.
fn shown(frames: &[&Buffer]) -> String {
    let mut bytes: Vec<u8> = vec![];
    for pair in frames.windows(2) {
        CrosstermBackend::new(&mut bytes).draw(pair[0].diff_iter(pair[1])).expect("a vector takes bytes");
    }
    let size = |n| NonZeroU16::new(n).expect("not 0");
    let mut terminal = vt100::Parser::new(size(4), size(20), 0);
    terminal.process(&bytes);
    // cells that were written as blanks and cells that never were look the same
    terminal.screen().rows(0, 20).map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn t04_a_repaint_equals_what_was_drawn_step_by_step() {
    let area = Rect::new(0, 0, 20, 4);
    let frame = |text: &str| {
        let mut buffer = Buffer::empty(area);
        Row::styled(text, Style::new()).paint(&mut buffer, 0, 0, 20, Ambiguous::Narrow);
        buffer
    };
    let texts = [
        "aaaaa",
        "👩\u{200d}🔬b",
        "🥲x",
        "你好 wide",
        "\u{301}e\u{301}|",
        "🏳\u{fe0f}\u{200d}🌈|",
        "ab|",
        "⚠\u{fe0f}|",
        "1\u{fe0f}\u{20e3}|",
        "x",
    ];
    let frames: Vec<Buffer> = texts.iter().map(|text| frame(text)).collect();
    let empty = Buffer::empty(area);
    for end in 1..=frames.len() {
        let steps: Vec<&Buffer> = std::iter::once(&empty).chain(&frames[..end]).collect();
        assert_eq!(shown(&steps), shown(&[&empty, &frames[end - 1]]), "{}", texts[end - 1]);
    }
}

/// Text that is rich in what markdown and terminals care about.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        "[-*+#>`~|=_ ]{1,4}",
        "[0-9]{1,2}[.)] ",
        Just("```rust\n".to_owned()),
        Just("    ".to_owned()),
        Just("\t".to_owned()),
        Just("|---|:-:|\n".to_owned()),
        Just("| a | b |".to_owned()),
        Just("- [x] ".to_owned()),
        Just("[l](u)".to_owned()),
        Just("<br>".to_owned()),
        Just("&#27;".to_owned()),
        Just("\u{1b}[31m".to_owned()),
        Just("\u{1b}]0;t\u{7}".to_owned()),
        Just("\r\n".to_owned()),
        Just("击—👩‍🔬".to_owned()),
        "[a-z ]{1,12}",
        "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Cuts a text into chunks at the given places.
fn chunks<'t>(text: &'t str, at: &[prop::sample::Index]) -> Vec<&'t str> {
    let mut places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    places.push(text.len());
    let mut cuts: Vec<usize> = at.iter().map(|index| places[index.index(places.len())]).collect();
    cuts.extend([0, text.len()]);
    cuts.sort();
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn markdown_is_the_same_in_any_chunking(
        text in nasty(),
        at in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        width in 1usize..60,
    ) {
        let desk = Desk::new();
        let page = desk.page(width);
        let (mut grown, mut so_far) = (Markdown::new(), String::new());
        for chunk in chunks(&text, &at) {
            grown.push(chunk);
            so_far.push_str(chunk);
            let mut fresh = Markdown::new();
            fresh.push(&so_far);
            prop_assert_eq!(rows(&mut grown, &page), rows(&mut fresh, &page));
        }
        grown.finish();
        prop_assert_eq!(rows(&mut grown, &page), rows(&mut Markdown::whole(&text), &page));
    }

    #[test]
    fn t07_t09_markdown_fits_any_width(text in nasty(), width in 0usize..200) {
        let desk = Desk::new();
        for row in rows(&mut Markdown::whole(&text), &desk.page(width)) {
            prop_assert!(row.width(Ambiguous::Narrow) <= width, "{:?}", row);
            prop_assert!(!row.text().contains(char::is_control));
        }
    }

    #[test]
    fn t07_wrapping_loses_nothing_but_blanks(text in "[a-z击—é ]{0,60}", width in 2usize..40) {
        let row = Row::styled(&text, Style::new());
        let mut out = vec![];
        wrap::wrap(&row, width, Ambiguous::Narrow, wrap::Break::Words, &wrap::Margin::default(), &mut out);
        let squeeze = |text: &str| text.replace(' ', "");
        let joined: String = out.iter().map(|r| squeeze(r.text())).collect();
        prop_assert_eq!(joined, squeeze(&text));
        prop_assert!(out.iter().all(|r| r.width(Ambiguous::Narrow) <= width));
    }

    #[test]
    fn ansi_is_the_same_in_any_chunking(
        text in "([a-z击]{1,5}|\n|\r|\t|\u{8}|\u{1b}\\[[0-9;]{0,6}[mKHJ]|\u{1b}\\]0;x\u{7}|\\PC)*",
        at in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut log = ansi::Log::new(usize::MAX, ColorDepth::True);
        chunks(&text, &at).into_iter().for_each(|c| log.push(c));
        prop_assert_eq!(log.rows().cloned().collect::<Vec<_>>(), ansi::rows(&text, ColorDepth::True));
    }

    #[test]
    fn t02_clean_text_is_clean(text in "(\\PC|[\u{0}-\u{9f}]|\u{202e}|\u{1b}.){0,40}") {
        let clean = sanitize::clean(&text);
        prop_assert!(!clean.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(sanitize::clean(&clean), clean.as_ref());
        prop_assert!(!sanitize::line(&text).contains(char::is_control));
    }

    #[test]
    fn t07_t09_diffs_fit_any_width(text in "([-+ @\\\\]{0,3}[a-z击\t]{0,30}\n){0,12}", width in 0usize..200) {
        let desk = Desk::new();
        for row in diff::rows(&text, &desk.page(width)) {
            prop_assert!(row.width(Ambiguous::Narrow) <= width);
        }
    }
}
