//! Refusals, broken connections, silence, and trying again.

use super::{
    harness::{ad_hoc, ask, once, outcome},
    server::{Reply, Server, Then},
};
use futures_util::StreamExt;
use panto::{
    config::{Dialect, Options},
    conversation::StopReason,
    provider::{ErrorKind, StreamEvent},
};
use std::time::{Duration, Instant};

fn said(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n")
}

const STOP: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

async fn asked(options: &Options, replies: Vec<Reply>) -> (super::harness::Outcome, Server) {
    let server = Server::start(replies).await;
    let got = outcome(ask(&ad_hoc(options, Dialect::OpenaiChat, &server.url()))).await;
    (got, server)
}

#[tokio::test]
async fn some_statuses_are_final() {
    for (status, kind) in [
        (400, ErrorKind::BadRequest),
        (401, ErrorKind::Auth),
        (403, ErrorKind::Auth),
        (404, ErrorKind::NotFound),
        (413, ErrorKind::TooLarge),
        (422, ErrorKind::BadRequest),
        (301, ErrorKind::Config),
    ] {
        let reply = Reply::status(status, r#"{"error":{"message":"SERVER-SAYS-NO"}}"#);
        let (got, server) = asked(&Options::default(), vec![reply]).await;
        assert_eq!((got.failed, got.retries, server.asked().len()), (Some(kind), 0, 1), "{status}");
        let error = got.error.expect("an error");
        assert_eq!(error.status, Some(status));
        assert!(error.message.contains(&status.to_string()), "{error}");
        assert!(error.message.contains(&format!("{}/v1/chat/completions", server.url())), "{error}");
        assert!(status == 301 || error.message.contains("SERVER-SAYS-NO"), "{error}");
        assert!(!error.message.contains("sk-test"));
    }
}

#[tokio::test]
async fn s40_a_refusal_that_passes_is_tried_again() {
    let busy = r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#;
    for status in [408, 409, 429, 500, 503, 529] {
        let first = Reply::status(status, busy).header("retry-after", "0.05");
        let (got, server) = asked(&Options::default(), vec![first, Reply::stream(said("hi") + STOP)]).await;
        assert_eq!((got.prose, got.retries, server.asked().len()), (vec!["hi".to_owned()], 1, 2), "{status}");
    }
}

#[tokio::test]
async fn s40_the_server_names_the_wait() {
    let in_two_seconds = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(3));
    for (value, least) in [("7", 7), (in_two_seconds.as_str(), 1), ("9999", 120)] {
        let server = Server::start(vec![Reply::status(529, "{}").header("retry-after", value)]).await;
        let mut events = ask(&ad_hoc(&Options::default(), Dialect::OpenaiChat, &server.url()));
        let Some(StreamEvent::Retrying { attempt, of, wait, error }) = events.next().await else { panic!("a retry") };
        assert_eq!((attempt, of, error.status), (1, 6, Some(529)));
        assert!(wait >= Duration::from_secs(least) && wait <= Duration::from_secs(120), "{value}: {wait:?}");
    }
}

