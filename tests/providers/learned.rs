//! What servers tell of their models is known from then on; servers that are down are named.

use super::{
    harness::{once, providers_in},
    server::{Reply, Server},
};
use panto::config::{Options, ProviderConfig};

fn server_at(name: &str, url: &str) -> Options {
    let mut options = once();
    options.network.connect_timeout = 1;
    let config = ProviderConfig { base_url: Some(url.to_owned()), ..ProviderConfig::default() };
    options.providers.insert(name.into(), config);
    options
}

const VLLM: &str = r#"{"data":[{"id":"qwen","max_model_len":32768,"owned_by":"vllm"}]}"#;

#[tokio::test]
async fn a_window_is_remembered_for_the_server_that_told_it() {
    let server = Server::start(vec![Reply::status(200, VLLM)]).await;
    let data = tempfile::tempdir().expect("a folder");
    let options = server_at("box", &server.url());
    let window = |options: &Options| {
        let resolved = providers_in(data.path(), options, &[]).resolve("box:qwen").expect("a model");
        resolved.spec.context
    };
    assert_eq!(window(&options), 128_000);
    providers_in(data.path(), &options, &[]).refresh().await;
    assert_eq!(window(&options), 32_768);
    let listed = providers_in(data.path(), &options, &[]).list();
    assert!(listed.iter().any(|l| l.spec.reference.to_string() == "box:qwen"), "it can be chosen without asking again");
    assert_eq!(window(&server_at("box", "http://elsewhere/v1")), 128_000);
    std::fs::write(data.path().join("models.json"), "{").expect("written");
    assert_eq!(window(&options), 128_000, "a broken memory is none");
}

#[tokio::test]
async fn what_another_process_has_learned_is_known_after_another_look() {
    let larger = VLLM.replace("32768", "65536");
    let server = Server::start(vec![Reply::status(200, VLLM), Reply::status(200, &larger)]).await;
    let data = tempfile::tempdir().expect("a folder");
    let options = server_at("box", &server.url());
    let own = providers_in(data.path(), &options, &[]);
    let window = || own.resolve("box:qwen").expect("a model").spec.context;
    assert_eq!(window(), 128_000);
    providers_in(data.path(), &options, &[]).refresh().await;
    assert_eq!(window(), 128_000, "nobody has looked");
    own.look_again();
    assert_eq!(window(), 32_768);
    let spec = own.resolve("box:qwen").expect("a model").spec;
    own.window_told(&spec.reference, 8_192);
    own.look_again();
    assert_eq!(window(), 8_192, "what a refusal has named counts for more");
    own.refresh().await;
    assert_eq!(window(), 65_536, "until the server tells of another one");
}

#[tokio::test]
async fn ollama_is_asked_for_each_models_window() {
    let list = r#"{"data":[{"id":"llama3:8b","owned_by":"library"},{"id":"nomic","owned_by":"library"}]}"#;
    let chat = r#"{"model_info":{"llama.context_length":131072},"capabilities":["completion","vision"]}"#;
    let replies =
        [list, chat, r#"{"capabilities":["embedding"]}"#, r#"{"models":[{"name":"llama3:8b","context_length":8192}]}"#];
    let server = Server::start(replies.map(|body| Reply::status(200, body)).to_vec()).await;
    let data = tempfile::tempdir().expect("a folder");
    let answers = providers_in(data.path(), &server_at("box", &format!("{}/v1", server.url())), &[]).refresh().await;
    let told = answers.into_iter().find(|a| a.provider == "box").expect("an answer").models.expect("a list");
    let paths: Vec<_> = server.asked().into_iter().map(|a| a.path).collect();
    assert_eq!((&paths[0][..], &paths[1][..], &paths[3][..]), ("/v1/models", "/api/show", "/api/ps"));
    let first = told.iter().find(|l| l.spec.reference.model == "llama3:8b");
    assert!(first.is_some_and(|l| l.spec.context == 8192), "{told:?}");
}

#[tokio::test]
async fn a_server_that_is_down_is_named_and_what_it_told_before_stays() {
    let server = Server::start(vec![Reply::status(200, VLLM)]).await;
    let (url, data) = (server.url(), tempfile::tempdir().expect("a folder"));
    let providers = providers_in(data.path(), &server_at("box", &url), &[]);
    providers.refresh().await;
    drop(server);
    let providers = providers_in(data.path(), &server_at("box", &url), &[]);
    let answers = providers.refresh_local().await;
    let down = answers.iter().find(|a| a.provider == "box").expect("it is on this machine");
    let error = down.models.as_ref().expect_err("it is down").to_string();
    assert!(error.contains("cannot reach") && error.contains(&url), "{error}");
    assert_eq!(down.address.as_deref(), Some(format!("{url}/").as_str()));
    assert_eq!(providers.resolve("box:qwen").expect("a model").spec.context, 32_768);
}
