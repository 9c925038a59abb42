//! Running a table of bodies: over HTTP, whole, in pieces and cut at each place, and through the decoder alone.

use super::{
    bodies::decode,
    harness::{ad_hoc, ask, of_events, once, outcome},
    server::{Reply, Server},
    want::Want,
};
use panto::{config::Dialect, provider::StreamEvent};

/// Events without the ids that were made up for calls that came without one.
pub fn shown(events: &[StreamEvent]) -> String {
    let text = format!("{events:?}");
    let mut parts = text.split("call_");
    let first = parts.next().unwrap_or_default().to_owned();
    let made_up = |p: &str| p.get(..32).is_some_and(|id| id.bytes().all(|b| b.is_ascii_hexdigit()));
    parts.fold(first, |all, part| all + if made_up(part) { &part[32..] } else { part })
}

/// Whole, in pieces, byte by byte and cut in two; over HTTP at each `step`-th place, by the decoder alone at each.
pub async fn check(dialect: Dialect, body: &[u8], want: Want, step: usize) {
    let reply = Reply::stream(body);
    let cut = (1..body.len()).step_by(step).map(|at| (format!("cut at {at}"), reply.clone().cut(at)));
    let pieces = [0, 1, 7].map(|size| (format!("{size} bytes at a time"), reply.clone().by(size)));
    let (hows, replies): (Vec<_>, Vec<_>) = pieces.into_iter().chain(cut).unzip();
    let server = Server::start(replies).await;
    let resolved = ad_hoc(&once(), dialect, &server.url());
    for how in hows {
        want.check(&outcome(ask(&resolved)).await, &how);
    }
    for at in 0..body.len() {
        want.check(&of_events(&decode(dialect, [&body[..at], &body[at..]])), &format!("decoded, cut at {at}"));
    }
}

/// A test for each `name: dialect body => want`, and `bodies()`, all of them. Over HTTP they are cut at each
/// `step`-th place.
macro_rules! streams {
    (step $step:literal; $($name:ident: $dialect:ident $body:expr => $want:expr;)*) => {
        $(#[tokio::test]
        async fn $name() {
            super::table::check($dialect, $body.as_bytes(), $want, $step).await;
        })*

        /// Every body above.
        pub fn bodies() -> Vec<(Dialect, Vec<u8>)> {
            vec![$(($dialect, $body.as_bytes().to_vec()),)*]
        }
    };
}
pub(super) use streams;
