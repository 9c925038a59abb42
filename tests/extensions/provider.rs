//! `panto.ext.register_provider{}`: presets, and dialects that a script speaks.

use crate::lua::{World as Runtime, on_tokio};
use crate::support::{Model, Terminal, World};
use futures_util::StreamExt;
use panto::backend::{Extensions, ScriptedEvent};
use panto::tool::ToolSource;
use serde_json::json;

/// A provider `mine` that echoes, and calls a tool when it is asked to.
const ECHO: &str = r#"panto.ext.register_provider{name = "mine", models = {"echo", {id = "wide", context = 9000}},
    stream = function(request, emit)
        local last = request.messages[#request.messages]
        local block = last.blocks[#last.blocks]
        emit{type = "thinking", text = "hm"}
        if block.type == "tool_result" then
            emit{type = "text", text = "the tool said " .. panto.json.encode(block)}
        elseif block.text == "list" then
            emit{type = "tool_call", id = "c1", name = request.tools[1].name, input = {}}
        else
            for word in block.text:gmatch("%S+") do
                emit{type = "text", text = word:upper() .. " "}
                panto.task.sleep(0.001)
            end
        end
        emit{type = "usage", input = 10, output = 3}
        emit{type = "stop", reason = "stop"}
    end}
"#;

#[test]
fn a_wrong_field_is_named() {
    on_tokio(async {
        for (fields, told) in [
            ("name='x'", "`base_url` must be a string (or `stream` a function), got nil"),
            ("name='a:b', base_url='http://x'", "`name` must be without `:`"),
            ("name='faux', base_url='http://x'", "not env or faux"),
            ("name='x', base_ur='http://x'", "unknown field `base_ur`; did you mean `base_url`?"),
            ("name='x', base_url=5", "`base_url`: invalid type: integer `5`, expected a string"),
            ("name='x', base_url='u', dialect='klingon'", "`dialect`: unknown variant `klingon`"),
            ("name='x', base_url='u', models={{name='m'}}", "`models`: missing field `id`"),
            ("name='x', base_url='u', stream=print", "`stream` and `base_url` exclude each other"),
            ("name='x', stream=5", "`stream` must be a function, got integer"),
            ("name='x', stream=print", "`models` must name at least one model"),
        ] {
            let (_, failed) = Runtime::with(&format!("panto.ext.register_provider{{{fields}}}")).load(false).await;
            let message = &failed.first().unwrap_or_else(|| panic!("{fields} is refused")).message;
            assert!(
                message.contains("t.lua:1: BadRegistration: register_provider: ") && message.contains(told),
                "{fields}: {message}"
            );
        }
    });
}

#[test]
fn a_duplicate_is_refused_and_unloading_takes_it_away() {
    on_tokio(async {
        let world = Runtime::with(ECHO);
        world.user("extensions/u.lua", ECHO);
        let (handle, failed) = world.load(false).await;
        assert!(failed[0].message.contains("DuplicateProvider: a provider named `mine` is there already, from t"));
        assert_eq!(handle.providers().len(), 1);
        assert!(handle.providers()[0].scripted);
        std::fs::remove_file(world.path("config/extensions/u.lua")).unwrap();
        std::fs::remove_file(world.path("config/extensions/t.lua")).unwrap();
        handle.reload(None).await;
        assert_eq!(handle.providers(), []);
        let gone: Vec<_> = handle.stream("mine", json!({})).collect().await;
        assert!(matches!(&gone[..], [ScriptedEvent::Error { message, .. }] if message.contains("gone")), "{gone:?}");
    });
}

#[test]
fn mistakes_of_a_script_end_the_answer_and_are_kept() {
    on_tokio(async {
        for (body, told) in [
            ("error('kaboom')", "kaboom"),
            ("emit{type='txt', text='x'}", "emit: unknown variant `txt`"),
            ("emit{type='text'}", "emit: missing field `text`"),
            ("coroutine.yield()", "still suspended"),
        ] {
            let code =
                format!("panto.ext.register_provider{{name='p', models={{'m'}}, stream=function(r, emit) {body} end}}");
            let world = Runtime::with(&code);
            let handle = world.ready().await;
            let said: Vec<_> = handle.stream("p", json!({})).collect().await;
            assert!(matches!(&said[..], [ScriptedEvent::Error { message, .. }] if message.contains(told)), "{said:?}");
        }
    });
}

#[test]
fn an_answer_that_nobody_wants_ends_its_script() {
    on_tokio(async {
        let world = Runtime::with(
            "panto.ext.register_provider{name='p', models={'m'}, stream=function(r, emit)
                panto.task.defer(function() ended = true end)
                while true do emit{type='text', text='x'} end
            end}
            panto.register_tool{name='ended', description='', schema={type='object'}, handler=function()
                while not ended do panto.task.sleep(0.001) end return 'ended' end}",
        );
        let handle = world.ready().await;
        let mut stream = handle.stream("p", json!({}));
        assert_eq!(stream.next().await, Some(ScriptedEvent::Text { text: "x".into() }));
        drop(stream);
        assert_eq!(world.text(&handle, "ended").await, "ended");
        assert_eq!(handle.tools().len(), 1);
    });
}

