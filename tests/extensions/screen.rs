//! `/reload`, `/extensions` and `panto extensions` in the whole program.

use crate::support::{Model, Terminal, World};

const TWO_TURNS: &str = r#"
    [[turn]]
    steps = [{ text = "answer one" }]
    [[turn]]
    steps = [{ text = "answer two" }]
"#;

fn open(world: &World, size: (u16, u16)) -> Terminal {
    let mut t = Terminal::panto(world, &[], size.0, size.1);
    t.wait("type a prompt");
    t
}

fn quit(mut t: Terminal) {
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn l10_reload_in_the_program_takes_new_code() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, TWO_TURNS);
    let note = world.project().join("heard");
    world.user(
        "extensions/e/init.lua",
        &format!(
            "local h = require('helper') panto.ext.on('turn_start', function() local f = io.open({:?}, 'a') f:write(h, ';') f:close() end)",
            note.display().to_string()
        ),
    );
    world.user("extensions/e/helper.lua", "return 'OLD'");
    let mut t = open(&world, (120, 40));
    t.submit("hi").wait("answer one").wait("type a prompt");
    world.user("extensions/e/helper.lua", "return 'NEW'");
    world.user("extensions/fresh.lua", "panto.register_command{name='fresh', description='is new', handler=print}");
    t.submit("/reload").wait("reloaded 2 extensions");
    t.type_("/fre").wait("is new").key("ctrl-u").wait_gone("is new");
    t.submit("hi again").wait("answer two").wait("type a prompt");
    quit(t);
    assert_eq!(world.read("heard"), "OLD;NEW;");
}

#[test]
fn a_failed_reload_is_shown_with_its_place() {
    for size in [(80, 24), (120, 40)] {
        let mut world = World::new();
        let _model = Model::serve(&mut world, TWO_TURNS);
        world.user("extensions/e.lua", "panto.register_command{name='still', description='is there', handler=print}");
        let mut t = open(&world, size);
        t.type_("/sti").wait("is there").key("ctrl-u").wait_gone("is there");
        world.user("extensions/e.lua", "\n\nerror('kaboom')");
        t.submit("/reload e").wait("e.lua:3: kaboom").wait("stack traceback");
        t.type_("/sti").wait("is there").key("ctrl-u").wait_gone("is there");
        quit(t);
    }
}

#[test]
fn the_extensions_panel_shows_switches_and_reloads() {
    for size in [(80, 24), (120, 40)] {
        let mut world = World::new();
        let _model = Model::serve(&mut world, TWO_TURNS);
        world.user("extensions/hello/extension.toml", "version = '0.4'\ndescription = 'Greets.'\nneeds = ['ui']");
        world.user(
            "extensions/hello/init.lua",
            "panto.register_command{name='greet', description='says hello', handler=print}",
        );
        world.user("extensions/broken.lua", "error('kaboom')");
        let mut t = open(&world, size);
        t.submit("/extensions").wait("built-in").wait("broken").type_("hello").wait("Greets.").wait("may ui");
        t.key("alt-s").wait("hello is off now").wait("disabled, user");
        t.key("alt-s").wait("hello is on now").wait("loaded, user");
        t.key("alt-r").wait("reloaded hello");
        t.key("ctrl-u").type_("broken").wait("failed, user").wait("kaboom");
        t.key("esc").wait_gone("failed, user");
        quit(t);
        let kept = std::fs::read_to_string(world.data().join("extensions.json")).expect("it is remembered");
        assert!(kept.contains("\"hello\": true"), "{kept}");
    }
}

#[test]
fn panto_extensions_prints_rights_and_failures() {
    let world = World::new();
    world.user("extensions/hello/extension.toml", "version = '0.4'\nneeds = ['fs_read']");
    world.user("extensions/hello/init.lua", "panto.register_command{name='greet', description='', handler=print}");
    world.user("extensions/broken.lua", "error('kaboom')");
    let out = world.run(&["extensions"]).ok().out;
    for told in ["built-in", "hello 0.4", "rights    fs_read", "commands  /greet", "✗ broken", "kaboom"] {
        assert!(out.contains(told), "{told}: {out}");
    }
}
