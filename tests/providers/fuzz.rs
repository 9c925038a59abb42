//! Streams that went through a mill: whatever comes of them, the decoders do not panic, keep the agreed order of events,
//! complete what they said, give the same for every cut, and take no more memory than the bytes are worth.
//!
//! A bounded run is part of the suite. A longer one by hand, with the number of executions at its end:
//! `FUZZ_SECONDS=120 FUZZ_SEED=7 cargo nextest run --run-ignored only --no-capture fuzz`

use super::{bodies::decode, harness::of_events, laws::recorded, mill::Mill, table::shown};
use crate::support::memory::peak;
use panto::{
    config::Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
    provider::StreamEvent,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

/// A decoder and its parsers may hold so many times the bytes that they got, and this much for themselves.
const TIMES: usize = 200;
const BASE: usize = 1 << 20;

/// Runs one body whole and cut, and judges it.
fn survive(dialect: Dialect, body: &[u8], mill: &mut Mill) {
    let (whole, most) = peak(|| decode(dialect, [body]));
    assert!(most <= TIMES * body.len() + BASE, "{most} bytes for {}", body.len());
    of_events(&whole);
    let said: usize = whole.iter().map(|e| if let StreamEvent::Delta { text, .. } = e { text.len() } else { 0 }).sum();
    // A broken byte becomes a character of three.
    assert!(said <= 4 * body.len() + 1000, "{said} bytes of deltas from {}", body.len());
    let cut = decode(dialect, mill.cut(body));
    assert_eq!(shown(&cut), shown(&whole), "another cut");
}

/// Puts one body through the mill and runs it. The bytes that broke something are shown.
fn survives(bodies: &[(Dialect, Vec<u8>)], mill: &mut Mill) -> bool {
    let (mut dialect, body) = mill.pick(bodies).clone();
    if mill.chance(20) {
        dialect = *mill.pick(&[OpenaiChat, AnthropicMessages, OpenaiResponses]);
    }
    let ground = mill.grind(body, bodies);
    let run = catch_unwind(AssertUnwindSafe(|| survive(dialect, &ground, mill)));
    if run.is_err() {
        eprintln!("{dialect:?}: {:?}", String::from_utf8_lossy(&ground));
    }
    run.is_ok()
}

#[test]
fn nothing_that_a_server_sends_breaks_a_decoder() {
    let (bodies, mut mill) = (recorded(), Mill::new(1));
    let broken = (0..2_000).filter(|_| !survives(&bodies, &mut mill)).count();
    assert_eq!(broken, 0, "see above");
}

#[test]
#[ignore = "as long as FUZZ_SECONDS says"]
fn fuzz() {
    let set = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (seconds, seed) = (set("FUZZ_SECONDS", 10), set("FUZZ_SEED", 1));
    let (bodies, mut mill) = (recorded(), Mill::new(seed));
    let (began, mut executions, mut broken) = (Instant::now(), 0_u64, 0);
    while began.elapsed() < Duration::from_secs(seconds) && broken < 20 {
        executions += 1;
        broken += u64::from(!survives(&bodies, &mut mill));
    }
    println!("{executions} executions in {seconds} s, seed {seed}");
    assert_eq!(broken, 0, "see above");
}