#[test]
fn a_confined_extension_needs_the_net() {
    on_tokio(async {
        let world = Runtime::with(ECHO);
        world.user("extensions/t.extension.toml", "needs = ['ui']");
        let (_, failed) = world.load(false).await;
        assert!(
            failed[0].message.contains("panto.ext.register_provider: extension 't' has no right `net`"),
            "{failed:?}"
        );
        let command = "panto.ext.register_provider{name='p', base_url='http://x', api_key_command={'true'}}";
        let world = Runtime::with(command);
        world.user("extensions/t.extension.toml", "needs = ['net']");
        let (_, failed) = world.load(false).await;
        assert!(failed[0].message.contains("has no right `run`"), "{failed:?}");
        let variable = "panto.ext.register_provider{name='p', base_url='http://x', api_key_env='SOME_SECRET'}";
        let world = Runtime::with(variable);
        world.user("extensions/t.extension.toml", "needs = ['net']");
        let (_, failed) = world.load(false).await;
        assert!(failed[0].message.contains("api_key_env: extension 't' has no right `env`"), "{failed:?}");
    });
}

#[test]
fn a_dialect_of_a_script_answers_calls_tools_and_is_listed() {
    let world = World::new();
    world.user("extensions/mine.lua", ECHO);
    let out = world.run(&["models"]).ok().out;
    assert!(out.contains("mine:echo") && out.contains("mine:wide") && out.contains(" 9k "), "{out}");
    let ran = world.run(&["-p", "good day", "--model", "mine:echo"]).ok();
    assert_eq!(ran.out.trim(), "GOOD DAY");
    let ran = world.run(&["-p", "list", "--model", "mine:echo"]).ok();
    assert!(ran.out.contains("the tool said"), "{ran:?}");
    let ran = world.run(&["-p", "x", "--model", "mind:echo"]);
    assert!(ran.code != 0 && ran.err.contains("did you mean `mine`?"), "{ran:?}");
}

#[test]
fn a_session_with_an_extensions_model_starts_once_and_in_order() {
    let world = World::new();
    let log = world.project().join("log");
    let handlers = format!(
        "for _, event in ipairs{{'startup', 'session_start', 'ready'}} do
            panto.ext.on(event, function()
                local f = io.open({:?}, 'a') f:write(event, ' ') f:close()
            end)
        end",
        log.display().to_string()
    );
    world.user("extensions/mine.lua", &format!("{ECHO}{handlers}"));
    world.run(&["-p", "x", "--model", "mine:echo"]).ok();
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "startup session_start ready ");
}

#[test]
fn a_preset_of_an_extension_is_asked_and_the_configuration_wins() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, "[[turn]]\nsteps = [{ text = \"from the server\" }]");
    let url = world.env()["PANTO_BASE_URL"].clone();
    world.user(
        "extensions/p.lua",
        &format!("panto.ext.register_provider{{name='house', base_url='{url}', models={{'m'}}}}"),
    );
    assert_eq!(world.run(&["-p", "x", "--model", "house:m"]).ok().out.trim(), "from the server");
    world.user(
        "config.toml",
        "[network]\nretries = 0\n[providers.house]\nbase_url = 'http://127.0.0.1:1'\nmodels = [{ id = 'm' }]\n",
    );
    let ran = world.run(&["-p", "x", "--model", "house:m"]);
    assert!(ran.code != 0 && ran.err.contains("127.0.0.1:1"), "{ran:?}");
}

#[test]
fn an_extensions_model_is_chosen_resumed_and_streams_on_the_screen() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, "[[turn]]\nsteps = [{ text = \"unused\" }]");
    world.user("extensions/mine.lua", ECHO);
    let mut t = Terminal::panto(&world, &[], 100, 30);
    t.wait("type a prompt").submit("/model").wait("mine:echo").type_("mine:echo").key("enter").wait("echo · medium");
    t.submit("good morning").wait("GOOD MORNING").wait("type a prompt").submit("/quit");
    assert_eq!(t.exit_code(), 0);
    let mut t = Terminal::panto(&world, &["-c"], 100, 30);
    t.wait("GOOD MORNING").wait("echo · medium").submit("again").wait("AGAIN").submit("/quit");
    assert_eq!(t.exit_code(), 0);
}
