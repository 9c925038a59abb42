//! Over a real socket: dialling, what no server of ours would say, and coming back.

use super::*;
use crate::backend::{Link, OpenMode, SessionTarget};
use crate::server::client::{Address, Remote};
use crate::server::frame;
use std::path::Path;
use std::time::Duration;
use tokio::{
    io::AsyncWriteExt,
    net::{UnixListener, UnixStream},
    time::timeout,
};

/// The server's end, with a socket in a folder of its own.
struct Server {
    folder: tempfile::TempDir,
    listener: UnixListener,
}

/// One connection, as the server sees it.
struct Guest(UnixStream);

fn address(folder: &Path) -> Address {
    Address::new(folder.join("s.sock"), Some("secret".into()), folder)
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = UnixListener::bind(folder.path().join("s.sock")).expect("a socket");
        Server { folder, listener }
    }

    fn address(&self) -> Address {
        address(self.folder.path())
    }

    /// The next connection, greeted.
    async fn guest(&self) -> Guest {
        let (stream, _) = self.listener.accept().await.expect("a connection");
        let mut guest = Guest(stream);
        let hello: wire::Hello = serde_json::from_value(guest.read().await).expect("a hello and nothing else");
        assert_eq!((hello.r#type.as_str(), hello.version, hello.token.as_str()), ("hello", json!(1), "secret"));
        guest.say(wire::hello_back("c", json!({"revision": 1, "sessions": [], "models": []}))).await;
        guest
    }
}

impl Guest {
    async fn read(&mut self) -> Value {
        let bytes = timeout(Duration::from_secs(10), frame::read(&mut self.0)).await.expect("in time");
        cbor::decode(&bytes.expect("a frame").expect("not the end")).expect("CBOR")
    }

    async fn say(&mut self, frame: Value) {
        self.0.write_all(&frame::framed(&cbor::encode(&frame)).expect("small")).await.expect("sent");
    }

    async fn answer(&mut self, method: &str, result: Value) {
        let request = wire::request(self.read().await).expect("a request");
        assert_eq!(request.method, method);
        self.say(wire::response(&request.id, Ok(result))).await;
    }
}

async fn refusal_of(address: Address) -> String {
    match Remote::connect(address, "/".into()).await {
        Ok(_) => panic!("connected"),
        Err(error) => error.to_string(),
    }
}

async fn next(link: &mut Link) -> String {
    let event = timeout(Duration::from_secs(10), link.events.recv()).await.expect("in time");
    short(&event.expect("an event"))
}

/// A face on the session `s`, and the server's end of it.
async fn attached(server: &Server) -> (Link, Guest) {
    let (remote, mut guest) = tokio::join!(Remote::connect(server.address(), "/".into()), server.guest());
    let remote = remote.expect("connected");
    let target = SessionTarget::Id("s".into());
    let wanted = Wanted::Existing { target, mode: OpenMode::Write };
    let answer = guest.answer("attach", json!({"session": whole("s", 1, &["one"])}));
    let (opened, ()) = tokio::join!(remote.open(wanted, Settings::default()), answer);
    opened.expect("opened");
    let mut link = remote.link();
    assert_eq!(next(&mut link).await, "opened s: one");
    (link, guest)
}

#[tokio::test]
async fn every_way_to_find_no_server_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(refusal_of(address(folder.path())).await.contains("start it with `panto serve`"));
    drop(UnixListener::bind(folder.path().join("s.sock")).expect("a socket"));
    let stale = refusal_of(address(folder.path())).await;
    assert!(stale.contains("is gone") && stale.contains("panto serve"), "{stale}");
    let long = refusal_of(address(&folder.path().join("x".repeat(120)))).await;
    assert!(long.contains("107 bytes") && long.contains("--socket"), "{long}");
    let file = folder.path().join("f");
    std::fs::create_dir_all(file.join("s.sock")).expect("a folder in its place");
    assert!(refusal_of(address(&file)).await.contains("no socket"));
}

#[tokio::test]
async fn a_server_that_does_not_want_us_says_why() {
    for (frame, part) in [
        (json!({"type": "hello_error", "error": {"code": "auth", "message": "no"}}), "PANTO_SERVER_TOKEN"),
        (json!({"type": "hello_error", "error": {"code": "version", "message": "1"}}), "another version"),
        (json!({"type": "hello", "version": 2}), "it speaks 2"),
        (json!({"type": "greeting"}), "`greeting`"),
        (json!([1]), "does not answer as a panto server"),
    ] {
        let server = Server::start();
        let address = server.address();
        let refused = tokio::spawn(async move { refusal_of(address).await });
        let mut guest = Guest(server.listener.accept().await.expect("a connection").0);
        guest.read().await;
        guest.say(frame).await;
        let refused = refused.await.expect("refused");
        assert!(refused.contains(part), "{refused}");
    }
    let server = Server::start();
    let refused = tokio::spawn(refusal_of(server.address()));
    drop(server.listener.accept().await);
    assert!(refused.await.expect("refused").contains("does not answer as a panto server"));
}

