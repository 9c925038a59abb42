//! What children may call, and what runs it.

use super::{Play, says};
use serde_json::json;

/// A child that calls a tool and says what came back.
const CALLS: &str = r#"
[[turn]]
when = "KID"
on = "prompt"
times = 0
steps = [{ tool = { name = "pick", input = { x = 1 } } }]
[[turn]]
when = "KID"
on = "results"
times = 0
steps = [{ text = "got {{result}}" }]
"#;

/// A tool of the primary's that counts.
const PICK: &str = "local n = 0
panto.register_tool{name='pick', description='d', schema={type='object', required={'x'}}, handler=function(input, call)
    n = n + 1
    return 'picked ' .. n
end}";

#[test]
fn r70_a_declaration_given_on_runs_the_primarys_own_handler() {
    let play = Play::new(CALLS);
    let out = play.probe_with(
        "local a, given = passing(), {}
        for _, t in ipairs(ext.agent:tools()) do
            if t.name == 'pick' then given[1] = t elseif t.name == 'std.ls' then given[2] = t end
        end
        a:set_tools{given[2], given[1]}
        local back = a:tools()
        assert(back[1].name == 'pick' and back[2].name == 'std.ls' and back[1]._source == given[1]._source)
        assert(back[1].schema.required[1] == 'x' and back[1].description == 'd')
        a:run{prompt = 'KID'}
        local b = passing()
        b:set_tools(back)
        return a:run{prompt = 'KID'}.text .. ', ' .. b:run{prompt = 'KID'}.text",
        PICK,
    );
    assert_eq!(out, "got picked 2, got picked 3");
}

#[test]
fn r71_declarations_are_checked() {
    let play = Play::new("");
    let out = play.json(
        "local a = passing()
        local function e(list) return failing(a.set_tools, a, list) end
        return {e(5), e(nil), e{x = 1}, e{{}}, e{{name = 'a'}, 5}, e{{name = 'a', _source = 'forged'}}, e{{name = 'a'}, {name = 'a'}},
            e{{name = 'a', schema = 5}}, e{{name = 'a', handler = 5}}, e{{name = 'a', _source = 'panto:primary:gone'}}, e{}}",
    );
    let list = "panto: set_tools expects an array of declarations";
    let unknown = "panto: tool declaration 1 has an unknown _source: take declarations as agent:tools() gives them";
    assert_eq!(
        out,
        json!([
            list,
            list,
            list,
            "panto: tool declaration 1 has no name",
            "panto: tool declaration 2 has no name",
            unknown,
            "panto: tool declaration 2 repeats the name a",
            "panto: tool declaration 1 has a schema that is no JSON schema (a table of fields)",
            "panto: tool declaration 1 has a handler that is no function, but integer",
            unknown,
            "no error"
        ])
    );
}

#[test]
fn a_tool_of_a_scripts_own_is_run_for_its_agent_only() {
    let play = Play::new(CALLS);
    let out = play.json(
        "local a = passing()
        a:set_tools{{name = 'pick', schema = {type = 'object'}, handler = function(input, call)
            if input.x ~= 1 then error('x') end
            return 'own ' .. input.x
        end}}
        local b = passing()
        b:set_tools{{name = 'pick'}}
        local names = {}
        for _, t in ipairs(ext.agent:tools()) do names[t.name] = true end
        return {a:run{prompt = 'KID'}.text, b:run{prompt = 'KID'}.text, tostring(names.pick)}",
    );
    assert_eq!(out, json!(["got own 1", "got panto: nothing runs the tool pick of this agent", "nil"]));
}

#[test]
fn a_tool_may_have_another_name_for_a_child() {
    let play = Play::new(&CALLS.replace("name = \"pick\"", "name = \"choose\""));
    let out = play.probe_with(
        "local a = passing()
        for _, t in ipairs(ext.agent:tools()) do
            if t.name == 'pick' then t.name = 'choose' a:set_tools{t} end
        end
        return a:run{prompt = 'KID'}.text",
        PICK,
    );
    assert_eq!(out, "got picked 1");
}

#[test]
fn hooks_are_asked_about_a_childs_calls_too() {
    let play = Play::new(CALLS);
    let out = play.probe_with(
        "local a = passing()
        a:set_tools{{name = 'pick', handler = function() return 'ran' end}}
        return a:run{prompt = 'KID'}.text",
        "panto.ext.on('tool_call', function(e) if e.name == 'pick' then return {block = true, reason = 'NOT-YOU'} end end)",
    );
    assert_eq!(out, "got NOT-YOU");
}

#[test]
fn a_child_is_told_what_its_script_says_and_the_primarys_prompt_on_request() {
    let play = Play::new(&says("KID", "ANSWER"));
    let out = play.json(
        "local texts = {}
        for i, system in ipairs{false, 'MINE', true} do
            local a = child{store = panto.null_store(), system = system}
            a:conversation():add_system_message('OWN')
            texts[i] = a:run{prompt = 'KID'}.usage.input > 0
        end
        return {texts, failing(child, {system = 5}):match('system must be.*')}",
    );
    assert_eq!(out, json!([[true, true, true], "system must be a text, or true for that of the primary"]));
}

#[test]
fn a_handler_lives_as_long_as_somebody_may_call_it() {
    let play = Play::new(CALLS);
    let out = play.json(
        "local function own() return {{name = 'pick', handler = function() return 'own' end}} end
        local a = passing()
        a:set_tools(own())
        local b = passing()
        b:set_tools(a:tools())
        local job = a:run_async{prompt = 'KID'}
        a:set_tools{}
        a = nil
        collectgarbage() collectgarbage()
        return {job:await().text, b:run{prompt = 'KID'}.text}",
    );
    assert_eq!(out, json!(["got own", "got own"]));
}
