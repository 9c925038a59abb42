//! `panto acp`: the Agent Client Protocol on standard input and output, for editors.
//!
//! One more face on the backend: requests become commands, events become updates. `peer` is JSON-RPC over lines, `agent`
//! has the methods, `sessions` opens and lists. Each open session is a `talk`, a task that hears its events and its
//! editor in turn; `turn` is the life of a prompt, `asking` and `questions` what the user is asked. What is said in which
//! words is pure: `prompt` reads what the editor sends, `teller` (with `replay`, `calls`, `tool`, `diff`) makes updates,
//! `options` and `stop` what can be chosen and how turns end.

mod agent;
mod asking;
mod calls;
mod diff;
mod options;
mod peer;
mod prompt;
mod questions;
mod replay;
mod sessions;
mod stop;
mod talk;
mod teller;
mod tool;
mod turn;

use super::{
    desk::locked,
    hub::Hub,
    lines,
    outbox::{Format, Outbox},
};
use agent::Agent;
use peer::Peer;
use std::sync::Arc;
use talk::Order;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;

/// Serves until the input ends and the turns in hand are over, until nobody reads any more, or until `stop`. Everything
/// is written then; what could not be saved, in words.
pub async fn acp(
    hub: Arc<Hub>,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Vec<String> {
    let (outbox, written) = Outbox::start(output, Format::Lines);
    let peer = Peer::new(outbox);
    let agent = Agent::new(hub.clone(), peer.clone());
    tokio::select! {
        () = async { read(input, &agent).await; finish(&agent).await } => {}
        () = stop.cancelled() => {}
        () = peer.closed() => {}
    }
    let unsaved = hub.close().await;
    agent.tasks.close();
    agent.tasks.wait().await;
    drop((agent, peer));
    let _ = written.await;
    unsaved
}

async fn read(input: impl AsyncRead + Unpin, agent: &Arc<Agent>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = vec![];
        match lines::next(&mut input, &mut line).await {
            Ok(true) if line.iter().all(u8::is_ascii_whitespace) => {}
            Ok(true) => agent.take(peer::incoming(&line)),
            Ok(false) | Err(_) => return,
        }
    }
}

/// What was asked for is done, and every request has its answer.
async fn finish(agent: &Agent) {
    agent.alone.cancel();
    for orders in locked(&agent.talks).values() {
        let _ = orders.send(Order::Finish);
    }
    agent.tasks.close();
    agent.tasks.wait().await;
}
