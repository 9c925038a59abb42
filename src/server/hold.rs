//! A process that has a session open without being a server: all that it does at its socket is to hand the session over
//! when another process asks for it.

use super::{
    asking::ask,
    listen::{AGAIN, GOODBYE, HANDSHAKE, greet},
    method::{self, Call, SessionCall},
    outbox::{Format, Outbox},
    socket::Socket,
    token::Token,
    wire::{self, Fault, Refusal},
};
use super::{cbor, frame};
use crate::backend::{self, Command, Reply};
use crate::util::ids;
use serde_json::json;
use tokio::{
    net::{UnixStream, unix::OwnedReadHalf},
    sync::mpsc::UnboundedSender,
    time::timeout,
};

/// Serves until it is dropped. `requests` leads to the session that is open.
pub async fn hold(socket: Socket, token: Token, requests: UnboundedSender<backend::Request>) {
    loop {
        match socket.listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(client(stream, token.clone(), requests.clone()))),
            Err(error) => {
                tracing::debug!(%error, "a request for the session cannot be taken at the moment");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

async fn client(stream: UnixStream, token: Token, requests: UnboundedSender<backend::Request>) {
    let (mut from, to) = stream.into_split();
    let (outbox, written) = Outbox::start(to, Format::Cbor);
    match timeout(HANDSHAKE, greet(&mut from, &token)).await {
        Ok(Ok(())) => {
            let nothing = json!({"revision": 1, "sessions": [], "models": []});
            outbox.push(wire::hello_back(&ids::fresh(), nothing));
            while let Some(request) = next(&mut from).await {
                let released = release(&requests, request.method, request.params).await;
                outbox.push(wire::response(&request.id, released.map(|()| json!({}))));
            }
        }
        Ok(Err(refusal)) => outbox.push(wire::hello_error(&refusal)),
        Err(_) => outbox.push(wire::hello_error(&Refusal::new(Fault::Auth, "no hello came in time"))),
    }
    drop(outbox);
    let _ = timeout(GOODBYE, written).await;
}

async fn next(from: &mut OwnedReadHalf) -> Option<wire::Request> {
    let bytes = frame::read(from).await.ok()??;
    wire::request(cbor::decode(&bytes).ok()?).ok()
}

async fn release(
    requests: &UnboundedSender<backend::Request>,
    method: String,
    params: serde_json::Map<String, serde_json::Value>,
) -> Result<(), Refusal> {
    let Call::Session { session_id: Some(id), call: SessionCall::Release { by } } = method::call(&method, params)?
    else {
        return Err(Refusal::invalid("this process only hands its session over: `release`"));
    };
    match ask(requests, Command::State).await? {
        Reply::State(session) if session.id == id => ask(requests, Command::Release { by }).await.map(drop),
        _ => Err(Refusal::not_found(format!("the session {id} is not open here"))),
    }
}
