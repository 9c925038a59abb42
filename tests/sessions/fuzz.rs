//! Whatever lies in a session file: reading, listing, searching, repairing and going on neither panic nor hang.
//!
//! A bounded mutator with a seed of its own for each run. `PANTO_FUZZ_SEED` plays a run again, `PANTO_FUZZ_RUNS` makes
//! more of them.

use super::*;
use crate::support::{dice::Dice, memory};
use panto::session::{Scope, export, load, load_up_to, preview};
use std::panic::{AssertUnwindSafe, catch_unwind};

const RUNS: u64 = 150;

/// Bytes that reading may take whatever the file, and how many for each byte that says something (a JSON value is many
/// times its text).
const FIXED: usize = 2 << 20;
const SHARE: usize = 64;

/// Pieces that a mutation may put in.
const PIECES: [&[u8]; 16] = [
    b"\0\0\0\0",
    b"\xff\xfe",
    b"\n",
    b"\r\n",
    br"\ud83d",
    br"\ud83d\ude00",
    br#""id":"e1","#,
    br#""parent_id":"e3","#,
    br#"{"type":"session","version":99,"id":"x","timestamp":"","cwd":"/"}"#,
    br#"{"type":"leaf","id":"l","parent_id":null,"timestamp":"t","target_id":"e2"}"#,
    br#"{"type":"compaction","id":"c","parent_id":"e1","timestamp":"t","summary":"s","first_kept_id":"e0"}"#,
    br#"{"type":"session_info","id":"i","parent_id":"e1","timestamp":"t","name":"\u001b[2J"}"#,
    br#"{"type":"message","id":"m","parent_id":"e1","timestamp":"t","message":{"role":"user","blocks":[{"type":"tool_result","tool_use_id":"?","content":7}]}}"#,
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"1e999",
    b"\xf0\x9f\x94",
];

/// A file with everything that a session may hold.
fn whole(place: &Place) -> Vec<u8> {
    let path = place.past(&["Q1 \u{1f525}", "A1", "Q2", "A2"]);
    let call = json!({"role": "assistant", "model": "env:bench", "usage": {"input": 7, "output": 9}, "blocks": [
        {"type": "thinking", "text": "hm", "signature": "c2ln"},
        {"type": "tool_use", "id": "c1", "name": "std.shell", "input": {"command": "ls", "n": 1.50}},
        {"type": "tool_use", "id": "c1", "name": "std.shell", "input": {}}]});
    let result = json!({"role": "user", "blocks": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "OUT"}], "is_error": false},
        {"type": "image", "mime": "image/png", "data": "AAAA"}, {"type": "from_the_future", "x": [1, {}]}]});
    let more = [
        json!({"type": "message", "id": "e4", "parent_id": "e3", "timestamp": "t", "message": call}),
        json!({"type": "message", "id": "e5", "parent_id": "e4", "timestamp": "t", "message": result}),
        json!({"type": "branch_summary", "id": "e6", "parent_id": "e5", "timestamp": "t", "summary": "s", "from_id": "e1"}),
        json!({"type": "compaction", "id": "e7", "parent_id": "e6", "timestamp": "t", "summary": "s", "first_kept_id": "e4", "tokens_before": 9}),
        json!({"type": "custom", "id": "e8", "parent_id": "e7", "timestamp": "t", "name": "n", "data": {"deep": [null]}}),
        json!({"type": "leaf", "id": "e9", "parent_id": null, "timestamp": "t", "target_id": "e5"}),
    ];
    let mut bytes = fs::read(&path).unwrap();
    more.iter().for_each(|row| bytes.extend(format!("{row}\n").bytes()));
    bytes
}

fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len().max(1)).min(bytes.len());
    let end = (at + 1 + dice.below(40)).min(bytes.len());
    match dice.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => bytes.truncate(at),
        3 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
        4 => {
            // A line twice, in another place.
            let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let line = lines[dice.below(lines.len())].clone();
            lines.insert(dice.below(lines.len()), line);
            *bytes = lines.join(&b'\n');
        }
        5 => drop(bytes.splice(at..end, std::iter::repeat_n(0, 1 + dice.below(200_000)))),
        _ => drop(bytes.splice(at..at, PIECES[dice.below(PIECES.len())].iter().copied())),
    }
}

