//! `require "panto"` in `panto lua`: the library without a session, and waiting in a main chunk.

use crate::support::World;

fn say(code: &str) -> String {
    World::new().run(&["lua", "-e", &format!("local panto = require 'panto' {code}")]).ok().out
}

#[test]
fn the_library_is_there_and_is_one_table() {
    assert_eq!(
        say("print(panto == require 'panto', panto.json.encode({1, {a = panto.null}}))"),
        "true\t[1,{\"a\":null}]\n"
    );
    assert_eq!(say("panto.fs.write('x', 'text') print(panto.fs.read('x'))"), "text\n");
    assert_eq!(say("print(panto.process.run{cmd = 'echo out; exit 3'}.code)"), "3\n");
}

#[test]
fn the_main_chunk_waits_in_place() {
    let code = "local before = panto.time.monotonic()
        panto.task.sleep(0.05)
        print(panto.time.monotonic() - before >= 0.05)
        table.sort({3, 1, 2}, function(a, b) panto.task.sleep(0) return a < b end)";
    assert_eq!(say(code), "true\n");
}

#[test]
fn coroutines_of_the_script_wait_too() {
    let code = "local get = coroutine.wrap(function()
            panto.task.sleep(0.001)
            coroutine.yield('a')
            panto.process.run{cmd = 'true'}
            return 'b'
        end)
        print(get(), get())";
    assert_eq!(say(code), "a\tb\n");
}

#[test]
fn tasks_run_side_by_side_while_the_main_chunk_waits() {
    let code = "local order, tasks = {}, {}
        for i = 1, 3 do
            tasks[i] = panto.task.spawn(function()
                panto.task.sleep((4 - i) * 0.03)
                order[#order + 1] = i
                return i * 10
            end)
        end
        local results = panto.task.all(tasks)
        print(table.concat(order), table.concat(results, ' '))";
    assert_eq!(say(code), "321\t10 20 30\n");
}

#[test]
fn an_error_of_a_host_function_names_the_line() {
    let ran = World::new().run(&["lua", "-e", "require('panto').fs.read('nowhere')"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.starts_with("lua: (command line):1: read <world>/project/nowhere: No such file"), "{}", ran.err);
}

#[test]
fn what_needs_a_session_says_so() {
    let out = say("for _, name in ipairs{'ext', 'agent', 'register_tool'} do print(select(2, pcall(function() return panto[name] end))) end
        print(panto.nothing_of_this_name)");
    let line = |name: &str| format!("(command line):1: panto.{name}: there is no session in `panto lua`\n");
    assert_eq!(out, [line("ext"), line("agent"), line("register_tool"), "nil\n".into()].concat());
}
