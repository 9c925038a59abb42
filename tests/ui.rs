//! What extensions do to the screen: the whole program at a terminal, a script for the model, Lua, and keys.

#[path = "ui/asks.rs"]
mod asks;
#[path = "ui/keys.rs"]
mod keys;
#[path = "ui/looks.rs"]
mod looks;
#[path = "ui/renderers.rs"]
mod renderers;
#[path = "ui/sessions.rs"]
mod sessions;

use crate::play::{open, quit};
use crate::support::{Model, Terminal, World};

/// A model that has nothing to say.
const SILENT: &str = "[[turn]]\nsteps = [{ text = \"unused\" }]";

/// A world whose user has one extension, `demo`.
fn world(script: &str, code: &str) -> (World, Model) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    world.user("extensions/demo.lua", code);
    (world, model)
}

/// A command that notes what `code` gives: `got: …`, with nil for nothing and lists in brackets.
fn command(name: &str, code: &str) -> String {
    format!(
        r#"panto.register_command{{name = "{name}", description = "does it", handler = function(args)
            local function word(v)
                if type(v) ~= "table" then return tostring(v) end
                local all = {{}}
                for i, item in ipairs(v) do all[i] = word(item) end
                return "[" .. table.concat(all, ",") .. "]"
            end
            local all = table.pack({code})
            for i = 1, all.n do all[i] = word(all[i]) end
            panto.ext.ui.notify("got: " .. table.concat(all, " "))
        end}}
        "#
    )
}

/// The program in a screen of the usual size.
fn start(world: &World) -> Terminal {
    open(world, &[], (80, 24))
}
