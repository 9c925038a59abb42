//! What calls look like when an extension says so.

use super::*;
use crate::play::{WAITS, play};

fn script() -> String {
    format!(
        r#"
        [[turn]]
        steps = [{{ tool = {{ name = "std.shell", input = {{ command = "{WAITS}" }} }} }}]
        [[turn]]
        steps = [{{ text = "Done." }}]
        "#
    )
}

const RENDERER: &str = r#"panto.ext.register_renderer{tool = "std.shell", render = function(call)
    local lines = select(2, call.text:gsub("[^\n]+", ""))
    return {
        {{text = call.state, role = call.state == "running" and "warning" or "success"}, ", seen: " .. lines},
        {type = "gauge", value = lines, max = 2, width = 10},
    }
end}"#;

#[test]
fn a_renderer_shows_a_call_while_it_runs_when_it_has_ended_and_when_it_is_resumed() {
    play(&script(), |world, _, size| {
        world.user("extensions/demo.lua", RENDERER);
        let mut t = open(world, &[], size);
        t.submit("go").wait("running, seen: 1").wait("50%").snapshot(world, "rendered-live");
        world.write("go", "");
        t.wait("Done.").wait("done, seen: 2").wait("100%").wait("type a prompt").snapshot(world, "rendered-end");
        t.key("ctrl-o").wait("as it came:").wait("│ second").snapshot(world, "rendered-open");
        quit(t);
        let mut t = open(world, &["-c"], size);
        t.wait("done, seen: 2").wait("100%").wait_gone("│ second");
        quit(t);
    });
}

#[test]
fn a_renderer_that_fails_leaves_the_usual_view_and_is_told_of_once() {
    let code = r#"panto.ext.register_renderer{tool = "std.shell", render = function(call)
        if call.state == "running" then return {type = "list", items = {"fine so far"}} end
        return {type = "column", children = {{text = "x", role = "acent"}}}
    end}"#;
    let (world, _model) = world(&script(), code);
    let mut t = start(&world);
    t.submit("go").wait("• fine so far");
    world.write("go", "");
    t.wait("Done.").wait("element.children[1].role: no role `acent`").wait("│ second");
    t.wait_gone("fine so far");
    let told = t.screen().matches("no role `acent`").count();
    assert_eq!(told, 1, "{}", t.screen());
    quit(t);
}

/// L11: the screen never waits for Lua, whatever Lua waits for.
#[test]
fn l11_neither_a_renderer_without_end_nor_a_question_in_a_hook_stops_the_screen() {
    let code = r#"
        panto.ext.register_renderer{tool = "std.shell", render = function() while true do end end}
        panto.ext.on("tool_call", function()
            panto.ext.ui.status("hook", "asking")
            local yes = panto.ext.ui.confirm("May it run?")
            panto.ext.ui.status("hook", yes and "allowed" or "denied")
            if not yes then return {block = true, reason = "no"} end
        end)
        panto.ext.on("turn_end", function() panto.ext.ui.notify("the turn is over") end)"#;
    let (world, _model) = world(&script(), code);
    let mut t = start(&world);
    t.submit("go").wait("May it run?").wait("asking").resize(90, 24).resize(80, 24).wait("May it run?");
    t.pause().key("y").wait("allowed").wait("│ first").type_("typed all the while").wait("> typed all the while");
    world.write("go", "");
    t.wait("Done.").wait("│ second").wait("the turn is over").key("ctrl-c");
    quit(t);
}