#[tokio::test]
async fn retries_are_counted() {
    let mut options = Options::default();
    options.network.retries = 2;
    let reply = Reply::status(503, r#"{"error":{"message":"TRY-LATER"}}"#).header("retry-after", "0.01");
    let (got, server) = asked(&options, vec![reply]).await;
    assert_eq!((got.failed, got.retries, server.asked().len()), (Some(ErrorKind::Server), 2, 3));
    assert!(got.error.expect("an error").message.contains("TRY-LATER"));
}

#[tokio::test]
async fn s38_a_second_attempt_begins_clean() {
    let call = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"sh\",\"arguments\":\"{\\\"pa\"}}]}}]}\n\n";
    let broken = Reply::stream(said("Hello wo") + call).then(Then::Drop);
    let (got, _server) = asked(&Options::default(), vec![broken, Reply::stream(said("Hello world") + STOP)]).await;
    assert_eq!((got.prose, got.calls.len(), got.retries), (vec!["Hello world".to_owned()], 0, 1));
    assert_eq!(got.stop, Some(StopReason::Stop));
}

#[tokio::test]
async fn s08_a_broken_stream_keeps_its_text() {
    let (got, _server) = asked(&once(), vec![Reply::stream(said("hi")).then(Then::Drop)]).await;
    assert_eq!((got.prose, got.failed), (vec!["hi".to_owned()], Some(ErrorKind::Cut)));
}

#[tokio::test]
async fn a_stream_that_breaks_behind_its_stop_reason_is_whole() {
    let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let (got, _server) = asked(&once(), vec![Reply::stream(said("hi") + stop).then(Then::Drop)]).await;
    assert_eq!((got.prose, got.stop), (vec!["hi".to_owned()], Some(StopReason::Stop)));
}

#[tokio::test]
async fn s37_silence_ends_an_attempt() {
    let mut options = once();
    options.network.idle_timeout = 1;
    let (got, mut server) = asked(&options, vec![Reply::stream(said("hi")).then(Then::Hang)]).await;
    assert_eq!((got.prose, got.failed), (vec!["hi".to_owned()], Some(ErrorKind::Idle)));
    assert!(got.failed.is_some_and(ErrorKind::retryable));
    server.left(1).await;
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let replies = [Reply::stream(said("hi")).then(Then::Hang), Reply::stream("").then(Then::Hang)];
    for (n, reply) in replies.into_iter().enumerate() {
        let mut server = Server::start(vec![reply]).await;
        let mut events = ask(&ad_hoc(&Options::default(), Dialect::OpenaiChat, &server.url()));
        if n == 0 {
            while !matches!(events.next().await, Some(StreamEvent::Delta { .. })) {}
        } else {
            // Waits for the head of an answer whose body never comes.
            assert!(tokio::time::timeout(Duration::from_millis(300), events.next()).await.is_err());
        }
        let dropped = Instant::now();
        drop(events);
        server.left(1).await;
        assert!(dropped.elapsed() < Duration::from_millis(100), "{:?}", dropped.elapsed());
    }
}

#[tokio::test]
async fn s41_a_page_is_no_stream() {
    let page = "<html><title>Login</title><body>SIGN-IN-HERE</body></html>";
    for reply in [
        Reply::stream(page).kind("text/html; charset=utf-8"),
        Reply::stream(page),
        Reply::stream("\n  <!doctype html>SIGN-IN-HERE").kind("text/plain").by(1),
        Reply::status(200, r#"{"hello":"SIGN-IN-HERE"}"#),
        Reply::stream("SIGN-IN-HERE").kind("text/plain"),
    ] {
        let (got, server) = asked(&Options::default(), vec![reply]).await;
        assert_eq!((got.failed, got.retries), (Some(ErrorKind::NotAStream), 0));
        let error = got.error.expect("an error").message;
        assert!(error.contains("200") && error.contains(&server.url()), "{error}");
        assert!(error.contains("not an event stream: check base URL") && !error.contains("SIGN-IN"), "{error}");
    }
    let (got, _server) = asked(
        &once(),
        vec![Reply::stream(page).kind("text/html"); 1].into_iter().map(|r| Reply { status: 504, ..r }).collect(),
    )
    .await;
    let error = got.error.expect("an error").message;
    assert!(error.contains("504") && error.contains("check base URL") && !error.contains("SIGN-IN"), "{error}");
}

#[tokio::test]
async fn nobody_listens() {
    let url = Server::start(vec![]).await.url();
    let got = outcome(ask(&ad_hoc(&once(), Dialect::OpenaiChat, &url))).await;
    assert_eq!(got.failed, Some(ErrorKind::Connection));
    let error = got.error.expect("an error").message;
    assert!(error.contains(&url) && error.contains("Is the server running?"), "{error}");
}

#[tokio::test]
async fn connections_are_kept() {
    let mut server = Server::start(vec![Reply::stream(said("hi") + STOP)]).await;
    let resolved = ad_hoc(&once(), Dialect::OpenaiChat, &server.url());
    for _ in 0..3 {
        assert_eq!(outcome(ask(&resolved)).await.stop, Some(StopReason::Stop));
    }
    drop(resolved);
    // All three requests came over one connection, which ends with its client.
    server.left(1).await;
    assert_eq!(server.asked().len(), 3);
}
