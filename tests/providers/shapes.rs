//! What a server sends around the events: content types, packed bodies, pages, redirects, and errors of all shapes.

use super::{
    bodies::{DONE, said, stop},
    harness::{Outcome, ad_hoc, ask, once, outcome},
    server::{Reply, Server},
};
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use futures_util::StreamExt;
use panto::{
    config::Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
    conversation::StopReason,
    provider::{ErrorKind, StreamEvent},
};
use std::{io::Write, time::Duration};

async fn answered(dialect: Dialect, reply: Reply) -> Outcome {
    let server = Server::start(vec![reply]).await;
    outcome(ask(&ad_hoc(&once(), dialect, &server.url()))).await
}

#[track_caller]
fn says_hi(got: &Outcome, how: &str) {
    assert_eq!((&got.prose[..], got.stop), (&["hi".to_owned()][..], Some(StopReason::Stop)), "{how}: {got:?}");
}

/// Kind and words of the failure.
#[track_caller]
fn failed(got: Outcome) -> (ErrorKind, String) {
    let error = got.error.expect("a failure");
    (error.kind, error.message)
}

fn hi() -> String {
    said("hi") + &stop()
}

#[tokio::test]
async fn s41_a_stream_under_a_wrong_content_type() {
    for kind in ["application/json", "text/html", "text/plain; charset=utf-8", "application/octet-stream", ""] {
        for size in [0, 1] {
            says_hi(&answered(OpenaiChat, Reply::stream(hi()).kind(kind).by(size)).await, kind);
        }
    }
}

#[tokio::test]
async fn a_document_a_line() {
    let lines = (hi().replace("data: ", "").replace("[DONE]", "")).replace("\n\n", "\n");
    says_hi(&answered(OpenaiChat, Reply::stream(lines).kind("application/x-ndjson").by(5)).await, "lines");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).expect("memory");
    packed.finish().expect("memory")
}

