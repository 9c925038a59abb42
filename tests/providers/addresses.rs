//! Where requests go, with which headers and whose key.

use super::{
    harness::{ad_hoc, ask, once, outcome, providers, providers_in, request},
    server::{Reply, Server},
};
use panto::{
    config::{Dialect, Options, ProviderConfig},
    conversation::{Message, StopReason},
    provider::ErrorKind,
};

const HI: &str =
    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[tokio::test]
async fn c01_base_urls() {
    for (tail, path) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/api/v1/", "/api/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
    ] {
        let server = Server::start(vec![Reply::stream(HI)]).await;
        let url = server.url() + tail;
        let got = outcome(ask(&ad_hoc(&once(), Dialect::OpenaiChat, &url))).await;
        assert_eq!((got.stop, server.asked()[0].path.as_str()), (Some(StopReason::Stop), path), "{tail}");
    }
}

#[tokio::test]
async fn r57_headers() {
    for (dialect, header, value) in [
        (Dialect::OpenaiChat, "authorization", "Bearer sk-test"),
        (Dialect::OpenaiResponses, "authorization", "Bearer sk-test"),
        (Dialect::AnthropicMessages, "x-api-key", "sk-test"),
    ] {
        let server = Server::start(vec![Reply::status(400, "{}")]).await;
        outcome(ask(&ad_hoc(&once(), dialect, &server.url()))).await;
        let asked = &server.asked()[0];
        assert_eq!(asked.header(header), Some(value));
        assert_eq!(asked.header("accept-encoding"), Some("identity"));
        assert_eq!(asked.header("content-type"), Some("application/json"));
        assert_eq!(asked.header("anthropic-version").is_some(), dialect == Dialect::AnthropicMessages);
    }
}

