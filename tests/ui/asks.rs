//! Questions of extensions.

use super::*;
use crate::play::{play, play_both};

fn asking(name: &str, code: &str) -> (World, Model) {
    world(SILENT, &command(name, code))
}

#[test]
fn a_confirmation_is_answered_by_a_letter_or_by_esc() {
    play_both(SILENT, |world, model, size| {
        let code =
            r#"panto.ext.ui.confirm("Really delete it?", {title = "delete", yes = "delete it", no = "keep it"})"#;
        world.user("extensions/demo.lua", &command("ask", code));
        let mut t = open(world, &[], size);
        t.submit("/ask").wait("Really delete it?").snapshot(world, "ask-confirm");
        t.pause().key("y").wait("got: true").wait_gone("Really delete it?");
        t.submit("/ask").wait("Really delete it?").key("esc").wait("got: false");
        assert!(model.asked().is_empty());
        quit(t);
    });
}

#[test]
fn one_of_a_list_is_found_by_typing() {
    play_both(SILENT, |world, _, size| {
        let code = r#"panto.ext.ui.select("Which fruit?", {"apple", {label = "banana", detail = "yellow", value = 42},
            "cherry"}, {text = "There is no other."})"#;
        world.user("extensions/demo.lua", &command("ask", code));
        let mut t = open(world, &[], size);
        t.submit("/ask").wait("Which fruit?").snapshot(world, "ask-select");
        t.pause().send("ban").wait_gone("cherry").key("enter").wait("got: 42 2").wait_gone("Which fruit?");
        t.submit("/ask")
            .wait("Which fruit?")
            .pause()
            .key("down")
            .key("down")
            .pause()
            .key("enter")
            .wait("got: cherry 3");
        t.submit("/ask").wait("Which fruit?").key("esc").wait("got: nil nil");
        quit(t);
    });
}

#[test]
fn several_of_a_list_are_marked() {
    let (world, _model) =
        asking("ask", r#"panto.ext.ui.select("Which?", {"a", "b", "c"}, {multi = true, default = {"b"}})"#);
    let mut t = start(&world);
    t.submit("/ask").wait("[x] b").pause().key("tab").wait("[ ] b").key("down").key("tab").wait("[x] c");
    t.key("down").key("tab").wait("[x] a").key("enter").wait("got: [a,c] nil");
    quit(t);
}

#[test]
fn a_line_and_a_text_are_typed() {
    play(SILENT, |world, _, size| {
        let line = command("line", r#"panto.ext.ui.input("Your name", {placeholder = "who are you?"})"#);
        let text =
            command("text", r#"(panto.ext.ui.edit("one\ntwo", {title = "Edit it"}) or "nothing"):gsub("\n", "/")"#);
        world.user("extensions/demo.lua", &(line + &text));
        let mut t = open(world, &[], size);
        t.submit("/line").wait("who are you?").snapshot(world, "ask-input");
        t.pause().send("Zoë x").wait("> Zoë x").key("backspace").key("backspace").pause().key("enter").wait("got: Zoë");
        t.submit("/text")
            .wait("Edit it")
            .pause()
            .key("alt-enter")
            .send("three")
            .wait("three")
            .snapshot(world, "ask-edit");
        t.pause().key("enter").wait("got: one/two/three");
        t.submit("/text").wait("Edit it").key("esc").wait("got: nothing");
        quit(t);
    });
}

#[test]
fn questions_of_a_batch_wait_in_one_queue_and_the_turn_goes_on() {
    let script = r#"
        [[turn]]
        steps = [
          { tool = { name = "ask", input = { what = "first" } } }, { tool = { name = "ask", input = { what = "second" } } },
        ]
        [[turn]]
        steps = [{ text = "Answers: {{results}}" }]
        "#;
    let code = r#"panto.register_tool{name = "ask", description = "asks", schema = {type = "object"}, handler = function(input)
        return input.what .. "=" .. tostring(panto.ext.ui.input("The " .. input.what .. " one"))
    end}"#;
    let (world, model) = world(script, code);
    let mut t = start(&world);
    t.submit("go").wait("(and 1 more)").wait("The first one").pause().send("typed").wait("> typed");
    // Neither a new size nor another question takes away what is there.
    t.resize(100, 30).wait("> typed").wait("(and 1 more)").resize(19, 5).resize(80, 24).wait("> typed");
    t.key("enter").wait("The second one").key("esc").wait_gone("The second one").wait("type a prompt");
    assert_eq!(model.results(), ["first=typed", "second=nil"]);
    quit(t);
}

#[test]
fn a_question_goes_with_the_call_that_asks() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "ask", input = {} } }]
        [[turn]]
        steps = [{ text = "Went on." }]
        "#;
    let code = r#"panto.register_tool{name = "ask", description = "asks", schema = {type = "object"}, timeout = 1.5,
        handler = function() return tostring(panto.ext.ui.confirm("Anybody there?")) end}"#;
    let (world, model) = world(script, code);
    let mut t = start(&world);
    t.submit("go").wait("Anybody there?").wait_gone("Anybody there?").wait("Went on.");
    assert!(model.results()[0].contains("timed out after 1.5 s"), "{:?}", model.results());
    quit(t);
}