#[tokio::test]
async fn a_packed_stream_although_a_plain_one_was_asked_for() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(hi().as_bytes()).expect("memory");
    for (coding, body) in [
        ("gzip", gzip(&hi())),
        // Not even said to be packed, and said to be so in vain.
        ("identity", gzip(&hi())),
        ("gzip", hi().into_bytes()),
        ("deflate", zlib.finish().expect("memory")),
    ] {
        for size in [0, 1, 7] {
            let reply = Reply::stream(body.clone()).header("content-encoding", coding).by(size);
            says_hi(&answered(OpenaiChat, reply).await, coding);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_unpacked_is_named() {
    let (kind, words) = failed(answered(OpenaiChat, Reply::stream("\u{b}").header("content-encoding", "br")).await);
    assert_eq!(kind, ErrorKind::NotAStream);
    assert!(words.contains("packed (br)") && words.contains("check base URL"), "{words}");
    let mut broken = gzip(&hi().repeat(50));
    broken[20..].iter_mut().for_each(|b| *b = 0xff);
    let (kind, words) = failed(answered(OpenaiChat, Reply::stream(broken)).await);
    assert_eq!(kind, ErrorKind::Cut);
    assert!(words.contains("packed answer broke"), "{words}");
    let half = gzip(&hi())[..30].to_vec();
    assert_eq!(failed(answered(OpenaiChat, Reply::stream(half)).await).0, ErrorKind::Cut);
}

#[tokio::test]
async fn a_small_packed_body_cannot_fill_the_memory() {
    // 40 kB that would be 40 MiB of one event.
    let bomb = gzip(&format!("data: {}", "x".repeat(40 << 20)));
    let (kind, words) = failed(answered(OpenaiChat, Reply::stream(bomb)).await);
    assert_eq!(kind, ErrorKind::NotAStream);
    assert!(words.contains("larger than 16 MiB"), "{words}");
}

#[tokio::test]
async fn one_event_has_a_bound() {
    let huge = |name: &str| format!("{name}: {}", "x".repeat(17 << 20));
    for name in ["data", "event", ""] {
        let (kind, words) = failed(answered(OpenaiChat, Reply::stream(said("hi") + &huge(name))).await);
        assert_eq!(kind, ErrorKind::NotAStream, "{words}");
        assert!(words.contains("larger than 16 MiB"), "{words}");
    }
    let many = said(&"x".repeat(1 << 20)).repeat(20) + &stop();
    assert_eq!(answered(OpenaiChat, Reply::stream(many)).await.prose[0].len(), 20 << 20, "many events may be large");
}

#[tokio::test]
async fn an_empty_answer() {
    for body in ["", "\n\n", "\u{feff}", ": OPENROUTER PROCESSING\n\n: x\n\n"] {
        let (kind, words) = failed(answered(OpenaiChat, Reply::stream(body)).await);
        assert_eq!(kind, ErrorKind::Cut, "{body:?}");
        assert!(words.contains("200 from http://127") && words.contains("sent an empty answer"), "{words}");
    }
    let (kind, words) = failed(answered(OpenaiChat, Reply::status(200, "")).await);
    assert_eq!(kind, ErrorKind::NotAStream);
    assert!(words.contains("the answer is empty: check base URL"), "{words}");
}

#[tokio::test]
async fn s11_words_instead_of_events() {
    let (kind, words) = failed(answered(OpenaiChat, Reply::stream("upstream connect error\nretry: 3").by(1)).await);
    assert_eq!(kind, ErrorKind::Server);
    assert!(words.ends_with(": upstream connect error"), "{words}");
}

#[tokio::test]
async fn s11_errors_as_whole_documents() {
    for (dialect, body, kind, what) in [
        (OpenaiChat, r#"{"detail":"Not authenticated"}"#, ErrorKind::Server, "Not authenticated"),
        (OpenaiChat, r#"[{"error":{"code":401,"message":"bad key"}}]"#, ErrorKind::Auth, "bad key"),
        (OpenaiChat, r#"{"error":"model is loading"}"#, ErrorKind::Server, "model is loading"),
        (
            OpenaiChat,
            r#"{"object":"error","message":"no such model","code":404}"#,
            ErrorKind::NotFound,
            "no such model",
        ),
        (
            AnthropicMessages,
            r#"{"type":"error","error":{"type":"not_found_error","message":"x"}}"#,
            ErrorKind::NotFound,
            "x",
        ),
        (OpenaiResponses, r#"{"error":{"message":"no","code":"invalid_api_key"}}"#, ErrorKind::Auth, "no"),
        (
            OpenaiResponses,
            r#"{"object":"response","status":"failed","error":{"code":"server_error","message":"y"}}"#,
            ErrorKind::Server,
            "y",
        ),
    ] {
        let (got, words) = failed(answered(dialect, Reply::status(200, body)).await);
        assert_eq!(got, kind, "{body}: {words}");
        assert!(words.contains(what), "{words}");
    }
}

#[tokio::test]
async fn s41_refusals_in_other_shapes() {
    for (body, what) in [
        ("data: {\"error\":{\"message\":\"as an event\"}}\n\n", ": as an event"),
        ("event: error\ndata: {\"error\":\"as a named event\"}\n\n", ": as a named event"),
        (r#"[{"error":{"message":"in a list"}}]"#, ": in a list"),
        (r#"{"errors":[{"message":"one of several"}]}"#, ": one of several"),
        (r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, ": field required"),
        ("just words", ": just words"),
        ("", "chat/completions"),
    ] {
        let (kind, words) = failed(answered(OpenaiChat, Reply::status(422, body)).await);
        assert_eq!(kind, ErrorKind::BadRequest);
        assert!(words.starts_with("422 from http://127") && words.ends_with(what), "{body}: {words}");
    }
    let packed = Reply { status: 400, ..Reply::stream(gzip(r#"{"error":{"message":"packed"}}"#)) };
    let (_, words) = failed(answered(OpenaiChat, packed.header("content-encoding", "gzip")).await);
    assert!(words.ends_with(": packed"), "{words}");
}

#[tokio::test]
async fn a_redirect_says_where_to() {
    for status in [301, 302, 307, 308] {
        let reply = Reply::status(status, "").header("location", "https://user:pw@other.example/v2?key=secret");
        let (kind, words) = failed(answered(OpenaiChat, reply).await);
        assert_eq!(kind, ErrorKind::Config);
        assert!(words.contains("elsewhere to https://other.example/v2: check base URL"), "{words}");
    }
}

#[tokio::test]
async fn s40_the_body_names_the_wait() {
    for body in [
        r#"{"error":{"message":"x","retry_after":7}}"#,
        r#"{"error":{"message":"x"},"retry_after_seconds":"7"}"#,
        r#"[{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}]"#,
    ] {
        let server = Server::start(vec![Reply::status(429, body)]).await;
        let mut events = ask(&ad_hoc(&panto::config::Options::default(), OpenaiChat, &server.url()));
        let Some(StreamEvent::Retrying { wait, .. }) = events.next().await else { panic!("a retry") };
        assert_eq!(wait, Duration::from_secs(7), "{body}");
    }
}

#[tokio::test]
async fn s08_the_body_is_shorter_than_it_says() {
    // The connection ends in the middle of a chunk of the transfer coding.
    let reply = Reply::stream(said("hi") + DONE.trim_end_matches("]\n\n")).then(super::server::Then::Drop);
    assert_eq!(failed(answered(OpenaiChat, reply).await).0, ErrorKind::Cut);
}
