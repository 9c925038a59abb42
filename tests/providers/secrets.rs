//! A planted key is in nothing that the program writes: screens, logs at their finest, sessions, errors, listings, the
//! environment of children. The server repeats each key that it gets, as some do.

use super::server::{Reply, Server};
use crate::support::{World, world::Ran};
use std::{fs, path::Path};

/// Of no known shape, so that nothing but its place gives it away.
const ENV: &str = "planted0in0the0environment";
const KEPT: &str = "planted0by0a0login";
const CONFIG: &str = "planted0in0a0configuration";
const HEADER: &str = "planted0in0a0header";
const USER: &str = "planted0before0the0host";
const QUERY: &str = "planted0behind0the0path";
const ALL: [&str; 6] = [ENV, KEPT, CONFIG, HEADER, USER, QUERY];

/// A refusal that repeats what came with the request.
fn refusal(keys: &[&str]) -> Reply {
    Reply::status(401, &format!(r#"{{"error":{{"message":"wrong key: {}"}}}}"#, keys.join(" ")))
}

/// What the person has written down with the keys in it.
const OWN: [&str; 2] = ["auth.json", "config.toml"];

fn files(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, found),
            false if OWN.contains(&entry.file_name().to_string_lossy().as_ref()) => {}
            false => {
                let bytes = fs::read(&path).unwrap_or_default();
                found.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
}

#[track_caller]
fn silent(world: &World, ran: &[Ran]) {
    let mut texts: Vec<(String, String)> = vec![];
    files(&world.data(), &mut texts);
    files(&world.project(), &mut texts);
    assert!(
        texts.iter().any(|(path, _)| path.contains("sessions") && path.ends_with(".jsonl")),
        "there are sessions to look at"
    );
    texts.extend(ran.iter().map(|ran| ("output".to_owned(), format!("{ran:?}"))));
    for (place, text) in texts {
        for key in ALL {
            assert!(!text.contains(key), "{key} is in {place}:\n{text}");
        }
    }
}

fn config(url: &str) -> String {
    let url = url.replace("http://", &format!("http://me:{USER}@"));
    format!(
        "[network]\nretries = 1\n[providers.mine]\nbase_url = '{url}/v1?key={QUERY}'\napi_key = '{CONFIG}'\n\
         headers = {{ x-mine = '{HEADER}' }}\nmodels = [ {{ id = 'm' }} ]\n\
         [providers.groq]\nbase_url = '{url}/v1'\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_keys_are_in_nothing_that_is_written() {
    let mine = [CONFIG, HEADER, USER, QUERY];
    let asked = [&[ENV, QUERY][..], &mine, &[KEPT, USER], &mine];
    // The refresh asks three at once.
    let later = [&[][..], &[], &[], &[KEPT, USER]];
    let server = Server::start(asked.iter().chain(&later).map(|keys| refusal(keys)).collect()).await;
    let mut world = World::new();
    world.user("config.toml", &config(&server.url()));
    world.set("PANTO_BASE_URL", &format!("{}/v1?key={QUERY}", server.url())).set("PANTO_API_KEY", ENV);
    let ran = tokio::task::spawn_blocking(move || {
        let mut ran = vec![world.run_with(&["login", "groq", "--no-check"], KEPT).ok()];
        for model in ["env:m", "mine:m", "groq:m"] {
            ran.push(world.run(&["-p", "hi", "--model", model, "--log", "trace"]));
            assert_eq!(ran.last().map(|r| r.code), Some(4), "{ran:?}");
        }
        ran.push(world.run(&["-p", "hi", "--model", "mine:m", "--output-format", "stream-json", "--log", "trace"]));
        for listing in
            [&["config"][..], &["config", "--show-origin"], &["models", "--refresh"], &["models"], &["doctor"]]
        {
            ran.push(world.run(listing));
        }
        ran.push(world.run_with(&["login", "groq", "--log", "trace"], KEPT));
        (world, ran)
    });
    let (world, ran) = ran.await.expect("it runs");
    assert!(server.asked().iter().any(|a| a.header("x-mine") == Some(HEADER)), "the keys were on their way");
    let log = fs::read_to_string(world.data().join("log/panto.log")).expect("a log to look at");
    assert!(log.contains("401") && log.contains("(secret)"), "{log}");
    silent(&world, &ran);
}

#[tokio::test(flavor = "multi_thread")]
async fn children_do_not_get_them() {
    let call = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"std_shell","arguments":"{\"command\":\"env; echo all-of-it\"}"}}]},"finish_reason":"tool_calls"}]}"#;
    let text = r#"data: {"choices":[{"delta":{"content":"done"},"finish_reason":"stop"}]}"#;
    let end = "\n\ndata: [DONE]\n\n";
    let server = Server::start([call, text].map(|event| Reply::stream(format!("{event}{end}"))).to_vec()).await;
    let mut world = World::new();
    world.user("config.toml", "[providers.mine]\nbase_url = 'http://h'\napi_key_env = 'MINE'");
    world.set("PANTO_BASE_URL", &server.url()).set("PANTO_API_KEY", ENV).set("MINE", CONFIG);
    let ran = tokio::task::spawn_blocking(move || {
        let ran = world.run(&["-p", "hi", "--model", "env:m", "--log", "trace"]).ok();
        (world, ran)
    });
    let (world, ran) = ran.await.expect("it runs");
    let said = server.asked()[1].body.to_string();
    assert!(said.contains("all-of-it") && said.contains("PATH="), "{said}");
    assert!(ALL.iter().all(|key| !said.contains(key)), "{said}");
    silent(&world, &[ran]);
}
