//! The text engine: a long answer token by token, and a tool that prints without end.
//!
//! `cargo bench --bench text`

use divan::{Bencher, black_box};
use panto::tui::{
    text::{Ambiguous, Highlighter, Markdown, Page, ansi::Log},
    theme::{ColorDepth, Theme, Themes},
};

fn main() {
    divan::main();
}

fn theme() -> Theme {
    Themes::shipped().load("dark", ColorDepth::True).expect("a shipped theme")
}

/// About 94 kB of prose, lists, tables and code in tokens of four or five characters.
fn tokens() -> Vec<String> {
    let mut text = String::new();
    for section in 0.. {
        if text.len() > 94_000 {
            break;
        }
        text.push_str(&format!("## Section {section}\n\nSome **words** of prose with `code` in them"));
        text.push_str(&", and on it goes in the way that models write".repeat(6));
        text.push_str(".\n\n- first item\n- second item with a few more words\n  - nested\n\n");
        text.push_str("| name | value |\n|---|---|\n| alpha | 12 |\n| beta | 34 |\n\n```rust\n");
        for line in 0..12 {
            text.push_str(&format!("    let mut item_{line} = source.get({line}).unwrap_or(\"none\"); // note\n"));
        }
        text.push_str("```\n\n");
    }
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(5).map(|c| c.iter().collect()).collect()
}

/// One code block of 1,600 lines that stays open.
fn long_block() -> Vec<String> {
    let line = "    if value > 17 { buffer.push(next(state, 'x')); }\n";
    let text = format!("```rust\n{}", line.repeat(1600));
    text.as_bytes().chunks(5).map(|c| String::from_utf8_lossy(c).into_owned()).collect()
}

/// Pushes all tokens and reads the last screen after each fiftieth.
fn stream(tokens: &[String], theme: &Theme, highlighter: &Highlighter) -> usize {
    let page = Page { width: 118, theme, ambiguous: Ambiguous::Narrow, highlighter };
    let (mut markdown, mut seen) = (Markdown::new(), 0);
    for (index, token) in tokens.iter().enumerate() {
        markdown.push(token);
        if index % 50 == 0 {
            markdown.lay_out(&page);
            let height = markdown.height();
            seen += markdown.rows(height.saturating_sub(48)..height).map(|row| row.text().len()).sum::<usize>();
        }
    }
    seen
}

#[divan::bench]
fn answer_token_by_token(bencher: Bencher) {
    let (tokens, theme, highlighter) = (tokens(), theme(), Highlighter::new());
    bencher.bench_local(|| stream(black_box(&tokens), &theme, &highlighter));
}

#[divan::bench]
fn open_code_block(bencher: Bencher) {
    let (tokens, theme, highlighter) = (long_block(), theme(), Highlighter::new());
    bencher.bench_local(|| stream(black_box(&tokens), &theme, &highlighter));
}

/// A megabyte of `yes`.
#[divan::bench]
fn output_without_end(bencher: Bencher) {
    let chunk = "y\n".repeat(4096);
    bencher.bench_local(|| {
        let mut log = Log::new(2000, ColorDepth::True);
        (0..128).for_each(|_| log.push(black_box(&chunk)));
        log.total()
    });
}

/// What the first frame pays.
#[divan::bench]
fn load_theme() -> Theme {
    black_box(theme())
}
