//! A script over HTTP, for the real decoders, other programs and benchmarks.
//!
//! `POST …/chat/completions`, `…/responses` and `…/messages` are answered by the script, `GET …/models` lists its
//! models, `POST /_ctl/open/NAME` opens a gate. Only streams are served: a request without `"stream": true` is refused.

use super::{
    cue::Cue,
    gate::Gates,
    script::{Finish, Refusal, Script},
    stage::{Heard, Stage},
    wire::{self, Writer},
};
use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::{
    Request, Response, StatusCode,
    body::{Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::{convert::Infallible, io, net::SocketAddr, time::Duration};
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};

/// Bytes of a request's body that are taken.
const BODY_LIMIT: usize = 256 << 20;

/// A running server; dropping it ends it and its connections.
pub struct Served {
    address: SocketAddr,
    stage: Stage,
    _task: AbortOnDrop,
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Served {
    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn gates(&self) -> Gates {
        self.stage.gates.clone()
    }

    /// All requests so far.
    pub fn log(&self) -> Vec<Heard> {
        self.stage.log()
    }
}

/// Serves a script on the loopback address; port 0 takes a free one.
pub async fn serve(script: Script, port: u16) -> io::Result<Served> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let address = listener.local_addr()?;
    let stage = Stage::new(script, std::env::temp_dir().join("panto-demo"));
    let task = AbortOnDrop(tokio::spawn(accept(listener, stage.clone())));
    Ok(Served { address, stage, _task: task })
}

async fn accept(listener: TcpListener, stage: Stage) {
    let mut connections = JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        // Small events shall not wait for each other.
        let _ = socket.set_nodelay(true);
        let stage = stage.clone();
        connections.spawn(async move {
            let service = service_fn(move |request| answer(stage.clone(), request));
            // An error is a client that left.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

type Body = BoxBody<Bytes, io::Error>;

async fn answer(stage: Stage, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path().to_owned();
    if let Some(gate) = path.strip_prefix("/_ctl/open/") {
        stage.gates.open(gate);
        return Ok(plain(StatusCode::OK, &json!({"opened": gate})));
    }
    if path.trim_end_matches('/').ends_with("/models") {
        let model = |id: &String| json!({"id": id, "object": "model", "created": 1, "owned_by": "faux"});
        let list: Vec<_> = stage.script().models.iter().map(model).collect();
        return Ok(plain(StatusCode::OK, &json!({"object": "list", "data": list, "has_more": false})));
    }
    let Some(dialect) = wire::dialect(&path) else {
        return Ok(refuse(StatusCode::NOT_FOUND, &format!("no such route: {path}")));
    };
    let body = http_body_util::Limited::new(request.into_body(), BODY_LIMIT).collect().await;
    let body = body.ok().and_then(|b| serde_json::from_slice::<Value>(&b.to_bytes()).ok());
    let Some(body) = body.filter(Value::is_object) else {
        return Ok(refuse(StatusCode::BAD_REQUEST, "the body is no JSON object"));
    };
    if body["stream"] != true {
        return Ok(refuse(StatusCode::BAD_REQUEST, "only streams are served: set \"stream\": true"));
    }
    let seen = wire::seen(dialect, &body);
    let writer = wire::writer(dialect, &seen.model);
    let cues = stage.perform(Heard { seen, request: None, body: Some(body), dialect: Some(dialect) });
    Ok(match cues.first() {
        Some(Cue::Status(refusal)) => status(refusal),
        _ => play(cues, writer, stage.gates),
    })
}

fn boxed(body: Vec<u8>) -> Body {
    Full::new(Bytes::from(body)).map_err(|never| match never {}).boxed()
}

fn plain(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(boxed(body.to_string().into_bytes()));
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", hyper::header::HeaderValue::from_static("application/json"));
    response
}

fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    plain(status, &json!({"error": {"message": message}}))
}

fn status(refusal: &Refusal) -> Response<Body> {
    let code = StatusCode::from_u16(refusal.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = refuse(code, &refusal.message);
    if let Some(seconds) = refusal.retry_after.and_then(|s| s.to_string().parse().ok()) {
        response.headers_mut().insert("retry-after", seconds);
    }
    response
}

/// The stream of an answer. The task that plays it ends when the client leaves.
fn play(cues: Vec<Cue>, writer: Box<dyn Writer>, gates: Gates) -> Response<Body> {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        let left = sender.clone();
        tokio::select! {
            () = perform(cues, writer, gates, sender) => {}
            () = left.closed() => {}
        }
    });
    let frames = stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    let mut response = Response::new(StreamBody::new(frames).boxed());
    response.headers_mut().insert("content-type", hyper::header::HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert("cache-control", hyper::header::HeaderValue::from_static("no-cache"));
    response
}

type Frames = mpsc::Sender<Result<Frame<Bytes>, io::Error>>;

async fn perform(cues: Vec<Cue>, mut writer: Box<dyn Writer>, gates: Gates, frames: Frames) {
    let mut out = Vec::new();
    writer.begin(&mut out);
    let mut said = 0;
    for cue in cues {
        match cue {
            Cue::Text(piece) => writer.text(&piece, &mut out),
            Cue::Thinking(piece) => writer.thinking(&piece, &mut out),
            Cue::Redacted(data) => writer.redacted(&data, &mut out),
            Cue::Call { id, name, pieces } => writer.call(&id, &name, &pieces, &mut out),
            Cue::Pause(time) => {
                send(&frames, &mut out).await;
                tokio::time::sleep(time).await;
            }
            Cue::Gate(name) => {
                send(&frames, &mut out).await;
                gates.pass(&name).await;
            }
            Cue::Finish(finish) => {
                writer.finish(&finish, &mut out);
                return send(&frames, &mut out).await;
            }
            Cue::Error(Refusal { code, message, .. }) | Cue::Status(Refusal { code, message, .. }) => {
                writer.error(code, &message, &mut out);
                return send(&frames, &mut out).await;
            }
            Cue::Quiet => return send(&frames, &mut out).await,
            Cue::Cut => {
                send(&frames, &mut out).await;
                // A body that fails makes the server drop the connection, and what it has not written by then.
                tokio::time::sleep(Duration::from_millis(50)).await;
                let _ = frames.send(Err(io::Error::other("scripted"))).await;
                return;
            }
            Cue::Hang => {
                send(&frames, &mut out).await;
                std::future::pending::<()>().await;
            }
        }
        said += 1;
        send(&frames, &mut out).await;
    }
    writer.finish(&Finish { output: said.max(1), ..Finish::default() }, &mut out);
    send(&frames, &mut out).await;
}

async fn send(frames: &Frames, out: &mut Vec<u8>) {
    if !out.is_empty() {
        // Fails when the client has left; then the task is ended from outside.
        let _ = frames.send(Ok(Frame::data(Bytes::from(std::mem::take(out))))).await;
    }
}
