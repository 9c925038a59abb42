//! Laws of the stream: whatever way a body was cut, and whatever happened to it on the way.

use super::{bodies::decode, kinds, streams, table::shown};
use panto::config::Dialect;
use proptest::prelude::*;

/// Every body of the tables.
fn recorded() -> Vec<(Dialect, Vec<u8>)> {
    [streams::bodies(), kinds::bodies()].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_chunking_gives_the_same_events(cuts in proptest::collection::vec(1usize..40, 1..30)) {
        for (dialect, body) in recorded() {
            let whole = decode(dialect, [&body[..]]);
            let (mut chunks, mut rest, mut sizes) = (Vec::new(), &body[..], cuts.iter().cycle());
            while !rest.is_empty() {
                let size = sizes.next().map_or(1, |s| (*s).min(rest.len()));
                chunks.push(&rest[..size]);
                rest = &rest[size..];
            }
            prop_assert_eq!(shown(&decode(dialect, chunks)), shown(&whole));
        }
    }
}
