//! The server: accepts clients, greets them, and serves each until it goes.

use super::{
    cbor,
    connection::Connection,
    frame::{self, FrameError},
    hub::Hub,
    outbox::{Format, Outbox},
    socket::Socket,
    token::Token,
    wire::{self, Fault, Hello, Refusal},
};
use crate::util::ids;
use std::{sync::Arc, time::Duration};
use tokio::{
    net::{UnixStream, unix::OwnedReadHalf},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Bytes of a hello: nobody unknown makes the server read more.
const HELLO: usize = 4 << 10;
/// How long a client may take to say who it is.
pub const HANDSHAKE: Duration = Duration::from_secs(5);
/// Between two tries to accept a client where none can be.
pub const AGAIN: Duration = Duration::from_millis(50);
/// How long the last frames to a client may take.
pub const GOODBYE: Duration = Duration::from_secs(2);

/// Serves until `stop`; then turns are stopped, everything is written, and the socket is removed. Gives
/// what could not be saved, in words.
pub async fn serve(socket: Socket, token: Token, hub: Arc<Hub>, stop: CancellationToken) -> Vec<String> {
    let mut refused = false;
    let (clients, ended) = (TaskTracker::new(), CancellationToken::new());
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = socket.listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                refused = false;
                let (token, hub, ended) = (token.clone(), hub.clone(), ended.clone());
                clients.spawn(async move { client(stream, &token, hub, ended).await });
            }
            Err(error) => {
                // Out of descriptors, most likely: others may end meanwhile.
                if !std::mem::replace(&mut refused, true) {
                    tracing::warn!(%error, "clients cannot be accepted at the moment");
                }
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    // Nobody finds the socket while the rest ends.
    drop(socket);
    let unsaved = hub.close().await;
    ended.cancel();
    clients.close();
    let _ = timeout(GOODBYE, clients.wait()).await;
    unsaved
}

async fn client(stream: UnixStream, token: &Token, hub: Arc<Hub>, ended: CancellationToken) {
    let (mut from, to) = stream.into_split();
    let (outbox, written) = Outbox::start(to, Format::Cbor);
    let greeted = timeout(HANDSHAKE, greet(&mut from, token)).await;
    let refusal = match greeted {
        Ok(Ok(())) => None,
        Ok(Err(refusal)) => Some(refusal),
        Err(_) => Some(Refusal::new(Fault::Auth, "no hello came within 5 seconds")),
    };
    match refusal {
        Some(refusal) => outbox.push(wire::hello_error(&refusal)),
        None => {
            let connection = Connection::new(hub.clone(), outbox.clone());
            // From here on: what changes while the greeting is made is told after it.
            let changes = hub.changes();
            outbox.push(wire::hello_back(&ids::fresh(), hub.snapshot().await));
            connection.tell_of_server(changes);
            tokio::select! {
                () = requests(&mut from, &connection, &outbox) => {}
                () = outbox.closed() => {}
                () = ended.cancelled() => drop(timeout(GOODBYE, connection.last_words()).await),
            }
        }
    }
    drop(outbox);
    let _ = timeout(GOODBYE, written).await;
}

/// Waits for the hello of whoever has connected, and looks at it.
pub async fn greet(from: &mut OwnedReadHalf, token: &Token) -> Result<(), Refusal> {
    let malformed = |why: String| Refusal::invalid(format!("no hello: {why}"));
    let bytes = frame::read_within(from, HELLO).await.map_err(|error| malformed(error.to_string()))?;
    let bytes = bytes.ok_or_else(|| malformed("the connection was closed".into()))?;
    let value = cbor::decode(&bytes).map_err(|error| malformed(error.to_string()))?;
    let hello: Hello = serde_json::from_value(value).map_err(|error| malformed(error.to_string()))?;
    if hello.r#type != "hello" {
        return Err(malformed("the first frame has to be one".into()));
    }
    if !token.matches(&hello.token) {
        let text = "the token is another one: it lies in <data>/server/token, or in PANTO_SERVER_TOKEN where the server was started";
        return Err(Refusal::new(Fault::Auth, text));
    }
    if hello.version != wire::VERSION {
        let text = format!("this server speaks version {} of the protocol, not {}", wire::VERSION, hello.version);
        return Err(Refusal::new(Fault::Version, text));
    }
    Ok(())
}

/// Takes requests until the client goes or sends something malformed.
async fn requests(from: &mut OwnedReadHalf, connection: &Connection, outbox: &Outbox) {
    loop {
        let refusal = match frame::read(from).await {
            Ok(None) | Err(FrameError::Io(_)) => return,
            Ok(Some(bytes)) => match cbor::decode(&bytes).map_err(|e| Refusal::invalid(e.to_string())) {
                Ok(value) => match wire::request(value) {
                    Ok(request) => {
                        connection.take(request);
                        continue;
                    }
                    Err(refusal) => refusal,
                },
                Err(refusal) => refusal,
            },
            Err(error @ FrameError::TooLarge(_)) => Refusal::new(Fault::TooLarge, error.to_string()),
            Err(error @ FrameError::Empty) => Refusal::invalid(error.to_string()),
        };
        return outbox.push(wire::error(&refusal));
    }
}
