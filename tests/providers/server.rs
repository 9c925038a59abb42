//! A server that answers with exactly the given bytes.

use panto::{config::Dialect, provider::check};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// What happens after the last byte of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Then {
    End,
    /// The connection breaks in the middle of the body.
    Drop,
    /// Nothing more comes.
    Hang,
}

#[derive(Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Bytes a piece; 0: all at once.
    pub size: usize,
    /// Only the first piece has this size, the rest comes as one.
    pub is_cut: bool,
    pub then: Then,
}

impl Reply {
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        Reply { status: 200, headers, body: body.into(), size: 0, is_cut: false, then: Then::End }
    }

    pub fn status(status: u16, body: &str) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Reply { status, headers, ..Reply::stream(body) }
    }

    pub fn kind(self, kind: &str) -> Self {
        Reply { headers: vec![("content-type", kind.to_owned())], ..self }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn by(self, size: usize) -> Self {
        Reply { size, ..self }
    }

    /// In two pieces.
    pub fn cut(self, at: usize) -> Self {
        Reply { size: at, is_cut: true, ..self }
    }

    fn pieces(&self) -> Vec<&[u8]> {
        match (self.size, self.is_cut) {
            (0, _) => vec![&self.body[..]],
            (at, true) => vec![&self.body[..at], &self.body[at..]],
            (size, false) => self.body.chunks(size).collect(),
        }
    }

    pub fn then(self, then: Then) -> Self {
        Reply { then, ..self }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: serde_json::Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// Answers the n-th request with the n-th reply, further ones with the last.
pub struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    left: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

/// Whatever a test is about: nothing was sent that a strict server would refuse.
impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        if !std::thread::panicking() {
            self.asked().iter().for_each(Asked::check);
        }
    }
}

impl Asked {
    fn check(&self) {
        let ends = [
            ("/chat/completions", Dialect::OpenaiChat),
            ("/responses", Dialect::OpenaiResponses),
            ("/messages", Dialect::AnthropicMessages),
        ];
        if let Some((_, dialect)) = ends.iter().find(|(end, _)| self.path.ends_with(end)) {
            assert_eq!(check::check(*dialect, &self.body), [], "{}", self.body);
        }
    }
}

impl Server {
    pub async fn start(replies: Vec<Reply>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (leaving, left) = watch::channel(0);
        let log = asked.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (replies, log, leaving) = (replies.clone(), log.clone(), leaving.clone());
                tokio::spawn(async move {
                    let _ = connection(socket, &replies, &log).await;
                    leaving.send_modify(|n| *n += 1);
                });
            }
        });
        Server { address, asked, left, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }

    /// Resolves when that many connections have ended.
    pub async fn left(&mut self, count: usize) {
        self.left.wait_for(|n| *n >= count).await.expect("the server runs");
    }
}

async fn connection(mut socket: TcpStream, replies: &[Reply], log: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(asked) = request(&mut socket, &mut buffer).await? {
        let n = {
            let mut log = log.lock().expect("no panic");
            log.push(asked);
            log.len() - 1
        };
        let reply = replies.get(n).or(replies.last()).expect("a reply");
        if !answer(&mut socket, reply).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// False when the connection shall break.
async fn answer(socket: &mut TcpStream, reply: &Reply) -> std::io::Result<bool> {
    let mut head = format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\n", reply.status);
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    // In one write: several would wait for each other's acknowledgement. The client takes each piece by itself anyway.
    let mut out = format!("{head}\r\n").into_bytes();
    for piece in reply.pieces().into_iter().filter(|piece| !piece.is_empty()) {
        out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        out.extend_from_slice(piece);
        out.extend_from_slice(b"\r\n");
    }
    if reply.then == Then::End {
        out.extend_from_slice(b"0\r\n\r\n");
    }
    socket.write_all(&out).await?;
    match reply.then {
        Then::End => Ok(true),
        Then::Drop => Ok(false),
        Then::Hang => {
            // Ends when the client leaves.
            let mut rest = [0; 64];
            while socket.read(&mut rest).await? > 0 {}
            Ok(false)
        }
    }
}

async fn request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<Asked>> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            break at;
        }
        if socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next().and_then(|l| l.split(' ').nth(1)).unwrap_or_default().to_owned();
    let headers: Vec<_> =
        lines.filter_map(|l| l.split_once(':')).map(|(n, v)| (n.trim().to_lowercase(), v.trim().to_owned())).collect();
    let length = headers.iter().find(|(n, _)| n == "content-length").map_or(0, |(_, v)| v.parse().expect("a number"));
    while buffer.len() < end + 4 + length {
        if socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let body = serde_json::from_slice(&buffer[end + 4..end + 4 + length]).unwrap_or_default();
    buffer.drain(..end + 4 + length);
    Ok(Some(Asked { path, headers, body }))
}
