//! From a path to a connection on which both sides have said hello.

use super::address::Address;
use super::peer::Peer;
use crate::server::{cbor, frame, wire};
use serde_json::Value;
use std::{
    io,
    os::unix::{ffi::OsStrExt, fs::FileTypeExt},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{io::AsyncWriteExt, net::UnixStream, time::timeout};

/// Bytes of a socket's path that every system takes.
const LONGEST: usize = 107;
/// How long a server may take to say hello.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no connection; the messages say what to do.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("no server listens at {}: start it with `panto serve`", .0.display())]
    Nobody(PathBuf),
    #[error("the server that listened at {} is gone: start it with `panto serve`", .0.display())]
    Stale(PathBuf),
    #[error("the path of a socket has at most {LONGEST} bytes, {} has {}: give a shorter one with --socket",
        .0.display(), .0.as_os_str().len())]
    TooLong(PathBuf),
    #[error("cannot speak to the server at {}: {error}", socket.display())]
    Io { socket: PathBuf, error: io::Error },
    #[error("cannot read the server's token from {}: {error}; it is made by `panto serve`, PANTO_SERVER_TOKEN gives \
        another", path.display())]
    NoToken { path: PathBuf, error: io::Error },
    #[error("the server at {} refuses the token ({message}): it has to be the one in PANTO_SERVER_TOKEN or \
        <data>/server/token of the server", socket.display())]
    Token { socket: PathBuf, message: String },
    #[error("the server at {} is of another version ({message}): start it anew with this panto", socket.display())]
    Version { socket: PathBuf, message: String },
    #[error("what listens at {} does not answer as a panto server: {why}", socket.display())]
    Foreign { socket: PathBuf, why: String },
}

/// Connects and says hello.
pub async fn dial(address: &Address) -> Result<Peer, DialError> {
    let socket = &address.socket;
    if socket.as_os_str().as_bytes().len() > LONGEST {
        return Err(DialError::TooLong(socket.clone()));
    }
    let mut stream = UnixStream::connect(socket).await.map_err(|error| refused(socket, error))?;
    let token = address.token().map_err(|(path, error)| DialError::NoToken { path, error })?;
    let foreign = |why: String| DialError::Foreign { socket: socket.clone(), why };
    match timeout(PATIENCE, greet(&mut stream, &token)).await {
        Ok(Ok(hello)) => welcome(socket, &hello)?,
        Ok(Err(why)) => return Err(foreign(why)),
        Err(_) => return Err(foreign(format!("it has said nothing for {} s", PATIENCE.as_secs()))),
    }
    Ok(Peer::start(stream))
}

fn refused(socket: &Path, error: io::Error) -> DialError {
    let is_socket = socket.metadata().is_ok_and(|found| found.file_type().is_socket());
    let socket = socket.to_owned();
    match error.kind() {
        io::ErrorKind::NotFound => DialError::Nobody(socket),
        io::ErrorKind::ConnectionRefused if !is_socket => DialError::Foreign { socket, why: "it is no socket".into() },
        io::ErrorKind::ConnectionRefused => DialError::Stale(socket),
        _ => DialError::Io { socket, error },
    }
}

/// The server's first frame.
async fn greet(stream: &mut UnixStream, token: &str) -> Result<Value, String> {
    let hello = frame::framed(&cbor::encode(&wire::hello(token))).ok_or("the token is too long")?;
    stream.write_all(&hello).await.map_err(|e| e.to_string())?;
    let bytes = frame::read(stream).await.map_err(|e| e.to_string())?;
    let bytes = bytes.ok_or("it closed the connection at once")?;
    cbor::decode(&bytes).map_err(|e| e.to_string())
}

fn welcome(socket: &Path, hello: &Value) -> Result<(), DialError> {
    let socket = socket.to_owned();
    let text = |pointer: &str| hello.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = text("/error/message");
    match (text("/type").as_str(), text("/error/code").as_str()) {
        ("hello", _) if hello["version"] == wire::VERSION => Ok(()),
        ("hello", _) => Err(DialError::Version { socket, message: format!("it speaks {}", hello["version"]) }),
        (_, "auth") => Err(DialError::Token { socket, message }),
        (_, "version") => Err(DialError::Version { socket, message }),
        ("hello_error" | "error", _) => Err(DialError::Foreign { socket, why: message }),
        (kind, _) => Err(DialError::Foreign { socket, why: format!("its first frame is of the type `{kind}`") }),
    }
}
