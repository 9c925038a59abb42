//! std.lua: code of the model's that calls the session's tools, through the whole program.

use crate::support::{Model, Terminal, World};

/// A model that sends `code` and says `END` when it has the result.
fn script(code: &str) -> String {
    format!(
        "[[turn]]\nsteps = [{{ tool = {{ name = \"std.lua\", input = {{ code = '''{code}''' }} }} }}]\n[[turn]]\nsteps = [{{ text = \"END\" }}]"
    )
}

/// The result that the model got for `code`.
fn result(world: &mut World, code: &str) -> String {
    let model = Model::serve(world, &script(code));
    world.run(&["-p", "go"]).ok();
    model.results().pop().expect("a result")
}

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in {text:?}");
}

fn of(code: &str) -> String {
    result(&mut World::new(), code)
}

#[test]
fn tools_are_functions_and_only_what_is_returned_or_printed_comes_back() {
    let mut world = World::new();
    world.write("a.txt", "alpha\n");
    world.write("b.txt", "beta\n");
    let code = r#"
        local texts = panto.task.all {
            function() return (tools["std.read"] { path = "a.txt" }) end,
            function() return (tools.std_read { path = "b.txt" }) end,
        }
        print(#texts, texts[1]:match("alpha"), texts[2]:match("beta"))
        local _, details = tools.std.shell { command = "exit 0" }
        return { code = details.exit_code }, "as it is"
    "#;
    assert_eq!(result(&mut world, code), "2\talpha\tbeta\n{\"code\":0}\nas it is");
    assert_eq!(of("local x = 1"), "(the code returned and printed nothing)");
}

#[test]
fn a_failing_call_is_an_error_that_can_be_caught() {
    has(&of(r#"tools["std.read"] { path = "nothing.txt" }"#), "nothing.txt does not exist");
    let caught = of(r#"return pcall(tools["std.shell"], { command = "exit 3" })"#);
    assert!(caught.starts_with("false\nstd.shell: ") && caught.contains("exit code 3"), "{caught}");
    has(&of("tools.std_raed {}"), "there is no tool \"std_raed\"; is it std.read");
    has(&of("tools.std_read { path = 5 }"), "path");
    has(&of("tools.std_read(5)"), "expects a table of its fields, got number");
    has(&of("return tools.std_lua"), "there is no tool \"std_lua\"");
}

#[test]
fn errors_name_the_line() {
    assert_eq!(of("local x = "), "lua:1: unexpected symbol near <eof>");
    let thrown = of("local function inner() error('kaboom') end\n\nlocal function outer() inner() end\nouter()");
    assert!(thrown.starts_with("lua:1: kaboom"), "{thrown}");
    has(&of("error({ reason = 'a table' })"), r#"{"reason":"a table"}"#);
    assert!(of("print('before') error('after', 0)").starts_with("before\nafter"));
}

#[test]
fn there_is_nothing_but_the_pure_libraries() {
    for name in ["io", "os.execute", "os.getenv", "require", "dofile", "loadfile", "debug", "package", "collectgarbage"]
    {
        let path = name.replace('.', "\"][\"");
        assert_eq!(of(&format!("return tostring(_G[\"{path}\"])")), "nil", "{name}");
    }
    for name in ["fs", "process", "http", "env", "ext", "grep", "agent", "log"] {
        assert_eq!(of(&format!("return tostring(panto.{name})")), "nil", "panto.{name}");
    }
    assert_eq!(of("return string.format('%s %d', ('x'):rep(2), #panto.json.encode({1, 2}))"), "xx 5");
}

#[test]
fn what_the_code_changes_it_changes_for_itself() {
    let mut world = World::new();
    let escape = r#"
        string.format = nil; panto.json.encode = nil; panto.task.all = nil; table.concat = nil
        local mt = getmetatable("")
        local ok, why = pcall(setmetatable, {}, { __gc = function() end })
        local task = panto.task.spawn(function() end)
        return tostring(mt), tostring(ok), tostring(getmetatable(task)), tostring(load("return _G.io")())
    "#;
    assert_eq!(result(&mut world, escape), "nil\nfalse\nnil\nnil");
    assert_eq!(result(&mut world, "return panto.json.encode({ fine = string.format('%d', 1) })"), r#"{"fine":"1"}"#);
    assert_eq!(of("return tostring(load('\\27Lua', 'x', 'b'))"), "nil");
}

#[test]
fn l01_its_memory_time_and_calls_are_bounded() {
    let held = of("local t = {} while true do t[#t + 1] = ('x'):rep(10000) .. #t end");
    assert!(held.contains("holds more than 128 MB"), "{held}");
    let mut world = World::new();
    world.user("config.toml", "[lua]\ncallback_timeout = 1\n");
    let spun = result(&mut world, "while true do end");
    assert!(spun.contains("lua:1") && spun.contains("without a pause"), "{spun}");
    let moved = result(&mut world, "table.move({}, 1, 1e12, 2)");
    assert!(moved.contains("lua:1") && moved.contains("without a pause"), "{moved}");
    let calls = of("for i = 1, 600 do pcall(tools.std_ls, { path = '.' }) end return tools.std_ls { path = '.' }");
    assert!(calls.contains("more than 500 calls in one run"), "{calls}");
    assert!(of("return 'x'").starts_with('x'));
}

#[test]
fn a_time_limit_can_be_given() {
    let script = "[[turn]]\nsteps = [{ tool = { name = \"std.lua\", input = { code = \"print('so far') panto.task.sleep(60)\", timeout = 0.05 } } }]\n\
        [[turn]]\nsteps = [{ text = \"END\" }]";
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    world.run(&["-p", "go"]).ok();
    let result = model.results().pop().expect("a result");
    assert!(result.starts_with("so far\nended after 0.05 s"), "{result}");
}

#[test]
fn inner_calls_pass_hooks() {
    let mut world = World::new();
    world.user(
        "extensions/t.lua",
        "panto.ext.on('tool_call', function(e) if e.name == 'std.shell' then return { block = true, reason = 'NOT-HERE' } end end)",
    );
    assert!(result(&mut world, "tools.std_shell { command = 'echo ran > ran.txt' }").contains("NOT-HERE"));
    assert!(!world.project().join("ran.txt").exists());
}

#[test]
fn inner_calls_show_as_nested_lines() {
    let mut world = World::new();
    world.write("a.txt", "alpha\n");
    let code = r#"print(#tools.std_read { path = "a.txt" } > 0) tools.std_shell { command = "echo inner-output" } return "RETURNED""#;
    let _model = Model::serve(&mut world, &script(code));
    let mut t = Terminal::panto(&world, &[], 100, 30);
    t.wait("type a prompt").submit("go").wait("END");
    let screen = t.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let at =
        |word: &str| lines.iter().position(|l| l.contains(word)).unwrap_or_else(|| panic!("no {word} in\n{screen}"));
    assert!(at("Ran Lua") < at("└ ● Read a.txt") && at("└ ● Read a.txt") < at("└ ● Ran echo inner-output"), "{screen}");
    assert!(lines.iter().all(|l| !l.trim().ends_with("│ inner-output")), "folded:\n{screen}");
    assert!(at("RETURNED") < at("END"));
}

#[test]
fn any_number_of_calls_goes_a_few_at_a_time() {
    let code = "local all = {} for i = 1, 40 do all[i] = function() return tools.std_ls { path = '.' } end end return #panto.task.all(all)";
    assert_eq!(of(code), "40");
}

#[test]
fn lengths_that_are_made_up_hold_nothing_up() {
    assert_eq!(of("return #string.rep('', 1 << 60)"), "0");
    let long = "local t = setmetatable({}, { __len = function() return 1 << 60 end }) ";
    has(&of(&format!("{long} return table.unpack(t)")), "too many results to unpack");
    // The rest is ended like a loop that never ends, which tests of the runtime show for each.
    has(&of(&format!("{long} return table.insert(t, 1, 1)")), "without a pause");
}

#[test]
fn a_tool_that_calls_itself_comes_to_an_end() {
    let mut world = World::new();
    world.user(
        "extensions/t.lua",
        "panto.register_tool { name = 'again', description = 'd', schema = {}, handler = function(_, call) return call:tool('again').text end }",
    );
    has(&result(&mut world, "return tools.again {}"), "nested more than 8 deep");
}
