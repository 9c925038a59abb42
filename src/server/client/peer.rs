//! The two ends of a connection that has been greeted: frames go out, what comes in is told in order.
//!
//! What the reader has in hand is bounded: when nobody takes it, the server's own limit for slow readers counts.

use crate::backend::{BackendError, Code};
use crate::server::{cbor, frame};
use serde_json::Value;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender},
    task::JoinHandle,
    time::timeout,
};

/// Frames that wait to be looked at.
const AHEAD: usize = 8;
/// How long the last frames may take to leave.
const FAREWELL: Duration = Duration::from_millis(500);

/// What a server has said.
#[derive(Debug)]
pub enum Incoming {
    Response {
        id: u64,
        result: Result<Value, BackendError>,
        /// Of the frame.
        bytes: usize,
    },
    Event(EventFrame),
    /// The last one: why nothing more comes.
    Lost(String),
}

#[derive(Debug)]
pub struct EventFrame {
    pub name: String,
    pub session_id: Option<String>,
    pub data: Value,
    /// Of the frame.
    pub bytes: usize,
}

pub struct Peer {
    /// Framed bytes.
    pub out: UnboundedSender<Vec<u8>>,
    pub incoming: Receiver<Incoming>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl Peer {
    pub fn start(stream: UnixStream) -> Peer {
        let (from, to) = stream.into_split();
        let (out, frames) = mpsc::unbounded_channel();
        let (tell, incoming) = mpsc::channel(AHEAD);
        Peer { out, incoming, reader: tokio::spawn(read(from, tell)), writer: tokio::spawn(write(to, frames)) }
    }

    /// Sends what is under way and ends the connection. Other senders of frames have to be gone by then.
    pub async fn close(mut self) {
        let (nobody, _) = mpsc::unbounded_channel();
        drop(std::mem::replace(&mut self.out, nobody));
        let _ = timeout(FAREWELL, &mut self.writer).await;
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.reader.abort();
        self.writer.abort();
    }
}

async fn write(mut to: OwnedWriteHalf, mut frames: UnboundedReceiver<Vec<u8>>) {
    while let Some(frame) = frames.recv().await {
        // The reader tells that the server is gone.
        if to.write_all(&frame).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

async fn read(from: OwnedReadHalf, tell: Sender<Incoming>) {
    let mut from = BufReader::with_capacity(64 << 10, from);
    loop {
        let incoming = match frame::read(&mut from).await {
            Ok(Some(bytes)) => match parse(&bytes) {
                Some(incoming) => incoming,
                None => continue,
            },
            Ok(None) => Incoming::Lost("the server has closed the connection".into()),
            Err(frame::FrameError::Io(error)) if is_gone(&error) => Incoming::Lost("the server is gone".into()),
            Err(error) => Incoming::Lost(format!("what the server sent cannot be read: {error}")),
        };
        let last = matches!(incoming, Incoming::Lost(_));
        if tell.send(incoming).await.is_err() || last {
            return;
        }
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}

/// None for what this version doesn't know.
fn parse(bytes: &[u8]) -> Option<Incoming> {
    let mut frame = match cbor::decode(bytes) {
        Ok(frame) => frame,
        Err(why) => return Some(Incoming::Lost(format!("what the server sent cannot be read: {why}"))),
    };
    let text = |key: &str| frame.get(key).and_then(Value::as_str).map(str::to_owned);
    match text("type")?.as_str() {
        "response" => {
            let id = frame["id"].as_u64()?;
            let result = match frame["ok"].as_bool() {
                Some(true) => Ok(frame.get_mut("result").map(Value::take).unwrap_or_default()),
                _ => Err(refusal(&frame["error"])),
            };
            Some(Incoming::Response { id, result, bytes: bytes.len() })
        }
        "event" => {
            let (name, session_id) = (text("event")?, text("session_id"));
            let data = frame.get_mut("data").map(Value::take).unwrap_or_default();
            Some(Incoming::Event(EventFrame { name, session_id, data, bytes: bytes.len() }))
        }
        "error" => {
            let why = refusal(&frame["error"]).message;
            Some(Incoming::Lost(format!("the server has ended the connection: {why}")))
        }
        _ => None,
    }
}

/// Codes that only a server has are told as the nearest that faces know.
fn refusal(error: &Value) -> BackendError {
    let code = match error["code"].as_str() {
        Some("too_large") => Code::InvalidRequest,
        _ => serde_json::from_value(error["code"].clone()).unwrap_or(Code::Internal),
    };
    BackendError::new(code, error["message"].as_str().unwrap_or("the server gives no reason"))
}
