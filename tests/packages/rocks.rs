//! `panto rocks` against a server of the test's own.

use super::server::Server;
use super::{compiler, luarocks, tree};
use crate::support::{World, world::Ran};
use std::fs;

const PURE: &[(&str, &str)] = &[("pure.lua", "return { hello = function() return 'hello from a rock' end }\n")];
const BUILD: &str = "build = { type = 'builtin', modules = { pure = 'pure.lua' } }";

fn world(server: &Server) -> World {
    let mut world = World::new();
    world.set("PANTO_ROCKS_SERVER", &server.url);
    world
}

fn lua(world: &World, code: &str) -> Ran {
    world.run(&["lua", "-e", code])
}

#[test]
fn a_pure_rock_is_installed_required_listed_searched_and_removed() {
    if !luarocks() {
        return;
    }
    let mut server = Server::start();
    server.rock("pure", PURE, BUILD);
    let world = world(&server);
    let said = world.run(&["rocks", "install", "pure"]).ok().out;
    assert!(said.contains("pure 1.0-1 is now installed in <world>/data/panto/rocks/lua-5.4."), "{said}");
    assert_eq!(lua(&world, "print(require 'pure'.hello())").ok().out, "hello from a rock\n");
    assert!(tree(&world).join("lib/luarocks/rocks-5.4/pure/1.0-1/rock_manifest").is_file());
    for words in [&["rocks", "list"][..], &["rocks", "list", "pure"], &["rocks", "search", "pure", "1.0"]] {
        let said = world.run(words).ok().out;
        assert!(said.contains("pure") && said.contains("1.0-1"), "{words:?}: {said}");
    }
    world.run(&["rocks", "remove", "pure"]).ok();
    assert!(lua(&world, "require 'pure'").err.contains("module 'pure' not found"));
    assert!(!world.run(&["rocks", "list"]).ok().out.contains("pure"));
}

#[test]
fn a_c_rock_brings_what_it_depends_on() {
    if !luarocks() || !compiler() {
        return;
    }
    let mut server = Server::start();
    server.rock("pure", PURE, BUILD);
    let code = "#include <lua.h>\nint luaopen_sea(lua_State *L) { lua_pushstring(L, LUA_RELEASE); return 1; }\n";
    let build =
        "dependencies = { 'lua >= 5.4', 'pure' }\nbuild = { type = 'builtin', modules = { sea = { 'sea.c' } } }";
    server.rock("sea", &[("sea.c", code)], build);
    let world = world(&server);
    world.run(&["rocks", "install", "sea", "1.0"]).ok();
    let said = lua(&world, "print((require 'sea'), require 'pure'.hello())").ok().out;
    assert_eq!(said, format!("Lua {}\thello from a rock\n", panto::lua::rocks::pins::LUA));
    let ran = world.run(&["rocks", "remove", "pure"]);
    assert_eq!(ran.code, 1, "another rock needs it");
    assert!(ran.err.contains("luarocks exited with code 1"), "R44: {}", ran.err);
}

