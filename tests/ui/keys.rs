//! Keys and completions of extensions.

use super::*;
use crate::play::WAITS;

#[test]
fn a_key_calls_a_function_runs_a_line_and_does_an_action() {
    let code = r#"
        local set = panto.ext.keymap.set
        set{key = "f6", description = "counts", fn = function()
            panto.task.sleep(0.01)
            panto.ext.ui.notify("from the function")
        end}
        set{key = "ctrl-x g", action = "/greet the world"}
        set{key = "ctrl-g", action = "model-picker"}
        panto.register_command{name = "greet", description = "greets", handler = function(args)
            panto.ext.ui.notify("hello " .. args)
        end}
        local function told(key) return select(2, pcall(set, key)):match("keymap%.set: (.*)") end
        panto.register_command{name = "refused", description = "", handler = function()
            panto.ext.ui.notify(table.concat({
                told{key = "ctrl-c", action = "quit"}, told{key = "esc", fn = print}, told{key = "f7", action = "qiut"},
                told{key = "f7"}, told{key = "f7", fn = print, when = "mian"},
            }, "\n"))
        end}"#;
    let (world, _model) = world(SILENT, code);
    let mut t = start(&world);
    // A command that is listed says that the extension is loaded.
    t.type_("/gre")
        .wait("greets")
        .key("ctrl-u")
        .type_("a draft")
        .send("\x1b[17~")
        .wait("from the function")
        .key("ctrl-x")
        .key("g")
        .wait("hello the world");
    t.wait("> a draft").key("ctrl-g").wait("─ models").key("esc").wait_gone("─ models").key("ctrl-c");
    t.submit("/keys").wait("─ keys").pause().send("demo").wait("f6             counts").wait("from demo · main");
    t.wait("ctrl-x g       /greet the world").key("esc").wait_gone("─ keys");
    t.submit("/refused").wait("`key`: ctrl-c always does").wait("`key`: esc always does").wait("nearest is `quit`");
    t.wait("needs either `action` or `fn`").wait("no context `mian`");
    quit(t);
}

#[test]
fn keys_work_while_a_turn_runs() {
    let script = format!(
        r#"
        [[turn]]
        steps = [{{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        steps = [{{ text = "Done." }}]
        "#
    );
    let code = r#"panto.ext.keymap.set{key = "f6", fn = function()
        panto.ext.ui.notify("got: " .. tostring(panto.ext.ui.confirm("Meanwhile?")))
    end}"#;
    let (world, _model) = world(&script, code);
    let mut t = start(&world);
    t.submit("go").wait("│ first").send("\x1b[17~").wait("Meanwhile?").pause().key("y").wait("got: true");
    world.write("go", "");
    t.wait("Done.");
    quit(t);
}

#[test]
fn the_users_keymap_wins_and_the_extension_is_told_of() {
    let (world, _model) = world(SILENT, r#"panto.ext.keymap.set{key = "ctrl-g", action = "quit"}"#);
    world.user("keymap.toml", "[main]\n\"ctrl-g\" = \"model-picker\"\n");
    let mut t = start(&world);
    t.wait("demo cannot have the key ctrl-g: your keymap.toml has this key");
    t.key("ctrl-g").wait("─ models").key("esc").wait_gone("─ models");
    t.submit("/keys").wait("─ keys").pause().send("demo").wait("not bound: your keymap.toml has this key").key("esc");
    t.wait_gone("─ keys").submit("/extensions").wait("not bound: your").key("esc").wait_gone("─ extensions");
    quit(t);
}

#[test]
fn the_keys_page_marks_built_in_keys_that_an_extension_has() {
    let (world, _model) = world(SILENT, r#"panto.ext.keymap.set{key = "ctrl-o", action = "quit"}"#);
    let mut t = start(&world);
    t.submit("/keys").wait("─ keys").pause().send("toggle-tool").wait("ctrl-o is demo's now").key("esc");
    t.wait_gone("─ keys");
    quit(t);
}

#[test]
fn arguments_are_completed_by_the_extension() {
    let code = r#"panto.register_command{name = "greet", description = "greets",
        handler = function(args) panto.ext.ui.notify("hello " .. args) end,
        complete = function(prefix)
            panto.task.sleep(0.01)
            if prefix == "fail" then error("no idea") end
            return {"alice", {value = "bob", description = "the builder"}, "carol"}
        end}"#;
    let (world, _model) = world(SILENT, code);
    let mut t = start(&world);
    t.type_("/greet ").wait("the builder").snapshot(&world, "complete-arguments");
    t.type_("bo").wait_gone("carol").key("tab").wait("> /greet bob").pause().key("enter").wait("hello bob");
    // Letters of a row, in their order, are no beginning of it: what is typed runs, unless the row is chosen.
    t.type_("/greet ce").wait_gone("builder").wait("alice").pause().key("enter").wait("hello ce");
    t.type_("/greet ce")
        .wait_gone("builder")
        .wait("alice")
        .pause()
        .key("tab")
        .wait("> /greet alice")
        .key("enter")
        .wait("hello alice");
    t.type_("/greet fail").wait("completion of /greet").wait("no idea").pause().key("enter").wait("hello fail");
    quit(t);
}
