//! `panto.http` against a server on the loopback.

use super::library::probe_with;
use super::{Bench, on_tokio};
use crate::support::wait::until;
use panto::tool::ToolSource;
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What was asked, and how many connections are open.
#[derive(Default)]
struct Seen {
    heads: RefCell<Vec<String>>,
    open: RefCell<usize>,
}

/// Runs `test` with the address of a server that knows a few paths.
async fn served<Fut: Future<Output = ()>>(test: impl FnOnce(String, Rc<Seen>) -> Fut) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = Rc::new(Seen::default());
    let local = tokio::task::LocalSet::new();
    let heard = seen.clone();
    local.spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::task::spawn_local(answer(stream, heard.clone()));
        }
    });
    local.run_until(test(address, seen)).await;
}

async fn answer(mut stream: TcpStream, seen: Rc<Seen>) {
    *seen.open.borrow_mut() += 1;
    let mut head = Vec::new();
    while !head.windows(4).any(|w| w == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await.unwrap_or(0) == 0 {
            *seen.open.borrow_mut() -= 1;
            return;
        }
    }
    let text = String::from_utf8_lossy(&head).into_owned();
    let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.heads.borrow_mut().push(text.clone());
    let long = "x".repeat(5000);
    let (status, extra, body) = match path.split('?').next().unwrap_or_default() {
        "/moved" => ("302 Found", "location: /plain\r\n", ""),
        "/round" => ("302 Found", "location: /round\r\n", ""),
        "/long" => ("200 OK", "", long.as_str()),
        "/missing" => ("404 Not Found", "", "no such thing"),
        "/slow" => ("200 OK", "x-twice: a\r\nx-twice: b\r\n", "one;two;three;"),
        "/hangs" => ("200 OK", "", "first"),
        _ => ("200 OK", "content-type: text/plain\r\n", "plain"),
    };
    let length = if path == "/hangs" { 100 } else { body.len() };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{extra}\r\n");
    let _ = stream.write_all(head.as_bytes()).await;
    for piece in body.split_inclusive(';') {
        let _ = stream.write_all(piece.as_bytes()).await;
        tokio::task::yield_now().await;
    }
    if path == "/hangs" {
        let _ = stream.read(&mut [0; 16]).await;
    }
    *seen.open.borrow_mut() -= 1;
}

#[test]
fn a_request_says_what_it_is_told_and_gets_the_answer() {
    on_tokio(served(|address, seen| async move {
        let body = format!(
            r#"local r = panto.http.request{{url = "http://{address}/x", query = {{q = "a b"}}, json = {{k = {{1}}}}, headers = {{["X-Key"] = "v"}}}}
            local m = panto.http.request{{url = "http://{address}/missing"}}
            local moved = panto.http.request{{url = "http://{address}/moved"}}
            local stays = panto.http.request{{url = "http://{address}/moved", redirects = false}}
            return {{r.status, r.body, r.headers["content-type"], m.status, m.body, moved.body, moved.url, stays.status, stays.headers.location}}"#
        );
        let url = format!("http://{address}/plain");
        let expected = json!([200, "plain", "text/plain", 404, "no such thing", "plain", url, 302, "/plain"]);
        assert_eq!(probe_with("", &body).await, expected.to_string());
        let heads = seen.heads.borrow();
        assert!(heads[0].starts_with("POST /x?q=a+b HTTP/1.1\r\n"), "{}", heads[0]);
        let has = |line: &str| heads[0].to_lowercase().contains(line);
        assert!(has("content-type: application/json") && has("x-key: v") && has("user-agent: panto/"), "{}", heads[0]);
        assert!(heads[0].ends_with(r#"{"k":[1]}"#) || has("content-length: 9"), "{}", heads[0]);
    }));
}

#[test]
fn a_stream_comes_in_pieces_to_code_that_may_wait() {
    on_tokio(served(|address, _| async move {
        let body = format!(
            r#"local heard = {{}}
            local r = panto.http.stream{{url = "http://{address}/slow", on_chunk = function(chunk, answer)
                panto.task.sleep(0.001)
                heard[#heard + 1] = chunk assert(answer.status == 200)
            end}}
            local first = panto.http.stream{{url = "http://{address}/hangs", on_chunk = function() return false end}}
            return table.concat(heard) .. r.bytes .. " " .. r.headers["x-twice"] .. " " .. first.bytes"#
        );
        assert_eq!(probe_with("", &body).await, "one;two;three;14 a, b 5");
    }));
}

#[test]
fn what_fails_names_the_address_without_its_secrets() {
    on_tokio(served(|address, _| async move {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        for (options, expected) in [
            (format!("url = 'http://me:secret@{free}/a?key=secret'"), format!("panto.http.request: http://{free}/a: ")),
            (
                format!("url = 'http://{address}/long', max_bytes = 100"),
                "longer than 100 bytes: raise `max_bytes`".into(),
            ),
            (
                format!("url = 'http://{address}/hangs', timeout = 0.1"),
                "/hangs: not done after 0.1 s (`timeout`)".into(),
            ),
            (format!("url = 'http://{address}/hangs', idle_timeout = 0.1"), "/hangs: silent for 0.1 s".into()),
            (format!("url = 'http://{address}/round'"), "/round: more than 10 redirects".into()),
            ("url = 'ftp://h/x'".into(), "`url` must begin with http:// or https://".into()),
            ("url = 'nonsense'".into(), "`url` is none".into()),
            ("".into(), "`url` is missing".into()),
            ("url = 'http://h', body = 'x', json = 1".into(), "either `body` or `json`".into()),
            ("url = 'http://h', json = {print}".into(), "`json` is no JSON: a value of type function at 1".into()),
            ("url = 'http://h', headers = {a = 'x\\r\\ny: secret'}".into(), "the value of header `a`".into()),
            ("url = 'http://h', timeout = -1".into(), "`timeout` must be above 0 seconds".into()),
        ] {
            let text = probe_with("", &format!("panto.http.request{{{options}}}")).await;
            assert!(text.contains("t.lua:1: panto.http.request: ") && text.contains(&expected), "{options}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
        let text = probe_with("", "panto.http.stream{url = 'http://h'}").await;
        assert!(text.contains("t.lua:1: panto.http.stream: `on_chunk` must be a function"), "{text}");
        let body = format!("panto.http.stream{{url = 'http://{free}/', on_chunk = print}}");
        let text = probe_with("", &body).await;
        assert!(text.contains(&format!("t.lua:1: panto.http.stream: http://{free}/: ")), "{text}");
    }));
}

#[test]
fn a_cancelled_call_drops_its_connection() {
    on_tokio(served(|address, seen| async move {
        for function in [
            format!("panto.http.stream{{url = 'http://{address}/hangs', on_chunk = function() end}}"),
            format!("panto.http.request{{url = 'http://{address}/hangs'}}"),
        ] {
            let tool = format!(
                "panto.register_tool{{name='probe', description='d', schema={{type='object'}}, handler=function() {function} end}}"
            );
            let b = Bench::with(|_| {}, &tool).await;
            let call = b.prepared("probe", json!({}));
            let cancel = call.cancel.clone();
            let (updates, _received) = tokio::sync::mpsc::unbounded_channel();
            let running = tokio::task::spawn_local(b.handle.run(vec![call], updates));
            until("the connection", || *seen.open.borrow() == 1).await;
            cancel.cancel();
            until("its end", || *seen.open.borrow() == 0).await;
            running.await.unwrap();
        }
    }));
}
