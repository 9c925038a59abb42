//! Status items, widgets, themes, panes, the clipboard.

use super::*;
use crate::play::play;

const SHOW: &str = r#"
    local ui = panto.ext.ui
    ui.status("b", "second")
    ui.status("a", {{text = "build ", role = "dim"}, {text = "\27[31mok", role = "success"}})
    ui.widget("todo", {type = "column", children = {
        {type = "rule", title = "todo"}, {type = "list", items = {"one", {{text = "two", role = "accent"}}, "three"}},
        {type = "gauge", value = 1, max = 3, label = "1 of 3"},
    }})
    ui.widget("side", {{type = "table", header = {"file", "lines"}, rows = {{"a.rs", 10}, {"b.rs", 200}}, align = {"left", "right"}},
        {type = "key_value", pairs = {{"branch", "main"}, {"state", "a long text that wraps around"}}},
        {type = "code", text = "local x = 1\nreturn x", language = "lua"}}, {pane = "side", height = 20})
    ui.widget("low", "below the editor", {pane = "below"})
"#;

#[test]
fn status_items_and_widgets_stay_on_the_screen() {
    play(SILENT, |world, _, size| {
        let gone = r#"panto.register_command{name = "gone", description = "", handler = function()
            panto.ext.ui.status("a") panto.ext.ui.widget("todo") panto.ext.ui.widget("side", nil)
        end}"#;
        world.user("extensions/demo.lua", &format!("{SHOW}\n{gone}"));
        let mut t = open(world, &[], size);
        t.wait("below the editor").wait("1 of 3").wait("build ok · second").snapshot(world, "widgets");
        t.resize(size.0 - 5, size.1).wait("1 of 3").wait("below the editor").resize(size.0, size.1);
        t.submit("/gone").wait_gone("1 of 3").wait_gone("build").wait("second").wait("below the editor");
        quit(t);
    });
}

#[test]
fn what_an_extension_shows_goes_with_it() {
    let (world, _model) = world(SILENT, SHOW);
    // The project's extension of the same name takes the place of the user's when the folder is trusted.
    world.write(".panto/extensions/demo.lua", "panto.ext.ui.status('new', 'another one')");
    let mut t = Terminal::panto(&world, &[], 80, 24);
    t.wait("not now").wait("below the editor").key("t").wait("another one").wait_gone("below the editor");
    t.wait_gone("1 of 3").wait_gone("second");
    quit(t);
}

#[test]
fn a_huge_widget_is_cut_and_the_screen_goes_on() {
    let code = r#"
        local long = {}
        for i = 1, 200000 do long[i] = "row " .. i .. " of a widget that is far too long" end
        panto.ext.ui.widget("huge", table.concat(long, "\n"), {height = 30})
        panto.ext.ui.widget("wide", {type = "line", text = ("x"):rep(10 << 20)}, {pane = "below"})"#;
    let (world, _model) = world(SILENT, code);
    let mut t = start(&world);
    t.wait("row 1 of").wait("xxxx").type_("a draft").wait("> a draft").key("ctrl-c");
    quit(t);
}

#[test]
fn a_theme_of_an_extension_is_listed_chosen_and_kept() {
    let code = r##"
        panto.ext.register_theme{name = "sea", inherits = "dark", palette = {wave = "#00aaff"}, styles = {prompt = "wave", text = {fg = "#010203"}}}
        local ok, told = pcall(panto.ext.register_theme, {name = "bad", styles = {link = {fg = "see"}}})
        panto.register_command{name = "told", description = "", handler = function() panto.ext.ui.notify(told) end}"##;
    let (world, _model) = world(SILENT, code);
    let mut t = start(&world);
    t.submit("/theme").wait("─ themes").pause().send("sea").wait("from demo").key("enter").wait_gone("─ themes");
    let colour = b"38;2;1;2;3";
    t.submit("/told").wait("register_theme: `styles.link`: there is no colour `see`");
    assert!(t.log().windows(colour.len()).any(|w| w == colour), "the theme is worn");
    quit(t);
    world.user("config.toml", "theme = \"sea\"\n");
    let mut t = start(&world);
    t.submit("/told").wait("`styles.link`");
    assert!(t.log().windows(colour.len()).any(|w| w == colour), "the theme of the settings may be an extension's");
    assert!(!t.screen().contains("there is no theme"), "{}", t.screen());
    quit(t);
    world.user("config.toml", "theme = \"see\"\n");
    let mut t = start(&world);
    t.wait("there is no theme `see`");
    quit(t);
}

#[test]
fn panes_are_opened_by_name_and_texts_copied() {
    let code = r#"
        panto.register_command{name = "open", description = "", handler = function(args) panto.ext.ui.open(args) end}
        panto.register_command{name = "clip", description = "", handler = function(args) panto.ext.ui.copy(args) end}"#;
    let (world, _model) = world(SILENT, code);
    let mut t = start(&world);
    for (pane, title) in [
        ("sessions", "─ sessions"),
        ("models", "─ models"),
        ("thinking", "─ thinking"),
        ("themes", "─ themes"),
        ("help", "─ commands"),
        ("keys", "─ keys"),
        ("tools", "─ tools"),
        ("extensions", "─ extensions"),
        ("prompts", "─ prompt history"),
    ] {
        t.submit(&format!("/open {pane}")).wait(title).key("esc").wait_gone(title);
    }
    t.submit("/open nowhere").wait("there is no pane `nowhere`");
    t.submit("/clip words").wait("type a prompt").submit("/open keys").wait("─ keys").key("esc").wait_gone("─ keys");
    let copied = b"\x1b]52;c;d29yZHM=\x07";
    assert!(t.log().windows(copied.len()).any(|w| w == copied));
    quit(t);
}