#[tokio::test]
async fn c03_a_key_is_trimmed_and_never_shown() {
    let server = Server::start(vec![Reply::stream(HI)]).await;
    let url = server.url();
    let env = |key| [("PANTO_BASE_URL", url.as_str()), ("PANTO_API_KEY", key)];
    let ask_with = |key| ask(&providers(&once(), &env(key)).resolve("env:m").expect("a model"));
    outcome(ask_with("sk-test-123\n")).await;
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer sk-test-123"));
    let got = outcome(ask_with("sk-t\u{e9}st-987654")).await;
    let error = got.error.expect("an error");
    assert_eq!(error.kind, ErrorKind::Auth);
    assert!(error.message.contains("key") && !format!("{error:?}").contains("987654"), "{error:?}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn c04_a_blank_key_does_not_hide_the_configured_one() {
    let server = Server::start(vec![Reply::status(400, "{}")]).await;
    for (variable, key) in [(" ", "Bearer sk-config"), ("sk-env", "Bearer sk-env")] {
        let mut options = once();
        let config = ProviderConfig {
            base_url: Some(server.url()),
            api_key: Some("sk-config".into()),
            ..ProviderConfig::default()
        };
        options.providers.insert("openai".into(), config);
        let resolved = providers(&options, &[("OPENAI_API_KEY", variable)]).resolve("openai:gpt-5").expect("a model");
        outcome(ask(&resolved)).await;
        assert_eq!(server.asked().last().expect("a request").header("authorization"), Some(key));
    }
}

#[tokio::test]
async fn a_configured_provider() {
    let server = Server::start(vec![Reply::status(400, "{}")]).await;
    let text = format!(
        "model = 'mine:big'\n[providers.mine]\ndialect = 'anthropic_messages'\nbase_url = '{}'\n\
         api_key_command = ['printf', 'sk-of-mine']\nheaders = {{ x-mine = 'yes' }}\n\
         models = [ {{ id = 'big', context = 9000, output = 4321 }} ]",
        server.url()
    );
    let options: Options = toml::from_str(&text).expect("a configuration");
    let providers = providers(&options, &[]);
    let chosen = providers.default_model();
    assert_eq!((chosen.name.as_str(), chosen.unconfigured), ("mine:big", false));
    let resolved = providers.resolve(&chosen.name).expect("a model");
    assert_eq!((resolved.spec.context, resolved.spec.output), (9000, 4321));
    outcome(ask(&resolved)).await;
    let asked = &server.asked()[0];
    assert_eq!((asked.path.as_str(), asked.header("x-mine")), ("/v1/messages", Some("yes")));
    assert_eq!(asked.header("x-api-key"), Some("sk-of-mine"));
    assert_eq!((&asked.body["model"], &asked.body["max_tokens"]), (&"big".into(), &4321.into()));
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_named_without_its_value() {
    let mut options = once();
    let headers = [("x-mine".to_owned(), "sec\nret".to_owned())].into();
    let config = ProviderConfig { base_url: Some("http://127.0.0.1:9".into()), headers, ..ProviderConfig::default() };
    options.providers.insert("mine".into(), config);
    let got = outcome(ask(&providers(&options, &[]).resolve("mine:m").expect("a model"))).await;
    let error = got.error.expect("an error").to_string();
    assert!(error.contains("x-mine") && error.contains("mine") && !error.contains("sec"), "{error}");
}

#[tokio::test]
async fn a_preset_without_its_key_says_which_variable_to_set() {
    let resolved = providers(&Options::default(), &[]).resolve("anthropic:claude-sonnet-4-6").expect("a model");
    assert!(resolved.spec.images && resolved.spec.price.is_some());
    let got = outcome(ask(&resolved)).await;
    assert_eq!((got.failed, got.retries), (Some(ErrorKind::Auth), 0));
    assert!(got.error.expect("an error").message.contains("ANTHROPIC_API_KEY"));
}

#[tokio::test]
async fn c05_a_bad_proxy_is_named() {
    let server = Server::start(vec![Reply::stream(HI)]).await;
    let url = server.url();
    let env = [("PANTO_BASE_URL", url.as_str()), ("HTTPS_PROXY", "::")];
    let got = outcome(ask(&providers(&once(), &env).resolve("env:m").expect("a model"))).await;
    assert_eq!(got.failed, Some(ErrorKind::Config));
    assert!(got.error.expect("an error").message.contains("HTTPS_PROXY"));
}

#[tokio::test]
async fn c05_a_proxy_is_used_but_for_its_exceptions() {
    let (proxy, server) = (Server::start(vec![Reply::stream(HI)]).await, Server::start(vec![Reply::stream(HI)]).await);
    let (through, direct) = (proxy.url(), server.url());
    let env = [("HTTP_PROXY", through.as_str()), ("NO_PROXY", "127.0.0.1,localhost"), ("PANTO_BASE_URL", &direct)];
    let ask_with = |env: &[(&str, &str)]| ask(&providers(&once(), env).resolve("env:m").expect("a model"));
    assert_eq!(outcome(ask_with(&env)).await.stop, Some(StopReason::Stop));
    assert_eq!((proxy.asked().len(), server.asked().len()), (0, 1));
    let env = [("http_proxy", through.as_str()), ("PANTO_BASE_URL", "http://api.example.invalid/v1")];
    assert_eq!(outcome(ask_with(&env)).await.stop, Some(StopReason::Stop));
    assert_eq!(proxy.asked()[0].path, "http://api.example.invalid/v1/chat/completions");
}

#[tokio::test]
async fn refresh_asks_the_server_for_its_models() {
    let server = Server::start(vec![Reply::status(200, r#"{"data":[{"id":"fresh-1"},{"id":"fresh-2"}]}"#)]).await;
    let url = server.url();
    let mut options = once();
    options.network.connect_timeout = 1;
    let data = tempfile::tempdir().expect("a folder");
    let answers = providers_in(data.path(), &options, &[("PANTO_BASE_URL", &url)]).refresh().await;
    let own = answers.iter().find(|a| a.provider == "env").expect("an answer of env");
    let models = own.models.as_ref().expect("a list");
    assert_eq!(models.iter().map(|m| m.spec.reference.to_string()).collect::<Vec<_>>(), ["env:fresh-1", "env:fresh-2"]);
    assert_eq!(server.asked()[0].path, "/v1/models");
}

#[tokio::test]
async fn a_requests_own_fields_and_headers_are_sent_in_every_dialect() {
    for dialect in [Dialect::OpenaiChat, Dialect::OpenaiResponses, Dialect::AnthropicMessages] {
        let server = Server::start(vec![Reply::status(400, "{}")]).await;
        let resolved = ad_hoc(&once(), dialect, &server.url());
        let mut request = request(resolved.spec.clone(), vec![Message::user("hi")]);
        request.extra.insert("seed".into(), 5.into());
        request.extra.insert("stream".into(), serde_json::json!({"wins": true}));
        request.headers = vec![("x-team".into(), "blue".into()), ("not a header".into(), "x".into())];
        outcome(resolved.provider.stream(request)).await;
        let asked = &server.asked()[0];
        assert_eq!(asked.header("x-team"), Some("blue"), "{dialect:?}");
        assert_eq!((&asked.body["seed"], &asked.body["stream"]["wins"]), (&5.into(), &true.into()), "{dialect:?}");
        assert_eq!(asked.header("accept-encoding"), Some("identity"), "{dialect:?}");
    }
}
