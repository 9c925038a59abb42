//! The module table of architecture.md: who may use whom. Changing it is a commit of its own, with the reason.

use std::{fs, path::Path};

const ALL: &[&str] = &[
    "agent",
    "backend",
    "cli",
    "config",
    "conversation",
    "element",
    "job",
    "lua",
    "provider",
    "sandbox",
    "server",
    "session",
    "sse",
    "tool",
    "tui",
    "util",
];

/// A module and what it may use besides itself.
const TABLE: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("conversation", &["util"]),
    ("sse", &[]),
    ("element", &["util"]),
    ("sandbox", &["util"]),
    ("config", &["util", "conversation"]),
    ("provider", &["conversation", "sse", "config", "util"]),
    ("tool", &["conversation", "util"]),
    ("agent", &["conversation", "provider", "tool", "util"]),
    ("session", &["conversation", "util"]),
    ("job", &["agent", "conversation", "tool", "util"]),
    ("backend", &["util", "conversation", "element", "config", "provider", "tool", "agent", "session", "job"]),
    ("server", &["backend", "conversation", "util"]),
    ("lua", &["backend", "tool", "conversation", "element", "config", "sandbox", "util"]),
    ("tui", &["backend", "conversation", "element", "config", "util"]),
    ("cli", ALL),
];

/// Module of a source file: the first part of its path below src.
fn module(path: &Path) -> Option<String> {
    let first = path.strip_prefix("src").ok()?.components().next()?.as_os_str().to_str()?;
    Some(first.trim_end_matches(".rs").to_owned())
}

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("src can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a line names by `crate::x` or `use crate::{x, y}`.
fn used(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(top_level(list)),
            None => names.extend(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)),
        }
    }
    names
}

/// The first names of the parts of `{a::b, c::{d, e}, f}`.
fn top_level(list: &str) -> Vec<String> {
    let (mut depth, mut name, mut names) = (0, String::new(), Vec::new());
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(std::mem::take(&mut name)),
            c if depth == 0 && !c.is_whitespace() => name.push(c),
            _ => {}
        }
    }
    names.push(name);
    names.into_iter().filter_map(|n| n.split("::").next().map(str::to_owned)).filter(|n| !n.is_empty()).collect()
}

/// Joins `use crate::{` over several lines into one.
fn statements(text: &str) -> Vec<(usize, String)> {
    let (mut joined, mut open): (Vec<(usize, String)>, bool) = (Vec::new(), false);
    for (n, line) in text.lines().enumerate() {
        match joined.last_mut().filter(|_| open) {
            Some((_, statement)) => statement.push_str(line),
            None => joined.push((n + 1, line.to_owned())),
        }
        let statement = &joined.last().expect("one was pushed").1;
        open = statement.trim_start().trim_start_matches("pub ").starts_with("use ") && !statement.contains(';');
    }
    joined
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let mut faults = Vec::new();
    for file in files {
        let module = module(&file).expect("a file below src");
        if module == "main" || module == "lib" {
            continue;
        }
        let (_, allowed) = TABLE
            .iter()
            .find(|(m, _)| *m == module)
            .unwrap_or_else(|| panic!("{} is in no row of the table", file.display()));
        let text = fs::read_to_string(&file).expect("a source file is text");
        for (line, statement) in statements(&text) {
            for name in used(&statement).into_iter().filter(|n| ALL.contains(&n.as_str())) {
                if name != module && !allowed.contains(&name.as_str()) {
                    faults.push(format!(
                        "{}:{line}: {module} must not use {name}: {}",
                        file.display(),
                        statement.trim()
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_scan_sees_what_it_should() {
    assert_eq!(used("use crate::{agent::{A, B}, tool, util::x};"), ["agent", "tool", "util"]);
    assert_eq!(used("let x = crate::tui::run(); // crate::cli"), ["tui"]);
    assert_eq!(statements("use crate::{\n  a,\n  b,\n};\nfn x() {}").len(), 2);
}

#[test]
fn nothing_else_lies_at_the_top() {
    let allowed =
        ["Cargo.toml", "Cargo.lock", "README.md", "build.rs", "src", "themes", "lua", "tests", "assets", "target"];
    for entry in fs::read_dir(".").expect("the folder can be read").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(name.starts_with('.') || allowed.contains(&name.as_str()), "{name} does not belong at the top");
    }
}
