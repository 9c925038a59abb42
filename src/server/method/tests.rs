use super::*;
use crate::backend::Scope;

fn refused(method: &str, params: Value) -> String {
    let Value::Object(params) = params else { panic!("an object") };
    call(method, params).expect_err("refused").message
}

fn taken(method: &str, params: Value) -> Call {
    let Value::Object(params) = params else { panic!("an object") };
    call(method, params).expect("taken")
}

#[test]
fn what_a_method_does_not_know_is_refused_by_name() {
    assert!(refused("prompt", json!({"session_id": "s", "text": 5})).contains("`text`"));
    assert!(refused("prompt", json!({"session_id": "s", "text": "x", "surprise": 1})).contains("`surprise`"));
    assert!(refused("prompt", json!({"session_id": "s"})).contains("`text`"));
    assert!(refused("prompt", json!({"session_id": 1, "text": "x"})).contains("`session_id`"));
    assert!(refused("create", json!({"cwd": null})).contains("`cwd` is null"));
    assert!(refused("no_such_request", json!({})).contains("no method `no_such_request`"));
    assert!(refused("attach", json!({"session_id": "s", "mode": "x"})).contains("`mode`"));
    for own in OWN {
        assert!(refused(own, json!({})).contains("no method"), "{own}");
    }
}

#[test]
fn a_faces_commands_are_methods() {
    for (method, params) in [
        ("take_back", json!({})),
        ("take_back", json!({"text": "one of them"})),
        ("cancel_tools", json!({})),
        ("cancel_tools", json!({"call_id": "c"})),
        ("list_sessions", json!({"scope": "all"})),
        ("shell", json!({"line": "ls", "to_model": true})),
        ("branch_to", json!({"to": {"at": "e"}})),
    ] {
        let call = taken(method, params);
        assert!(matches!(call, Call::Session { call: SessionCall::Do { then: Then::Reply, .. }, .. }), "{method}");
    }
    assert!(refused("shell", json!({"line": "ls", "to_model": true, "more": 1})).contains("more"));
}

#[test]
fn defaults_are_those_of_the_page() {
    let Call::List(list) = taken("list", json!({})) else { panic!("a list") };
    assert!(list.strict && list.scope == Scope::All);
    let call = taken("prompt", json!({"text": "x"}));
    assert!(matches!(call, Call::Session { session_id: None, call: SessionCall::Prompt { wait: true, .. } }));
}