#[test]
fn after_a_time_out_the_default_is_the_answer() {
    let (world, _model) = asking("ask", r#"panto.ext.ui.select("Quick!", {"a", "b"}, {timeout = 0.5, default = "b"})"#);
    let mut t = start(&world);
    t.submit("/ask").wait("Quick!").wait("got: b 2").wait_gone("Quick!");
    quit(t);
}

#[test]
fn what_is_typed_when_a_question_comes_up_is_no_answer() {
    let code = r#"panto.ext.keymap.set{key = "f6", fn = function()
        panto.ext.ui.notify("got: " .. tostring(panto.ext.ui.input("Suddenly")))
    end}"#;
    let (world, _model) = world(SILENT, &(command("loaded", "1") + code));
    let mut t = start(&world);
    t.type_("/load").wait("does it").key("ctrl-u");
    // One burst: a letter of a draft, the key, and more letters with an Enter behind them.
    t.send("d")
        .send("\x1b[17~")
        .wait("Suddenly")
        .pause()
        .pause()
        .send("real")
        .wait("> real")
        .key("enter")
        .wait("got: real")
        .key("ctrl-u");
    quit(t);
}

#[test]
fn nobody_is_there_in_print_mode() {
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "ask", input = {} } }]
        [[turn]]
        steps = [{ text = "{{result}}" }]
        "#;
    let code = r#"panto.register_tool{name = "ask", description = "asks", schema = {type = "object"}, handler = function()
        local ui, out = panto.ext.ui, {}
        ui.status("key", "words")
        ui.widget("id", "words")
        out[#out + 1] = tostring(ui.confirm("?", {default = true}))
        out[#out + 1] = tostring(ui.select("?", {"a", "b"}, {default = "b"}))
        out[#out + 1] = tostring(ui.input("?", {default = "typed"}))
        out[#out + 1] = tostring(ui.edit("text", {default = "edited"}))
        local calls = {
            {ui.confirm, "?"}, {ui.select, "?", {"a"}}, {ui.input, "?"}, {ui.edit, "?"}, {ui.open, "models"}, {ui.copy, "x"},
        }
        for _, call in ipairs(calls) do out[#out + 1] = select(2, pcall(table.unpack(call))) end
        return table.concat(out, "\n")
    end}"#;
    let (world, model) = world(script, code);
    world.run(&["-p", "go"]).ok();
    let results = model.results();
    let lines: Vec<_> =
        results[0].lines().map(|l| l.rsplit_once("panto.ext.ui.").map_or(l, |(_, words)| words)).collect();
    let nobody = "nobody is there to answer; give a default";
    assert_eq!(lines[..4], ["true", "b", "typed", "edited"]);
    let refused: Vec<_> = ["confirm", "select", "input", "edit"].map(|name| format!("{name}: {nobody}")).into();
    assert_eq!(lines[4..8], refused);
    assert_eq!(lines[8..], ["open: there is no screen here", "copy: there is no screen here"]);
}

#[test]
fn errors_name_the_function_and_the_field() {
    let code = r#"
        local ui = panto.ext.ui
        local function told(...) return (select(2, pcall(...)):gsub("^.-panto%.ext", "")) end
        local words = {
            told(ui.confirm, "?", {defualt = true}), told(ui.confirm, "?", {default = 3}),
            told(ui.select, "?", {}), told(ui.select, "?", {"a", false}), told(ui.select, "?", {"a"}, {default = "z"}),
            told(ui.input, "?", {timeout = -1}), told(ui.status, "k", {type = "rule"}), told(ui.status, "k", "x", {role = "acent"}),
            told(ui.widget, "w", {type = "lst"}), told(ui.widget, "w", "x", {pane = "left"}), told(ui.open, "nowhere"),
            told(ui.notify, "x", "loud"),
        }
        panto.register_tool{name = "told", description = "", schema = {type = "object"}, handler = function()
            return table.concat(words, "\n")
        end}"#;
    let script = "[[turn]]\nsteps = [{ tool = { name = \"told\", input = {} } }]\n[[turn]]\nsteps = [{ text = \"x\" }]";
    let (world, model) = world(script, code);
    world.run(&["-p", "go"]).ok();
    let results = model.results();
    let want = [
        ".ui.confirm: there is no field `defualt` (did you mean `default`?); there are title default yes no timeout",
        ".ui.confirm: `default` must be a boolean, got integer",
        ".ui.select: `items` is empty: there is nothing to choose from",
        ".ui.select: `items[2]` must be a string or a table with `label`",
        ".ui.select: `default` is none of the items",
        ".ui.input: `timeout` must be above 0 seconds, got -1",
        ".ui.status: `text` must be a string or spans",
        ".ui.status: `role`: no role `acent`; did you mean `accent`?",
        ".ui.widget: element.type: no type `lst`; did you mean `list`?",
        ".ui.widget: `pane`: no place `left`; there are above below side",
        ".ui.open: there is no pane `nowhere`; there are sessions models thinking themes help keys tools extensions prompts tree",
        ".ui.notify: no level `loud`; there are info warning error",
    ];
    assert_eq!(results[0].lines().collect::<Vec<_>>(), want);
}
