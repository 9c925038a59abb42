use super::*;

fn source(env: &'static [(&'static str, &'static str)]) -> KeySource {
    KeySource {
        provider: "openai".into(),
        given: None,
        variables: vec!["OPENAI_API_KEY".into()],
        auth_file: PathBuf::from("/nowhere/auth.json"),
        command: vec![],
        literal: None,
        required: true,
        env: Arc::new(|name| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())),
        ran: Arc::default(),
    }
}

async fn found(source: &KeySource) -> Option<(String, String)> {
    source.find().await.expect("no error").map(|key| (key.value, key.source))
}

#[tokio::test]
async fn c04_blank_is_absent() {
    for blank in [" ", "", "\n"] {
        let env: &'static [_] = Box::leak(Box::new([("OPENAI_API_KEY", blank)]));
        let key = KeySource { literal: Some(" sk-config ".into()), ..source(env) };
        assert_eq!(found(&key).await.map(|k| k.0).as_deref(), Some("sk-config"));
        let none = source(env);
        assert_eq!(found(&none).await, None);
        assert_eq!(none.missing().map(|m| m.advice).as_deref(), Some("set OPENAI_API_KEY, or `panto login openai`"));
    }
}

#[tokio::test]
async fn order_environment_file_command_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let auth_file = folder.path().join("auth.json");
    std::fs::write(&auth_file, r#"{"openai": {"api_key": "sk-file"}}"#).expect("written");
    let all = KeySource {
        auth_file,
        command: vec!["printf".into(), "sk-command\\n".into()],
        literal: Some("sk-config".into()),
        ..source(&[("OPENAI_API_KEY", "sk-env")])
    };
    let given = KeySource { given: Some("sk-given".into()), ..all.clone() };
    assert_eq!(found(&given).await, Some(("sk-given".into(), "this login".into())));
    let origins: Vec<String> = all.origins().collect();
    assert_eq!(origins, ["OPENAI_API_KEY", "auth.json", "api_key_command `printf`", "[providers.openai] api_key"]);
    assert_eq!(found(&all).await, Some(("sk-env".into(), "OPENAI_API_KEY".into())));
    let no_env = KeySource { env: source(&[]).env, ..all.clone() };
    assert_eq!(found(&no_env).await, Some(("sk-file".into(), "auth.json".into())));
    let no_file = KeySource { auth_file: "/nowhere".into(), ..no_env };
    assert_eq!(found(&no_file).await.map(|k| k.0).as_deref(), Some("sk-command"));
    let no_command = KeySource { command: vec![], ..no_file };
    assert_eq!(found(&no_command).await.map(|k| k.0).as_deref(), Some("sk-config"));
}

#[tokio::test]
async fn a_failing_command_is_named() {
    let key = KeySource { command: vec!["false".into()], ..source(&[]) };
    let error = key.find().await.expect_err("the command fails");
    assert!(error.message.contains("`false`") && error.kind == ErrorKind::Auth, "{error}");
}

#[test]
fn c03_trimmed_and_never_shown() {
    let key = Key::new("sk-test-123\n", "OPENAI_API_KEY").expect("a key");
    assert_eq!(key.header("Bearer ").expect("sendable"), "Bearer sk-test-123");
    assert!(!format!("{key:?} {:?}", key.header("")).contains("123"));
    for bad in ["sk-t\u{e9}st-987654", "sk-98\n7654"] {
        let error = Key::new(bad, "OPENAI_API_KEY").expect("a key").header("").expect_err("bytes that cannot be sent");
        assert!(error.message.contains("key") && error.message.contains("OPENAI_API_KEY"), "{error}");
        assert!(!error.message.contains("98"), "{error}");
    }
}
