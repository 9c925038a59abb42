//! Rocks and the agent: extensions that come as rocks, and a start that waits for none of it.

use super::server::Server;
use super::{luarocks, tree};
use crate::support::{Terminal, World};
use std::fs;
use std::path::Path;

const HELLO: &[(&str, &str)] = &[
    (
        "init.lua",
        "local words = require('panto_hello.words')
        panto.register_command{ name = 'hello', description = 'd',
            handler = function() panto.ext.ui.notify(words.hello) end }",
    ),
    ("words.lua", "return { hello = 'HELLO-FROM-A-ROCK' }"),
];
const BUILD: &str =
    "build = { type = 'builtin', modules = { panto_hello = 'init.lua', ['panto_hello.words'] = 'words.lua' } }";

/// Whether luv is found here, so that no battery is missing.
fn luv() -> bool {
    let there = Path::new(&format!("/usr/lib/{}-linux-gnu/lua/5.4/luv.so", std::env::consts::ARCH)).exists();
    if !there {
        eprintln!("skipped: luv is not installed");
    }
    there
}

fn world(server: &str, rocks: &str) -> World {
    let mut world = World::new();
    world.set("PANTO_BOOTSTRAP_NO_RECONCILE", "").set("PANTO_ROCKS_SERVER", server);
    world.user("config.toml", &format!("[extensions]\nrocks = [{rocks}]\n"));
    world
}

#[test]
fn r32_r44_rocks_of_the_configuration_are_installed_beside_the_program_and_loaded() {
    if !luarocks() || !luv() {
        return;
    }
    let mut server = Server::start();
    server.rock("panto-hello", HELLO, BUILD);
    let world = world(&server.url, r#""panto-hello 1.0", "nosuch""#);
    let mut t = Terminal::panto(&world, &["--model", "faux:demo"], 110, 30);
    t.wait("type a prompt").wait("installing rock panto-hello 1.0 via luarocks").wait("installed panto-hello 1.0");
    t.wait("extension nosuch: luarocks exited with code 1");
    t.submit("/hello").wait("HELLO-FROM-A-ROCK").submit("/quit");
    assert_eq!(t.exit_code(), 0);
    // The next start needs no server.
    let asked = server.asked().len();
    let said = world.run(&["extensions"]).ok().out;
    assert!(said.contains("panto-hello\n") && said.contains("  commands  /hello\n"), "{said}");
    assert!(said.contains("✗ nosuch\n  the rock is not installed: `panto rocks install nosuch` installs it"), "{said}");
    assert_eq!(server.asked().len(), asked);
}

#[test]
fn r43_all_there_needs_no_network() {
    if !luv() {
        return;
    }
    let server = Server::start();
    let world = world(&server.url, "");
    world.run(&["bootstrap"]).ok();
    world.run(&["lua", "-e", "assert(require 'luv')"]).ok();
    let mut t = Terminal::panto(&world, &["--model", "faux:demo"], 100, 30);
    t.wait("type a prompt").submit("/quit");
    assert_eq!(t.exit_code(), 0);
    assert_eq!(server.asked(), [""; 0]);
}

#[test]
fn r43_a_battery_that_luarocks_has_installed_counts_without_being_loaded() {
    let server = Server::start();
    let world = world(&server.url, "");
    fs::create_dir_all(tree(&world).join("lib/luarocks/rocks-5.4/luv/1.52.1-0")).expect("a folder");
    let ran = world.run(&["bootstrap"]).ok();
    assert_eq!((ran.err.as_str(), server.asked()), ("", vec![]));
}

#[test]
fn r50_without_network_the_agent_starts_and_says_one_thing() {
    if !luv() {
        return;
    }
    let world = world("http://127.0.0.1:9", r#""panto-hello 1.0""#);
    let mut t = Terminal::panto(&world, &["--model", "faux:demo"], 240, 30);
    t.wait("type a prompt")
        .wait("extension panto-hello:")
        .wait("could not download http://127.0.0.1:9/")
        .wait("`panto rocks install panto-hello 1.0`");
    assert_eq!(t.screen().matches("extension panto-hello").count(), 1);
    t.submit("/quit");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn r50_in_print_mode_nothing_is_installed_and_the_rest_works() {
    let server = Server::start();
    let world = world(&server.url, r#""panto-hello 1.0", "not a rock at all""#);
    let ran = world.run(&["-p", "hi", "--model", "faux:demo"]).ok();
    assert!(!ran.out.is_empty());
    assert!(ran.err.contains("the rock is not installed: `panto rocks install panto-hello 1.0`"), "{}", ran.err);
    assert!(ran.err.contains("\"not a rock at all\" is not `name version`"), "{}", ran.err);
    assert_eq!(server.asked(), [""; 0]);
    assert!(!tree(&world).exists(), "an agent that needs no rocks writes no tree");
}
