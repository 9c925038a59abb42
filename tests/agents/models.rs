//! Models and the session, as scripts see them.

use super::Play;
use serde_json::json;

#[test]
fn r59_session_info_is_a_fresh_copy_and_names_the_file() {
    let play = Play::new("");
    let out = play.json(
        "local a, b = ext.session_info(), ext.session_info()
        a.model = 'changed'
        return {fresh = a ~= b, model = ext.session_info().model, dir = b.session_dir, file = b.session_file, id = b.session_id}",
    );
    let text = |key: &str| out[key].as_str().expect("a text").to_owned();
    assert_eq!((&out["fresh"], text("model").as_str()), (&json!(true), "env:scripted"));
    assert!(
        text("file").starts_with(&text("dir")) && text("file").ends_with(&format!("{}.jsonl", text("id"))),
        "{out}"
    );
}

#[test]
fn r60_the_errors_of_resolve_model_and_what_it_passes_through() {
    let play = Play::new("");
    let out = play.json(
        "local function e(...) return select(2, ext.resolve_model(...)) end
        local choice = {type = 'tool', name = 'emit'}
        local c = ext.resolve_model{model = 'env:a:b', reasoning = 'high', tool_choice = choice}
        return {e(), e(5), e{}, e{model = ''}, e{model = 5}, e{model = 'nope:x'}, e{model = 'env:x', reasoning = 'huge'},
            e{model = 'env:x', tool_choice = 5}, c.model, c.reasoning, c.style, c.wire_model, c.tool_choice == choice}",
    );
    let form = "resolve_model: model must be a 'provider:model' string";
    let table = "resolve_model: expected a table of arguments";
    assert_eq!(
        out.as_array().expect("a list")[..6],
        [
            json!(table),
            json!(table),
            json!(form),
            json!(form),
            json!(form),
            json!("resolve_model: unknown model 'nope:x'")
        ]
    );
    assert_eq!(out[6], "resolve_model: no thinking level `huge`; there are off minimal low medium high xhigh max");
    assert!(out[7].as_str().is_some_and(|e| e.starts_with("resolve_model: tool_choice must be")), "{out}");
    assert_eq!(
        out.as_array().expect("a list")[8..],
        [json!("env:a:b"), json!("high"), json!("chat"), json!("a:b"), json!(true)]
    );
}

#[test]
fn r61_models_gives_an_overview_and_finds() {
    let play = Play::new("");
    let out = play.json(
        "return {overview = ext.models(), found = ext.models('env scripted'), none = #ext.models('no-such-model')}",
    );
    let overview = &out["overview"];
    assert_eq!((&overview["model"], &overview["reasoning"]), (&json!("env:scripted"), &json!("medium")));
    assert_eq!(overview["providers"][0], json!({"name": "env", "style": "chat", "models": 1}));
    assert!(overview["providers"].as_array().is_some_and(|p| p.iter().any(|p| p["style"] == "messages")), "{overview}");
    assert_eq!((&out["found"][0]["ref"], &out["none"]), (&json!("env:scripted"), &json!(0)));
}

#[test]
fn r62_the_primary_is_borrowed() {
    let play = Play::new("");
    let out = play.json(
        "local a, names = ext.agent, {}
        for i, t in ipairs(a:tools()) do names[i] = t.name end
        local sorted = {table.unpack(names)} table.sort(sorted)
        local conv = a:conversation()
        local said = conv:messages()
        said[1].blocks[1].text = 'changed'
        local job, why = a:run_async()
        return {sorted = table.concat(sorted, ' ') == table.concat(names, ' '), n = #names, job = job == nil, why = why,
            set = failing(a.set_tools, a, 5), id = a:session_id() == ext.session_info().session_id,
            role = said[1].role, text = conv:messages()[1].blocks[1].text, last = said[2].blocks[1].type,
            nothing = conv:message_metadata(1) == nil, add = failing(conv.add_system_message, conv, 'x')}",
    );
    assert_eq!(
        out,
        json!({"sorted": true, "n": out["n"], "job": true, "why": "run_async: not supported on a borrowed agent",
            "set": "panto: set_tools is not supported on a borrowed agent", "id": true, "role": "user", "text": "PARENT",
            "last": "tool_use", "nothing": true, "add": "panto: add_system_message is not supported on a borrowed conversation"})
    );
    assert!(out["n"].as_u64().is_some_and(|n| n >= 8), "{out}");
}