#[tokio::test]
async fn leaving_detaches_and_waits_for_what_was_said_last() {
    let server = Server::start();
    let (link, mut guest) = attached(&server).await;
    let prompt = link.send(Command::Prompt { text: "last words".into(), images: vec![] });
    let left = link.send(Command::Shutdown);
    guest.answer("prompt", json!({"session": session("s", 1, 11)})).await;
    guest.answer("detach", json!({"session_id": "s"})).await;
    assert!(matches!(prompt.await, Ok(Ok(Reply::Done))));
    assert!(matches!(left.await, Ok(Ok(Reply::Done))));
    assert!(frame::read(&mut guest.0).await.expect("no error").is_none(), "the connection ends");
}

#[tokio::test]
async fn a_face_that_is_dropped_ends_the_connection() {
    let server = Server::start();
    let (link, mut guest) = attached(&server).await;
    drop(link);
    guest.answer("detach", json!({"session_id": "s"})).await;
    assert!(frame::read(&mut guest.0).await.expect("no error").is_none());
}

#[tokio::test]
async fn a_lost_connection_is_made_again() {
    let server = Server::start();
    let (mut link, guest) = attached(&server).await;
    let prompt = link.send(Command::Prompt { text: "x".into(), images: vec![] });
    drop(guest);
    assert!(next(&mut link).await.contains("trying to reach it again"));
    assert!(matches!(prompt.await, Ok(Err(_))));
    let mut guest = server.guest().await;
    guest.answer("attach", json!({"session": whole("s", 2, &["one", "two"])})).await;
    assert_eq!(next(&mut link).await, "changed Idle no connection, trying again");
    assert_eq!(next(&mut link).await, "opened s: one two");
    assert_eq!(next(&mut link).await, "Info: the server is back: attached again");
}

#[tokio::test]
async fn leaving_works_while_there_is_no_server() {
    let server = Server::start();
    let (mut link, guest) = attached(&server).await;
    drop((guest, server));
    assert!(next(&mut link).await.contains("trying to reach it again"));
    let left = timeout(Duration::from_secs(5), link.send(Command::Shutdown)).await;
    assert!(matches!(left, Ok(Ok(Ok(Reply::Done)))));
}

/// Whatever comes: the face hears that the connection is lost, and nothing else happens.
#[tokio::test]
async fn hostile_bytes_cost_the_connection_and_no_more() {
    let giant = u32::MAX.to_be_bytes().to_vec();
    let indefinite = frame::framed(b"\xbf\x61a\x01\xff").expect("small");
    let text = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let farewell = frame::framed(&cbor::encode(&json!({"type": "error", "error": {"message": "too slow"}})));
    for (bytes, part) in [
        (giant, "cannot be read"),
        (indefinite, "definite"),
        (text, "cannot be read"),
        (farewell.expect("small"), "too slow"),
    ] {
        let server = Server::start();
        let (mut link, mut guest) = attached(&server).await;
        guest.0.write_all(&bytes).await.expect("sent");
        let told = next(&mut link).await;
        assert!(told.contains(part) && told.contains("trying to reach it again"), "{told}");
        drop(server.guest().await);
    }
}

#[tokio::test]
async fn frames_that_mean_nothing_are_passed_over() {
    let server = Server::start();
    let (mut link, mut guest) = attached(&server).await;
    for frame in [
        json!(3),
        json!({"type": "request", "id": 1}),
        json!({"type": "response", "id": "text", "ok": true}),
        json!({"type": "response", "id": 999, "ok": true, "result": {}}),
        json!({"type": "event", "event": "server_changed", "data": {}}),
        json!({"type": "event", "event": "item_started", "session_id": "s"}),
        json!({"type": "event", "event": "session_changed", "session_id": "s", "data": {"session": {"id": 3}}}),
    ] {
        guest.say(frame).await;
    }
    guest.say(json!({"type": "event", "event": "assistant_delta", "session_id": "s", "data": delta("one", "x")})).await;
    assert_eq!(next(&mut link).await, "one + x");
    for (result, code) in [(json!({"ok": 3}), Code::Internal), (json!({"error": {"code": "new"}}), Code::Internal)] {
        let models = link.send(Command::ListModels);
        let request = wire::request(guest.read().await).expect("a request");
        let mut frame = result;
        frame["type"] = "response".into();
        frame["id"] = request.id;
        guest.say(frame).await;
        assert!(matches!(models.await, Ok(Err(e)) if e.code == code));
    }
}