/// All that reads a session, and one entry more.
fn read(place: &Place, path: &Path, runtime: &tokio::runtime::Runtime) {
    let rows = place.store.list(Scope::All, &place.cwd(), Some("q")).unwrap();
    let _ = (rows, preview(path), place.store.resolve("0198d000-0000-7000-8000-000000000001"));
    if let Ok(loaded) = load(path) {
        let history = loaded.history();
        for format in [panto::session::Format::Md, panto::session::Format::Html, panto::session::Format::Jsonl] {
            let _ = export::render(&loaded, format);
        }
        let _ = load_up_to(path, loaded.tip().unwrap_or("e2"));
        let repaired = place.store.repair(path).unwrap();
        let copy = load(&repaired.path).unwrap();
        assert_eq!(copy.history().len(), history.len(), "the repaired copy says something else");
        fs::remove_file(repaired.path).unwrap();
        runtime.block_on(async {
            let (mut log, _) = Log::open(path).unwrap();
            save(&mut log, vec![user("one more")]).await;
            log.close().await.unwrap();
        });
        assert_eq!(shown(&load(path).unwrap()).last().map(String::as_str), Some("one more"));
    }
}

#[test]
fn no_file_makes_the_reader_panic() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("PANTO_FUZZ_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let place = Place::new();
    let original = whole(&place);
    let path = place.store.find("0198d").unwrap();
    for run in 0..number("PANTO_FUZZ_RUNS").unwrap_or(RUNS) {
        let mut dice = Dice(seed.wrapping_add(run));
        let mut bytes = original.clone();
        (0..1 + dice.below(6)).for_each(|_| mutate(&mut bytes, &mut dice));
        fs::write(&path, &bytes).unwrap();
        let again = format!("PANTO_FUZZ_SEED={} PANTO_FUZZ_RUNS=1 plays it again", seed.wrapping_add(run));
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let (_, most) = memory::peak(|| (load(&path).map(|loaded| loaded.history()), preview(&path)));
            read(&place, &path, &runtime);
            most
        }));
        let most = outcome.unwrap_or_else(|_| panic!("{again}"));
        let allowed = FIXED + SHARE * bytes.iter().filter(|byte| **byte != 0).count();
        assert!(most <= allowed, "{most} bytes for a file of {}: {again}", bytes.len());
    }
}

#[test]
fn no_index_makes_the_listing_panic_or_wrong() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("PANTO_FUZZ_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let place = Place::new();
    for n in 0..4 {
        place.past_in(&place.cwd(), &format!("0198b000-0000-7000-8000-{n:012}"), &["Q", "A"]);
    }
    let list = || place.store.list(Scope::All, &place.cwd(), None).unwrap();
    assert_eq!(list().len(), 4);
    let index = place.sessions().join("index.json");
    let original = fs::read(&index).unwrap();
    for run in 0..number("PANTO_FUZZ_RUNS").unwrap_or(RUNS) {
        let mut dice = Dice(seed.wrapping_add(run));
        let mut bytes = original.clone();
        (0..1 + dice.below(6)).for_each(|_| mutate(&mut bytes, &mut dice));
        fs::write(&index, &bytes).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| (list().len(), list().len())));
        let again = format!("PANTO_FUZZ_SEED={} PANTO_FUZZ_RUNS=1 plays it again", seed.wrapping_add(run));
        assert_eq!(outcome.ok(), Some((4, 4)), "{again}");
    }
}

#[test]
fn zeros_and_lines_that_never_end_take_no_memory() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let whole = fs::read(&path).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(whole.len() as u64 + (1 << 30)).unwrap();
    let (loaded, most) = memory::peak(|| load(&path).unwrap());
    assert_eq!(said(&loaded), ["Q", "A"]);
    assert!(most < FIXED, "{most} bytes for 1 GiB of zeros");

    let endless = vec![b'x'; 32 << 20];
    fs::write(&path, [&whole[..], &endless].concat()).unwrap();
    let (loaded, most) = memory::peak(|| load(&path).unwrap());
    assert!(loaded.cut_tail);
    assert!(most < FIXED + 3 * endless.len(), "{most} bytes for a line of {}", endless.len());
}
