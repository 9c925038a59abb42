//! The real program, killed at random moments. `tests/bench/kill.rs` does the same a thousand times.

use crate::support::kills;

#[test]
fn a_kill_at_any_moment_loses_nothing_acknowledged_and_leaves_files_that_open() {
    let seed = u64::from(std::process::id());
    let report = kills::run(25, seed, |_| {}).unwrap_or_else(|why| panic!("{why}"));
    assert!(
        report.kills == 25 && report.messages > 25 && report.tools > 0 && report.commands > 0,
        "seed {seed}: {report}"
    );
}