#[test]
fn a_missing_compiler_is_named_before_the_build() {
    if !luarocks() {
        return;
    }
    let mut server = Server::start();
    server.rock("sea", &[("sea.c", "")], "build = { type = 'builtin', modules = { sea = { 'sea.c' } } }");
    server.rock("maker", &[("x", "")], "build = { type = 'make' }");
    let mut world = world(&server);
    // Everything that luarocks itself calls, and no compiler.
    let bin = world.project().join("bin");
    fs::create_dir(&bin).expect("a folder");
    for tool in ["sh", "uname", "chmod", "rm", "mkdir", "cp", "mktemp", "env", "umask"] {
        let real = format!("/usr/bin/{tool}");
        let _ = std::os::unix::fs::symlink(real, bin.join(tool));
    }
    world.set("PATH", &bin.display().to_string());
    let ran = world.run(&["rocks", "install", "sea"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("sea needs a C compiler (cc, gcc or clang), which is not on PATH"), "{}", ran.err);
    let ran = world.run(&["rocks", "install", "maker"]);
    assert!(ran.err.contains("maker needs a C compiler (cc, gcc or clang) and make"), "{}", ran.err);
}

#[test]
fn what_goes_wrong_is_said_and_leaves_nothing_behind() {
    if !luarocks() {
        return;
    }
    let mut server = Server::start();
    server.rock("broken", &[("x.lua", "")], "build = {{{");
    let source =
        format!("source = {{ url = {:?}, md5 = '{}' }}\n{BUILD}", server.archive_url("spoiled"), "0".repeat(32));
    server.rock_with("spoiled", PURE, &source);
    server.rock_with("gone", PURE, &format!("source = {{ url = '{}/nothing.tar.gz' }}\n{BUILD}", server.url));
    let world = world(&server);
    for (rock, said) in [
        ("nosuch", "No results matching query were found"),
        ("broken", "Error loading file"),
        ("spoiled", "MD5"),
        ("gone", "nothing.tar.gz"),
    ] {
        let ran = world.run(&["rocks", "install", rock]);
        assert_eq!(ran.code, 1, "{rock}");
        assert!(ran.err.contains("luarocks exited with code 1: ") && ran.err.contains(said), "{rock}: {}", ran.err);
        assert!(!tree(&world).join("lib/luarocks/rocks-5.4").join(rock).exists(), "{rock}");
    }
}

#[test]
fn a_server_that_is_out_of_reach_is_named_and_asked_again() {
    if !luarocks() {
        return;
    }
    let mut world = World::new();
    world.set("PANTO_ROCKS_SERVER", "http://127.0.0.1:9");
    let ran = world.run(&["rocks", "install", "pure"]);
    assert_eq!(ran.code, 1);
    assert!(format!("{}{}", ran.out, ran.err).contains("127.0.0.1:9"), "{ran:?}");
    let mut server = Server::start();
    server.rock("pure", PURE, BUILD);
    world.set("PANTO_ROCKS_SERVER", &server.url);
    world.run(&["rocks", "install", "pure"]).ok();
}

#[test]
fn a_folder_will_do_as_a_server_and_the_configuration_may_name_it() {
    if !luarocks() {
        return;
    }
    let world = World::new();
    let folder = world.project().join("server");
    let rockspec = format!(
        "package = 'pure'\nversion = '1.0-1'\nsource = {{ url = 'file://{}/pure.lua' }}\n{BUILD}\n",
        folder.display()
    );
    world.write("server/pure-1.0-1.rockspec", &rockspec);
    world.write("server/pure.lua", PURE[0].1);
    let manifest = "commands = {} modules = {} repository = { pure = { ['1.0-1'] = { { arch = 'rockspec' } } } }";
    world.write("server/manifest-5.4", manifest);
    world.user("config.toml", &format!("[extensions]\nrocks_server = {:?}\n", folder.display().to_string()));
    world.run(&["rocks", "install", "pure"]).ok();
    assert_eq!(lua(&world, "print(require 'pure'.hello())").ok().out, "hello from a rock\n");
}

#[test]
fn r45_what_a_build_runs_does_not_reconcile() {
    if !luarocks() {
        return;
    }
    let mut server = Server::start();
    let build = "build = { type = 'command', build_command = 'echo guard=$PANTO_BOOTSTRAP_NO_RECONCILE; pwd', install = { lua = { 'pure.lua' } } }";
    server.rock("pure", PURE, build);
    let mut world = world(&server);
    world.set("PANTO_BOOTSTRAP_NO_RECONCILE", "");
    let said = world.run(&["rocks", "install", "pure"]).ok().out;
    assert!(said.contains("guard=1\n"), "{said}");
    assert!(!said.contains("<world>/project\n"), "a build has a folder of its own: {said}");
}

#[test]
fn r42_luarocks_itself_is_a_library_after_bootstrap() {
    if !luarocks() {
        return;
    }
    let world = World::new();
    world.run(&["bootstrap"]).ok();
    let code = "local cfg = require('luarocks.core.cfg') assert(cfg.init())
        print(cfg.rocks_trees[1].name, cfg.deps_mode, type(require('luarocks.cmd').run_command), require('compat53') == _G)";
    assert_eq!(lua(&world, code).ok().out, "panto\tone\tfunction\ttrue\n");
}

#[test]
fn r43_stage_0_takes_what_panto_luarocks_names() {
    let mut world = World::new();
    world.write("from/luarocks/core/cfg.lua", "return { program_version = 'of the folder' }");
    world.set("PANTO_LUAROCKS", &world.project().join("from").display().to_string());
    world.run(&["bootstrap"]).ok();
    let code = "print(require('luarocks.core.cfg').program_version)";
    assert_eq!(lua(&world, code).ok().out, "of the folder\n");
    let mut rock = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    rock.start_file("luarocks/src/luarocks/core/cfg.lua", options).expect("in memory");
    std::io::Write::write_all(&mut rock, b"return { program_version = 'of the rock' }").expect("in memory");
    let file = world.project().join("luarocks-3.13.0-1.src.rock");
    fs::write(&file, rock.finish().expect("in memory").into_inner()).expect("written");
    world.set("PANTO_LUAROCKS", &file.display().to_string());
    world.run(&["bootstrap", "--force"]).ok();
    assert_eq!(lua(&world, code).ok().out, "of the rock\n");
    world.set("PANTO_LUAROCKS", "/nowhere");
    world.run(&["bootstrap", "--force"]).ok();
    let ran = world.run(&["rocks", "list"]);
    assert!(ran.err.contains("PANTO_LUAROCKS is /nowhere, but luarocks/core/cfg.lua is not in there"), "{}", ran.err);
}
