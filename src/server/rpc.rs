//! `panto rpc`: the same requests, responses and events as lines of JSON, on one session that is opened beforehand.

use super::{
    connection::Connection,
    frame,
    hub::{Hub, Opened},
    lines,
    outbox::{Format, Outbox},
    strict,
    wire::{self, Refusal},
};
use crate::backend::{Answer, Command, Event, Response};
use serde_json::json;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;

/// Serves until the input ends and the turn in hand is over, or until `stop`. Everything is written then.
pub async fn rpc(
    hub: Arc<Hub>,
    opened: Opened,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Result<Vec<String>, Refusal> {
    let (outbox, written) = Outbox::start(output, Format::Lines);
    let mut connection = Connection::new(hub.clone(), outbox.clone());
    let (claim, session) = hub.adopt(opened).await?;
    connection.default_session = Some(session.id.clone());
    outbox.push(json!({"type": "ready", "version": wire::VERSION, "session_id": session.id, "cwd": session.cwd,
        "model": session.model, "thinking": session.thinking}));
    connection.attach_silently(&session.id).await?;
    drop(claim);
    tokio::select! {
        () = read(input, &connection, &outbox) => {}
        () = stop.cancelled() => {}
        () = outbox.closed() => {}
    }
    if !stop.is_cancelled() {
        tokio::select! {
            () = finish(&connection) => {}
            () = stop.cancelled() => {}
            () = outbox.closed() => {}
        }
    }
    let unsaved = hub.close().await;
    connection.last_words().await;
    drop((connection, outbox));
    let _ = written.await;
    Ok(unsaved)
}

async fn read(input: impl AsyncRead + Unpin, connection: &Connection, outbox: &Outbox) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = vec![];
        match lines::next(&mut input, &mut line).await {
            Ok(true) if line.iter().all(u8::is_ascii_whitespace) => {}
            Ok(true) => match parse(&line) {
                Ok(request) => connection.take(request),
                Err(refusal) => outbox.push(wire::error(&refusal)),
            },
            Ok(false) | Err(_) => return,
        }
    }
}

fn parse(line: &[u8]) -> Result<wire::Request, Refusal> {
    if line.len() > frame::LIMIT {
        return Err(Refusal::new(wire::Fault::TooLarge, format!("a line may have {} bytes", frame::LIMIT)));
    }
    let value = strict::parse(line).map_err(|error| Refusal::invalid(format!("a line is no JSON: {error}")))?;
    wire::request(value)
}

/// The turn in hand ends, and every request has its answer. Nobody is there any more to be asked: what waits for an
/// answer is refused.
async fn finish(connection: &Connection) {
    let Some(mut link) = connection.look().await else { return };
    let over = link.send(Command::Finished);
    let refusing = async {
        while let Some(event) = link.events.recv().await {
            match event {
                Event::SessionOpened(session) | Event::SessionChanged(session) => {
                    for approval in &session.approvals {
                        deny(&link, &approval.id);
                    }
                    for ask in &session.asks {
                        dismiss(&link, &ask.id);
                    }
                }
                Event::ApprovalRequested(approval) => deny(&link, &approval.id),
                Event::Asked(ask) => dismiss(&link, &ask.id),
                _ => {}
            }
        }
    };
    tokio::select! {
        () = async { let _ = over.await; connection.answered().await } => {}
        () = refusing => {}
    }
}

fn deny(link: &crate::backend::Link, id: &str) {
    drop(link.send(Command::Approve { approval_id: id.to_owned(), answer: Answer::No }));
}

fn dismiss(link: &crate::backend::Link, id: &str) {
    drop(link.send(Command::Answer { ask_id: id.to_owned(), response: Response::Dismissed }));
}
