//! `panto rpc`: the same requests, responses and events as lines of JSON, on one session that is opened beforehand.

use super::{
    connection::Connection,
    frame,
    hub::{Hub, Opened},
    outbox::{Format, Outbox},
    strict,
    wire::{self, Refusal},
};
use crate::backend::{Answer, Command, Event, Response};
use serde_json::json;
use std::{io, sync::Arc};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
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
        () = lines(input, &connection, &outbox) => {}
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

async fn lines(input: impl AsyncRead + Unpin, connection: &Connection, outbox: &Outbox) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = vec![];
        match next(&mut input, &mut line).await {
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

/// Reads a line; of one that is too long the rest is skipped. False at the end of the input.
async fn next(input: &mut (impl AsyncBufReadExt + Unpin), line: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = memchr::memchr(b'\n', chunk);
        let taken = end.map_or(chunk.len(), |at| at + 1);
        let room = (frame::LIMIT + 1).saturating_sub(line.len());
        line.extend_from_slice(&chunk[..end.unwrap_or(chunk.len()).min(room)]);
        input.consume(taken);
        if end.is_some() {
            return Ok(true);
        }
    }
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
