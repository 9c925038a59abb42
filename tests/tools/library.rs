//! The namespaces as scripts see them.

use super::{Bench, on_tokio};
use crate::support::wait::{running, until};
use panto::conversation::Part;
use serde_json::json;

/// What a handler with this body returns.
pub(super) async fn probe(body: &str) -> String {
    probe_with("", body).await
}

/// The same in an extension that has more to it.
pub(super) async fn probe_with(main: &str, body: &str) -> String {
    let tool = format!(
        "panto.register_tool{{name='probe', description='d', schema={{type='object'}}, handler=function(input, call) {body} end}}\n{main}"
    );
    let b = Bench::with(|_| {}, &tool).await;
    let outcome = b.call("probe", json!({})).await;
    Part::joined(&outcome.parts)
}

#[test]
fn processes_and_files() {
    on_tokio(async {
        let text = probe(
            "panto.fs.write('made.txt', 'content')
            local r = panto.process.run{cmd='cat made.txt; echo err >&2; exit 3'}
            return r.code .. '|' .. r.stdout .. '|' .. r.stderr .. '|' .. panto.fs.read('made.txt')",
        );
        assert_eq!(text.await, "3|content|err\n|content");
    });
}

#[test]
fn l13_output_is_bounded_for_scripts_too() {
    on_tokio(async {
        let text = probe(
            "local r = panto.process.run{argv={'yes'}, timeout=0.3}
            return tostring(#r.stdout < 2e6) .. tostring(r.truncated) .. tostring(r.timed_out)",
        );
        assert_eq!(text.await, "truetruetrue");
    });
}

#[test]
fn files_are_bytes() {
    on_tokio(async {
        let text = probe(
            r"local all = {}
            for i = 0, 255 do all[#all + 1] = string.char(i) end
            all = table.concat(all)
            panto.fs.write('d/b', all) panto.fs.append('d/b', '\xff')
            assert(panto.fs.read('d/b') == all .. '\xff' and panto.fs.read('d/b', {offset = 254, limit = 2}) == '\xfe\xff')
            local stat = panto.fs.stat('d/b')
            assert(stat.type == 'file' and stat.size == 257 and panto.fs.stat('none') == nil)
            panto.fs.rename('d/b', 'd/c') panto.fs.copy('d', 'e') panto.fs.mkdir('e/f/g') panto.fs.remove('d', {recursive = true})
            local names = {}
            for _, e in ipairs(panto.fs.list('e')) do names[#names + 1] = e.name .. ':' .. e.type end
            local found, more = panto.fs.walk('e', {glob = 'c'})
            local page = panto.fs.lines('e/c', {limit = 1})
            local temp = panto.fs.tempfile('x-', '.txt')
            assert(temp:match('x%-.*%.txt$') and panto.fs.stat(temp)) panto.fs.remove(temp)
            return table.concat(names, ' ') .. ' ' .. found[1].path .. tostring(more) .. #page.lines[1] .. tostring(page.more)",
        );
        assert_eq!(text.await, "c:file f:dir cfalse10true");
    });
}

#[test]
fn errors_name_path_reason_and_the_callers_line() {
    on_tokio(async {
        let text = probe("local ok, e = pcall(panto.fs.read, 'none') return e").await;
        assert!(text.contains("read /") && text.ends_with("/none: No such file or directory"), "{text}");
        let text = probe("panto.process.run{argv={'no-such-program'}}").await;
        assert!(text.contains("t.lua:1: no-such-program: No such file"), "{text}");
        let text = probe("panto.process.run{cmd='x', timeout='soon'}").await;
        assert!(text.contains("panto.process.run: `timeout` must be a number of seconds, got string"), "{text}");
        let text = probe("panto.process.run{}").await;
        assert!(text.contains("needs either `cmd`"), "{text}");
        let text = probe("panto.process.run('ls')").await;
        assert!(text.contains("expects a table of options, got string"), "{text}");
    });
}

#[test]
fn output_comes_in_the_callers_coroutine() {
    on_tokio(async {
        let text = probe(
            "local heard = {}
            local r = panto.process.run{argv={'/bin/sh', '-c', 'cat; echo one; echo $A; echo ${HOME-none}'}, stdin='in;',
                env={A='1', HOME=false}, on_output=function(chunk) panto.task.sleep(0.001) heard[#heard + 1] = chunk end}
            return table.concat(heard) .. r.code .. tostring(r.stdout == table.concat(heard))",
        );
        assert_eq!(text.await, "in;one\n1\nnone\n0true");
    });
}

#[test]
fn an_error_in_on_output_ends_the_command() {
    on_tokio(async {
        let nap = super::mark(6119);
        let body = format!(
            "local ok, e = pcall(panto.process.run, {{cmd='echo x; sleep {nap}', on_output=function() error('enough') end}})
            return tostring(e)"
        );
        assert!(probe(&body).await.ends_with("enough"));
        until("the command's end", || !running(&nap)).await;
    });
}

#[test]
fn secrets_stay_out_of_the_environment() {
    on_tokio(async {
        // A variable that is surely there, declared to hold a key.
        let secret = |options: &mut panto::config::Options| {
            let provider = panto::config::ProviderConfig { api_key_env: Some("HOME".into()), ..Default::default() };
            options.providers.insert("mine".into(), provider);
        };
        let b = Bench::with(secret, "").await;
        let text = b.ok("std.shell", json!({"command": "env"})).await;
        let inherited = |name: &str| text.lines().any(|line| line.starts_with(name));
        assert!(inherited("PATH=") && !inherited("HOME="), "{text}");
        let text = probe("return panto.process.run{cmd='env', env={MY_OWN_TOKEN='kept', PLAIN=1}}.stdout").await;
        assert!(text.contains("MY_OWN_TOKEN=kept\n") && text.contains("PLAIN=1\n"), "{text}");
    });
}

#[test]
fn long_lived_commands_talk() {
    on_tokio(async {
        let text = probe(
            "local p <close> = panto.process.spawn{argv={'sh', '-c', 'while read l; do echo \"<$l>\"; done; echo bye >&2; exit 4'}}
            p:write('a\\nb\\n')
            local one, two = p:read_line(), p:read_line(5)
            local none, why = p:read_line(0.01)
            p:close_stdin()
            assert(p:read_line() == nil)
            local code = p:wait()
            return table.concat({one, two, tostring(none), why, code, p:errors()}, ' ')",
        );
        assert_eq!(text.await, "<a> <b> nil timeout 4 bye\n");
    });
}

#[test]
fn a_long_lived_command_ends_with_the_call_that_started_it() {
    on_tokio(async {
        let tool = "panto.register_tool{name='probe', description='d', schema={type='object'}, handler=function()
            if not kept then kept = panto.process.spawn{argv={'sleep', '1000'}} return 'talks' end
            local code, signal = panto.task.timeout(20, function() return kept:wait() end)
            return tostring(code) .. ' ' .. tostring(signal)
        end}";
        let b = Bench::with(|_| {}, tool).await;
        assert_eq!(b.ok("probe", json!({})).await, "talks");
        assert_eq!(b.ok("probe", json!({})).await, "nil 15");
    });
}

#[test]
fn commands_take_the_fields_that_mean_something() {
    on_tokio(async {
        for (call, said) in [
            (
                "run{cmd='true', time_out=1}",
                "run: there is no field `time_out` (did you mean `timeout`?); there are cmd ",
            ),
            ("spawn{cmd='true', timeout=1}", "spawn: there is no field `timeout`; there are cmd argv "),
            ("spawn{cmd='true', stdin=''}", "spawn: there is no field `stdin`"),
            ("detach{cmd='true', on_output=print}", "detach: there is no field `on_output`"),
            ("run{cmd='true', timeout=0/0}", "run: `timeout` must be more than 0 seconds"),
            ("spawn{cmd='cat'}:read_line(-1)", "a number of seconds from 0 expected, got -1"),
        ] {
            let text = probe(&format!("panto.process.{call}")).await;
            assert!(text.contains(said), "{call}: {text}");
        }
        let text = probe("panto.fs.watch('.'):next(0/0)").await;
        assert!(text.contains("a number of seconds from 0 expected"), "{text}");
    });
}

#[test]
fn a_time_beyond_all_clocks_is_no_limit() {
    on_tokio(async {
        assert_eq!(probe("return panto.process.run{cmd='echo fine', timeout=1e19}.stdout").await, "fine\n");
        assert_eq!(probe("return panto.process.run{cmd='echo fine', timeout=math.huge}.stdout").await, "fine\n");
        let text = probe("panto.http.request{url='http://127.0.0.1:1', timeout=1e19}").await;
        assert!(text.contains("127.0.0.1:1") && !text.contains("panicked"), "{text}");
    });
}

#[test]
fn small_namespaces() {
    on_tokio(async {
        let text = probe(
            r#"local t = panto.text
            assert(t.width("日本") == 4 and t.truncate("abcdef", 4) == "abc…" and #t.wrap("a b c", 3) == 2)
            assert(t.strip("\27[1mx\27[0m") == "x" and t.clean("\0\xff") == "␀\u{FFFD}" and t.settle("a\rb") == "b")
            assert(t.is_utf8("ä") and not t.is_utf8("\xe4") and t.is_binary("\0"))
            local p = panto.path
            assert(p.join("a", "b") == "a/b" and p.dirname("/a/b") == "/a" and p.basename("/a/b.c") == "b.c" and p.extension("x.lua") == "lua")
            assert(p.normalize("a/../b") == "b" and p.absolute("x") == call.cwd:gsub("/$", "") .. "/x" and p.relative(p.absolute("x")) == "x")
            assert(panto.base64.encode("hi") == "aGk=" and panto.base64.decode("aGk") == "hi")
            assert(panto.hash.sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            assert(#panto.uuid() == 36 and panto.uuid() ~= panto.uuid())
            local d = panto.toml.decode("a = 1\n[b]\nc = ['x']")
            assert(d.a == 1 and d.b.c[1] == "x" and panto.toml.encode({k = true}) == "k = true\n")
            assert(panto.json.encode({a = panto.json.array(), b = {}, c = panto.null}):find('"a":[]', 1, true))
            assert(panto.json.encode(panto.json.decode('{"x":[],"y":{}}')) == '{"x":[],"y":{}}')
            assert(panto.time.format(0) == "1970-01-01T00:00:00.000Z" and panto.time.parse("1970-01-01T00:00:01Z") == 1)
            assert(panto.time.monotonic() >= 0 and panto.time.now() > 1e9)
            assert(panto.env.get("PATH") and panto.env.get("NO_SUCH_VARIABLE") == nil and panto.env.cwd())
            local ok, problems = panto.schema.check({type = "object", required = {"a"}}, {b = 1})
            assert(not ok and problems[1]:find("a") and panto.schema.check({type = "integer"}, 1))
            local new, how = panto.diff.replace("a\nb\n", "b", "c")
            assert(new == "a\nc\n" and how.count == 1 and how.lines[1] == 2)
            local none, why = panto.diff.replace("x x", "x", "y")
            assert(none == nil and why.kind == "ambiguous")
            assert(panto.diff.unified("a\n", "b\n", {path = "f"}):find("-a\n+b", 1, true) and panto.diff.words("a b", "a c")[1].sign == "=")
            assert(panto.ext.config("tools.shell_timeout") == 300 and panto.ext.config("no.such", 7) == 7)
            local answer = panto.grep{pattern = "needle"}
            assert(answer.matches == 0 and #answer.files == 0 and not answer.more)
            panto.log.info("a line for the log")
            return "all""#,
        );
        assert_eq!(text.await, "all");
    });
}

/// What annotation files define in a namespace: `function panto.fs.read(` and methods of long-lived commands.
fn annotated(prefix: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/lua/types");
    let mut names = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let functions = text.lines().filter_map(|line| line.strip_prefix("function ")?.split('(').next());
        names.extend(functions.filter(|name| name.starts_with(prefix)).map(str::to_owned));
    }
    names.sort();
    names
}

#[test]
fn who_has_an_object_has_none_of_its_methods() {
    on_tokio(async {
        for make in [
            "panto.task.spawn(print)",
            "panto.task.channel()",
            "panto.process.spawn{argv={'true'}}",
            "panto.fs.watch('.')",
        ] {
            let body = format!(
                "local object, other = {make}, {make}
                local name = object.await and 'await' or 'close'
                if object.kill then name = 'kill' end
                local method = assert(other[name])
                object[name] = error
                return tostring(object.__index) .. tostring(getmetatable(object)) .. tostring(pcall(setmetatable, object, {{}}))
                    .. tostring(other[name] == method)"
            );
            assert_eq!(probe(&body).await, "nilfalsefalsetrue", "{make}");
        }
    });
}

#[test]
fn every_function_is_annotated_and_every_annotation_bound() {
    on_tokio(async {
        for namespace in [
            "fs", "process", "sandbox", "http", "diff", "text", "path", "json", "toml", "yaml", "base64", "hash",
            "schema", "env", "time", "log",
        ] {
            let list = format!(
                "local names = {{}} for name, value in pairs(panto.{namespace}) do
                    if type(value) == 'function' then names[#names + 1] = 'panto.{namespace}.' .. name end
                end table.sort(names) return table.concat(names, ' ')"
            );
            assert_eq!(probe(&list).await, annotated(&format!("panto.{namespace}.")).join(" "), "{namespace}");
        }
        let methods = "local p <close> = panto.process.spawn{argv={'true'}} local names = {}
            for name in pairs(debug.getmetatable(p).__index) do if name:sub(1, 2) ~= '__' then names[#names + 1] = 'Live:' .. name end end
            table.sort(names) return table.concat(names, ' ')";
        assert_eq!(probe(methods).await, annotated("Live:").join(" "));
        let methods = "local w <close> = panto.fs.watch('.') local names = {}
            for name in pairs(debug.getmetatable(w).__index) do if name:sub(1, 2) ~= '__' then names[#names + 1] = 'Watch:' .. name end end
            table.sort(names) return table.concat(names, ' ')";
        assert_eq!(probe(methods).await, annotated("Watch:").join(" "));
        assert_eq!(probe("return type(panto.grep) .. type(panto.uuid)").await, "functionfunction");
    });
}
