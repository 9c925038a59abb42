//! The whole program at a terminal while an extension misbehaves.

use crate::support::{Model, Terminal, World};

#[test]
fn l01_the_program_stays_usable_while_a_c_function_does_not_return() {
    let mut world = World::new();
    let script = r#"
        [[turn]]
        steps = [{ tool = { name = "wedge", input = {} } }]
        [[turn]]
        steps = [{ text = "It said: {{result}}" }]
        [[turn]]
        steps = [{ text = "Still here." }]
        [[turn]]
        steps = [{ tool = { name = "fine", input = {} } }]
        [[turn]]
        steps = [{ text = "And now: {{result}}" }]
        "#;
    let model = Model::serve(&mut world, script);
    let fifo = world.project().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    world.user("config.toml", "[lua]\nwedge_timeout = 1\n");
    let tool = |name: &str, body: &str| {
        format!(
            "panto.register_tool{{name = '{name}', description = 'd', schema = {{type = 'object'}}, handler = function() {body} end}}\n"
        )
    };
    let code = tool("wedge", "os.execute('cat fifo')") + &tool("fine", "return 'fine again'");
    world.user("extensions/bad.lua", &code);
    let mut t = Terminal::panto(&world, &[], 100, 30);
    t.wait("type a prompt").submit("go").wait("Lua does not answer").wait("It said:");
    assert!(t.screen().contains("in tool 'wedge'"), "{}", t.screen());
    t.submit("are you there?").wait("Still here.");
    std::fs::write(&fifo, "").expect("the fifo");
    t.wait("Lua answers again").submit("and now?").wait("And now: fine again");
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
    drop(model);
}
