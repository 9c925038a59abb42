//! Lua packages and the stand-alone interpreter: rows R33–R51 of the contract, offline, against a rocks server of the
//! test's own.

mod agent;
mod c;
mod homes;
mod interpreter;
mod library;
mod rocks;
mod server;
mod stock;
mod types;

use crate::support::World;
use std::path::{Path, PathBuf};

/// `<data>/rocks/lua-5.4.x` for the Lua that is embedded.
fn tree(world: &World) -> PathBuf {
    world.data().join(format!("rocks/lua-{}", panto::lua::rocks::pins::LUA))
}

/// Whether a luarocks is installed here from which the tree can be filled; a test that needs one says so and is skipped.
fn luarocks() -> bool {
    let there = ["5.1", "5.2", "5.3", "5.4"]
        .iter()
        .flat_map(|series| {
            ["/usr/share", "/usr/local/share"].map(|s| format!("{s}/lua/{series}/luarocks/core/cfg.lua"))
        })
        .any(|file| Path::new(&file).is_file());
    if !there {
        eprintln!("skipped: luarocks is not installed");
    }
    there
}

/// Whether C can be compiled here.
fn compiler() -> bool {
    let there = ["/usr/bin/cc", "/usr/local/bin/cc"].iter().any(|file| Path::new(file).is_file());
    if !there {
        eprintln!("skipped: no C compiler here");
    }
    there
}
