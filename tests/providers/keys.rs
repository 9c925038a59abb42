//! Keys that are kept: `panto login` and `panto logout`.

use super::{
    harness::{ask, once, outcome, providers_in},
    server::{Reply, Server},
};
use crate::support::{Terminal, World};
use panto::{
    config::{Options, ProviderConfig},
    provider::{ErrorKind, Place, Providers},
};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const MODELS: &str = r#"{"data":[{"id":"gpt-5"}]}"#;
const KEY: &str = "sk-kept-0123456789";

fn openai_at(url: &str) -> Options {
    let mut options = once();
    options.network.connect_timeout = 1;
    let config = ProviderConfig { base_url: Some(url.to_owned()), ..ProviderConfig::default() };
    options.providers.insert("openai".into(), config);
    options
}

fn at(data: &Path, url: &str) -> Providers {
    providers_in(data, &openai_at(url), &[])
}

#[tokio::test]
async fn a_key_is_checked_kept_used_and_forgotten() {
    let server = Server::start(vec![Reply::status(200, MODELS), Reply::status(400, "{}")]).await;
    let data = tempfile::tempdir().expect("a folder");
    let providers = at(data.path(), &server.url());
    let done = providers.login("openai", &format!(" {KEY}\n"), true, false).await.expect("the key works");
    assert_eq!((done.place, done.checked, &done.before), (Place::File, true, &None));
    let file = data.path().join("auth.json");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    outcome(ask(&providers.resolve("openai:gpt-5").expect("a model"))).await;
    let bearer = format!("Bearer {KEY}");
    let asked: Vec<_> =
        server.asked().iter().map(|a| (a.path.clone(), a.header("authorization") == Some(&bearer))).collect();
    assert_eq!(asked, [("/v1/models".to_owned(), true), ("/v1/responses".to_owned(), true)]);
    let origins = |p: &Providers| p.keys().into_iter().find(|k| k.provider == "openai").map(|k| (k.origins, k.kept));
    assert_eq!(origins(&providers), Some((vec!["auth.json".to_owned()], true)));
    assert!(providers.logout("openai").await.expect("forgotten").contains("forgotten"));
    assert_eq!(origins(&providers), Some((vec![], false)));
    assert_eq!(providers.logout("openai").await.map_err(|e| e.kind), Err(ErrorKind::NotFound));
}

#[tokio::test]
async fn a_key_that_is_refused_is_not_kept_and_not_repeated() {
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    let server = Server::start(vec![Reply::status(401, &body)]).await;
    let data = tempfile::tempdir().expect("a folder");
    let error = at(data.path(), &server.url()).login("openai", KEY, true, false).await.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Auth);
    assert!(error.message.contains("nothing was kept") && !error.message.contains(KEY), "{error}");
    assert!(!data.path().join("auth.json").exists());
}

#[tokio::test]
async fn a_server_without_a_list_cannot_check_and_one_that_is_down_keeps_nothing() {
    let server = Server::start(vec![Reply::status(404, "{}")]).await;
    let data = tempfile::tempdir().expect("a folder");
    let done = at(data.path(), &server.url()).login("openai", KEY, true, false).await.expect("kept");
    assert!(!done.checked && done.to_string().contains("was not checked"), "{done}");
    let data = tempfile::tempdir().expect("a folder");
    let down = at(data.path(), "http://127.0.0.1:9");
    let error = down.login("openai", KEY, true, false).await.expect_err("no server");
    assert!(error.message.contains("cannot be checked") && error.message.contains("--no-check"), "{error}");
    assert!(down.kept_keys().is_empty());
    assert!(down.login("openai", KEY, false, false).await.is_ok());
    assert_eq!(down.kept_keys(), ["openai"]);
}

#[tokio::test]
async fn what_counts_before_a_kept_key_is_said() {
    let data = tempfile::tempdir().expect("a folder");
    let providers = providers_in(data.path(), &Options::default(), &[("OPENAI_API_KEY", "sk-env")]);
    let done = providers.login("openai", KEY, false, false).await.expect("kept");
    assert!(done.to_string().contains("OPENAI_API_KEY is set and counts before it"), "{done}");
    for (name, part) in [("opnai", "`openai`"), ("faux", "demo"), ("env", "PANTO_API_KEY")] {
        let error = providers.login(name, KEY, false, false).await.expect_err("nobody's key").to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn the_program_takes_a_piped_key_and_names_where_keys_come_from() {
    let world = World::new();
    let login = world.run_with(&["login", "groq", "--no-check"], &format!("\n{KEY}\n")).ok();
    assert!(login.out.contains("groq") && login.out.contains("auth.json"), "there is no keyring here: {login:?}");
    let config = world.run(&["config", "--show-origin"]).ok();
    assert!(
        config.out.contains("# groq         auth.json") && config.out.contains("# openai       none"),
        "{}",
        config.out
    );
    assert!(!config.out.contains(KEY));
    assert!(world.run(&["models"]).ok().out.contains("groq:openai/gpt-oss-120b"));
    assert!(world.run(&["logout"]).ok().out.contains("groq is forgotten"), "the only one");
    assert_eq!((world.run(&["logout"]).code, world.run(&["login"]).code), (1, 2));
    assert_eq!(world.run(&["login", "groq"]).code, 2, "no key on standard input");
}

#[test]
fn the_program_does_not_show_what_is_typed() {
    let world = World::new();
    let mut terminal = Terminal::panto(&world, &["login", "groq", "--no-check"], 80, 10);
    terminal.wait("API key of groq");
    terminal.send(KEY).send("\r").wait("kept in auth.json");
    assert!(!String::from_utf8_lossy(&terminal.log()).contains(KEY));
    assert_eq!(terminal.exit_code(), 0);
}
