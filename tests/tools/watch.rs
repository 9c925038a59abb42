//! `panto.fs.watch`: settled changes, told to who waits, until the watch or its owner ends.

use super::library::{probe, probe_with};
use super::{Bench, on_tokio};
use serde_json::json;

#[test]
fn changes_are_told_when_they_have_settled() {
    on_tokio(async {
        let text = probe(
            r#"panto.fs.mkdir("d/sub") panto.fs.write("d/old", "x")
            local w <close> = panto.fs.watch("d", {debounce = 0.05})
            local function told()
                local list, changes = {}, w:next(10)
                for _, c in ipairs(changes) do list[#list + 1] = c.kind .. " " .. panto.path.relative(c.path) end
                return table.concat(list, ",")
            end
            local out = {}
            for i = 1, 3 do panto.fs.append("d/sub/new", "x") end
            out[#out + 1] = told()
            panto.fs.append("d/sub/new", "y") panto.fs.remove("d/old")
            out[#out + 1] = told()
            panto.fs.rename("d/sub/new", "d/moved")
            out[#out + 1] = told()
            out[#out + 1] = select(2, w:next(0.01))
            w:close()
            out[#out + 1] = tostring(w:next())
            return table.concat(out, " | ")"#,
        );
        let expected =
            "created d/sub/new | removed d/old,modified d/sub/new | created d/moved,removed d/sub/new | timeout | nil";
        assert_eq!(text.await, expected);
    });
}

#[test]
fn a_file_is_watched_over_its_replacements() {
    on_tokio(async {
        let text = probe(
            r#"panto.fs.write("f", "1") panto.fs.write("other", "1")
            local w <close> = panto.fs.watch("f", {debounce = 0.02})
            panto.fs.write("other", "2")
            local n = 0
            for i = 1, 3 do
                panto.fs.write("f", tostring(i)) -- atomic: another file takes its place
                for _, c in ipairs(w:next(10)) do n = n + 1 assert(panto.path.basename(c.path) == "f") end
            end
            return tostring(n)"#,
        );
        assert_eq!(text.await, "3");
    });
}

#[test]
fn a_callback_hears_of_changes_as_long_as_the_extension_lives() {
    on_tokio(async {
        let main = r#"panto.fs.mkdir("seen") heard = panto.task.channel(100)
            panto.fs.watch("seen", {debounce = 0.01, on_change = function(changes)
                panto.task.sleep(0)
                for _, c in ipairs(changes) do heard:send(c.kind) end
            end})"#;
        let text = probe_with(
            main,
            "panto.fs.write('seen/a', '') local one = heard:receive() panto.fs.remove('seen/a') return one .. heard:receive()",
        );
        assert_eq!(text.await, "createdremoved");
        let text = probe("panto.fs.watch('none')").await;
        assert!(text.contains("t.lua:1: watch /") && text.ends_with("/none: No such file or directory"), "{text}");
        let text = probe("panto.fs.watch('.', {debounce = -1})").await;
        assert!(text.contains("panto.fs.watch: `debounce` must be 0 to 3600 seconds, got -1"), "{text}");
        let text = probe("panto.fs.watch('.', {on_change = 1})").await;
        assert!(text.contains("t.lua:1: panto.fs.watch: `on_change` must be a function"), "{text}");
    });
}

#[test]
fn what_ignore_files_name_is_told_only_if_asked_for() {
    on_tokio(async {
        let text = probe(
            r#"panto.fs.write("p/.gitignore", "target/\n") panto.fs.mkdir("p/target/debug")
            local some <close> = panto.fs.watch("p", {debounce = 0.02})
            local all <close> = panto.fs.watch("p", {debounce = 0.02, ignored = true})
            panto.fs.write("p/target/debug/built", "") panto.fs.write("p/source", "")
            local function paths(changes)
                local list = {}
                for _, c in ipairs(changes) do list[#list + 1] = panto.path.basename(c.path) end
                return table.concat(list, ",")
            end
            local first = paths(all:next(10))
            while not first:find("source") do first = first .. "," .. paths(all:next(10)) end
            return paths(some:next(10)) .. " " .. tostring(first:find("built") ~= nil)"#,
        );
        assert_eq!(text.await, "source true");
    });
}

#[test]
fn a_watch_of_a_call_ends_with_it() {
    on_tokio(async {
        let tool = "panto.register_tool{name='probe', description='d', schema={type='object'}, handler=function()
            if not kept then kept = panto.fs.watch('.') return 'watches' end
            local changes, why = kept:next(5)
            return tostring(changes) .. tostring(why)
        end}";
        let b = Bench::with(|_| {}, tool).await;
        assert_eq!(b.ok("probe", json!({})).await, "watches");
        assert_eq!(b.ok("probe", json!({})).await, "nilnil");
    });
}
