//! Stores and conversations: what is kept, found again, and damaged.

use super::{Play, says};
use serde_json::json;

#[test]
fn r65_construction_names_what_is_wrong() {
    let play = Play::new("");
    let out = play.json(
        "local config = ext.resolve_model{model = 'env:x'}
        return {failing(panto.agent, 5), failing(panto.agent), failing(panto.file_system_jsonl_store, {}),
            failing(panto.file_system_jsonl_store), failing(panto.agent, {store = store}),
            failing(panto.agent, {config = config}), failing(panto.agent, {config = config, store = store, session_id = 'none'}),
            tostring(panto.null_store().dir), panto.file_system_jsonl_store('x').dir:match('/x$')}",
    );
    let texts: Vec<&str> = out.as_array().expect("a list").iter().filter_map(|t| t.as_str()).collect();
    let table = "panto.agent expects a table";
    let dir = "panto.file_system_jsonl_store: missing dir";
    assert_eq!(texts[..4], [table, table, dir, dir]);
    assert!(texts[4].contains("config must be what panto.ext.resolve_model gives"), "{}", texts[4]);
    assert!(texts[5].contains("store must be a store"), "{}", texts[5]);
    assert!(texts[6].contains("the store has no session 'none'"), "{}", texts[6]);
    assert_eq!(texts[7..], ["nil", "/x"]);
}

#[test]
fn r66_r75_a_store_knows_a_session_once_it_has_an_answer() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local a = child()
        local id = a:session_id()
        local before = {store:resolve(id) == nil, store:load(id) == nil, #store:list(), store:resolve(5) == nil}
        a:run{prompt = 'KID'}
        local found, nothing = store:resolve(id), panto.null_store()
        return {before = before, id = found.id == id, n = found.message_count, style = found.api_style, said = #store:load(id):messages(),
            listed = store:list()[1].id == id, none = nothing:resolve(id) == nil and nothing:load(id) == nil and #nothing:list() == 0}",
    );
    assert_eq!(
        out,
        json!({"before": [true, true, 0, true], "id": true, "n": 2, "style": "chat", "said": 2, "listed": true, "none": true})
    );
}

#[test]
fn r67_messages_are_copies_without_metadata() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local a = passing()
        local c = a:conversation()
        c:add_system_message('be brief', {metadata = {secret = 1}})
        a:run{prompt = 'KID', metadata = {mine = true}}
        local said = c:messages()
        said[1].role = 'changed'
        local roles = {}
        for i, m in ipairs(c:messages()) do roles[i] = m.role .. ':' .. m.blocks[1].text .. ':' .. tostring(m.metadata) end
        return roles",
    );
    assert_eq!(out, json!(["system:be brief:nil", "user:KID:nil", "assistant:ANSWER:nil"]));
}

