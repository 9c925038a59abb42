//! C modules: built by the test against the staged headers, for the wrong Lua, and those of the distribution.

use super::{compiler, tree};
use crate::support::{World, world::Ran};
use std::path::Path;
use std::process::Command;

/// Compiles a module into the tree of a world that has one.
fn build(world: &World, name: &str, body: &str) {
    let source = world.write(
        format!("{name}.c"),
        &format!("#include <lua.h>\n#include <lauxlib.h>\nint luaopen_{name}(lua_State *L) {{ {body} return 1; }}\n"),
    );
    let tree = tree(world);
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-I"])
        .arg(tree.join("include"))
        .arg("-o")
        .arg(tree.join(format!("lib/lua/5.4/{name}.so")))
        .arg(source)
        .status();
    assert!(built.expect("cc starts").success());
}

fn load(world: &World, name: &str) -> Ran {
    world.run(&["lua", "-e", &format!("print((require '{name}'))")])
}

#[test]
fn l14_a_c_module_built_against_the_staged_headers_loads() {
    if !compiler() {
        return;
    }
    let world = World::new();
    world.run(&["bootstrap"]).ok();
    build(&world, "hello", "luaL_checkversion(L); lua_pushstring(L, \"from C\");");
    assert_eq!(load(&world, "hello").ok().out, "from C\n");
}

#[test]
fn l14_a_module_for_another_lua_is_named_with_the_version_that_is_needed() {
    if !compiler() {
        return;
    }
    let world = World::new();
    world.run(&["bootstrap"]).ok();
    build(&world, "older", "luaL_checkversion_(L, 503, LUAL_NUMSIZES);");
    build(&world, "missing", "extern void lua_objlen(void *); lua_objlen(L);");
    for name in ["older", "missing"] {
        let ran = load(&world, name);
        assert_eq!(ran.code, 1);
        let hint = format!("it is built for another Lua; this is Lua {}", panto::lua::rocks::pins::LUA);
        assert!(ran.err.contains(&hint), "{name}: {}", ran.err);
        assert!(ran.err.contains(&format!("/lib/lua/5.4/{name}.so")), "{name}: {}", ran.err);
    }
    build(&world, "fails", "return luaL_error(L, \"an error of its own\");");
    let err = load(&world, "fails").err;
    assert!(err.contains("an error of its own") && !err.contains("another Lua"), "{err}");
}

#[test]
fn r26_modules_of_the_distribution_load() {
    let world = World::new();
    let folder = format!("/usr/lib/{}-linux-gnu/lua/5.4", std::env::consts::ARCH);
    let uses = [
        ("cjson", "cjson", "print(require 'cjson'.encode{1, 2})", "[1,2]\n"),
        ("lpeg", "lpeg", "local l = require 'lpeg' print(l.match(l.R'09'^1 * -1, '123'))", "4\n"),
        ("lfs", "lfs", "print(require 'lfs'.attributes('.', 'mode'))", "directory\n"),
        ("socket/core", "socket", "print(require 'socket'.bind ~= nil)", "true\n"),
        (
            "luv",
            "luv",
            "local uv = require 'luv' local t = uv.new_timer() t:start(5, 0, function() print 'rang' t:close() end) uv.run()",
            "rang\n",
        ),
    ];
    for (file, name, code, said) in uses {
        if Path::new(&folder).join(format!("{file}.so")).exists() {
            assert_eq!(world.run(&["lua", "-e", code]).ok().out, said, "{name}");
        } else {
            eprintln!("skipped: {name} is not installed");
        }
    }
}
