//! Every row of the contract and every case about Lua has a test that is named after it (`r09_…`, `l07_…`).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Rows about the runtime, discovery, packages, the host's interface and subagents. Providers (R52–R58) have a
/// suite of their own.
const ROWS: [std::ops::RangeInclusive<u32>; 2] = [1..=51, 59..=94];
const CASES: &[&str] = &[
    "l01", "l02", "l04", "l05", "l06", "l07", "l08", "l10", "l11", "l13", "l14", "a01", "a03", "a04", "a06", "a07",
    "a08", "a10",
];

/// The session store numbers its cases with the same letter.
const OTHERS: &[&str] = &["src/session", "tests/sessions", "tests/sessions.rs"];

/// The tags that functions of a folder's files begin with: `fn r09_r15_a_yield…` has `r09` and `r15`.
fn tags(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("sources can be read").flatten() {
        let path = entry.path();
        if OTHERS.iter().any(|other| path.ends_with(other)) {
            continue;
        }
        if path.is_dir() {
            tags(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            text.lines().filter_map(name).for_each(|name| found.extend(leading(name)));
        }
    }
}

fn name(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("async ");
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

fn leading(name: &str) -> impl Iterator<Item = String> + '_ {
    let is_tag = |part: &&str| {
        let digits = part.get(1..).unwrap_or_default();
        part.starts_with(['r', 'l', 'a']) && digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit())
    };
    name.split('_').take_while(is_tag).map(str::to_owned)
}

fn all() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    tags(&root.join("src"), &mut found);
    tags(&root.join("tests"), &mut found);
    found
}

#[test]
fn each_row_and_case_has_a_test() {
    let found = all();
    let tested = |row: &u32| found.contains(&format!("r{row:02}"));
    let lacking: Vec<u32> = ROWS.into_iter().flatten().filter(|row| !tested(row)).collect();
    assert_eq!(lacking, [0; 0], "rows without a test `rNN_…`");
    let cases: Vec<_> = CASES.iter().filter(|case| !found.contains(**case)).collect();
    assert!(cases.is_empty(), "cases without a test: {cases:?}");
}

#[test]
fn tags_are_read_from_names() {
    let of = |line: &str| name(line).map(|name| leading(name).collect::<Vec<_>>().join(" "));
    assert_eq!(of("    async fn r09_r15_a_yield_r99() {").as_deref(), Some("r09 r15"));
    assert_eq!(of("fn l07_waits(").as_deref(), Some("l07"));
    assert_eq!(of("fn r1_short()").as_deref(), Some(""));
    assert_eq!(of("let x = r09_;"), None);
}