#[test]
fn r69_metadata_is_checked_kept_and_read_back_after_a_restart() {
    let play = Play::new(&says("KID", "ANSWER"));
    let id = play.probe(
        "local a = child()
        local c = a:conversation()
        assert(failing(c.add_system_message, c, 5) == 'panto: add_system_message expects a string')
        assert(failing(c.add_system_message, c, 'x', {metadata = 5}) == 'panto: metadata must be a table')
        c:add_system_message('PIRATE', {metadata = {subagents = {agent = 'pirate', list = {1, 2}}}})
        a:run{prompt = 'KID', metadata = {n = 1}}
        return a:session_id()",
    );
    let out = play.json(&format!(
        "local c = store:load('{id}')
        local a = child{{session_id = '{id}', conversation = c}}
        local m = c:message_metadata(1).subagents
        local r = a:run{{prompt = 'KID again'}}
        return {{id = a:session_id(), m.agent, m.list[2], c:message_metadata('2').n, tostring(c:message_metadata(3)),
            tostring(c:message_metadata(99)), tostring(c:message_metadata(0)), tostring(c:message_metadata('x')),
            n = #a:conversation():messages(), stored = store:resolve('{id}').message_count, r.text}}"
    ));
    assert_eq!(
        out,
        json!({"id": id, "1": "pirate", "2": 2, "3": 1, "4": "nil", "5": "nil", "6": "nil", "7": "nil", "n": 5, "stored": 4,
            "8": "ANSWER"})
    );
    let files: Vec<_> = std::fs::read_dir(play.world.project().join("kids")).expect("a folder").flatten().collect();
    let sessions = files.iter().filter(|f| f.file_name().to_string_lossy().ends_with(".jsonl")).count();
    assert_eq!(sessions, 1, "it goes on in the same file");
}

#[test]
fn r68_a_corrupt_record_raises_and_the_rest_can_be_used() {
    let play = Play::new(&says("KID", "ANSWER"));
    let id = play.probe(
        "local a = child() a:conversation():add_system_message('S') a:run{prompt = 'KID'} return a:session_id()",
    );
    let path = play.probe(&format!("return store:resolve('{id}').path"));
    let text = std::fs::read_to_string(&path).expect("the file");
    let damaged: Vec<String> = text
        .lines()
        .map(|line| match line {
            line if line.contains("\"system\"") => line.replace("\"role\":\"system\"", "\"role\":\"robot\""),
            line if line.contains("\"user\"") => line.replace("\"blocks\"", "\"metadata\":\"text\",\"blocks\""),
            line => line.to_owned(),
        })
        .collect();
    std::fs::write(&path, damaged.join("\n") + "\n").expect("written");
    let out = play.json(&format!(
        "local c = store:load('{id}')
        return {{failing(c.message_metadata, c, 1), failing(c.message_metadata, c, 2), tostring(c:message_metadata(3)),
            c:messages()[1].role, child{{session_id = '{id}', conversation = c}}:run{{prompt = 'KID'}}.status}}"
    ));
    let texts: Vec<&str> = out.as_array().expect("a list").iter().filter_map(|t| t.as_str()).collect();
    assert!(texts[0].starts_with("panto: the message ") && texts[0].ends_with("cannot be read"), "{}", texts[0]);
    assert_eq!(texts[1..], ["panto: the metadata of message 2 is no table", "nil", "unknown", "completed"]);
}

#[test]
fn r08_children_are_files_of_their_own_and_none_of_the_parents() {
    let play = Play::new(&says("KID", "ANSWER-OF-THE-KID"));
    let path = play.probe(
        "local dir = ext.session_info().session_file:gsub('%.jsonl$', '')
        local place = panto.file_system_jsonl_store{dir = dir}
        local a = child{store = place}
        a:run{prompt = 'KID'}
        return place:resolve(a:session_id()).path",
    );
    assert!(std::fs::read_to_string(&path).expect("the child's file").contains("ANSWER-OF-THE-KID"));
    let parent = std::path::Path::new(&path).parent().expect("a folder").with_extension("jsonl");
    assert!(!std::fs::read_to_string(parent).expect("the parent's file").contains("ANSWER-OF-THE-KID"));
    let listed = play.world.run(&["sessions", "list"]).ok().out;
    assert_eq!(listed.matches("PARENT").count(), 1, "{listed}");
    assert!(!listed.contains("KID"), "{listed}");
}

#[test]
fn a_conversation_whose_file_is_gone_is_an_error_and_not_an_empty_one() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local a = child()
        a:run{prompt = 'KID'}
        panto.fs.remove(store:resolve(a:session_id()).path)
        local c = a:conversation()
        local again = a:run{prompt = 'AGAIN'}
        return {failing(c.messages, c), again.status, again.error}",
    );
    let told = |n: usize| out[n].as_str().is_some_and(|text| text.contains("the agent's session cannot be read"));
    assert!(told(0), "{out}");
    assert!(out[1] == json!("failed"), "{out}");
    assert!(!play.model.asked().iter().any(|asked| asked == "AGAIN"), "a model that knows nothing is not asked");
}
