//! Where the tree lies, what is in it, and `panto bootstrap`.

use super::tree;
use crate::support::World;
use std::fs;

fn ready_at(world: &World) -> String {
    let said = world.run(&["bootstrap"]).ok().out;
    let tree = said.trim_end().strip_prefix("panto bootstrap: tree ready at ").expect(&said).to_owned();
    tree.rsplit_once("/rocks/lua-5.4.").expect(&tree).0.to_owned()
}

#[test]
fn r33_r34_r35_homes_in_their_order() {
    let mut world = World::new();
    assert_eq!(ready_at(&world), "<world>/data/panto", "R34: XDG_DATA_HOME");
    let own = world.project().join("own home");
    world.set("PANTO_HOME", &own.display().to_string());
    assert_eq!(ready_at(&world), "<world>/project/own home", "R33: PANTO_HOME, verbatim");
    world.set("PANTO_HOME", "").set("XDG_DATA_HOME", "");
    assert_eq!(ready_at(&world), "<world>/home/.local/share/panto", "R35: below HOME");
}

#[test]
fn r36_without_a_home_there_is_a_named_error() {
    let mut world = World::new();
    world.set("XDG_DATA_HOME", "").set("HOME", "");
    for words in [&["bootstrap"][..], &["lua", "-v"], &["rocks", "list"]] {
        let ran = world.run(words);
        assert_ne!(ran.code, 0, "{words:?}");
        assert!(ran.err.contains("NoHomeDirectory: set HOME, XDG_DATA_HOME or PANTO_HOME"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn r37_r41_the_tree() {
    let world = World::new();
    world.run(&["bootstrap"]).ok();
    let tree = tree(&world);
    for path in ["include/luaconf.h", "include/lua.hpp", "share/lua/5.4", "lib/lua/5.4", "lib/luarocks/rocks-5.4"] {
        assert!(tree.join(path).exists(), "R37, R39: {path}");
    }
    let header = fs::read_to_string(tree.join("include/lua.h")).expect("a header");
    assert!(header.contains("LUA_VERSION_RELEASE"), "R39");
    let wrapper = fs::read_to_string(tree.join("bin/lua")).expect("a wrapper");
    assert_eq!(wrapper, format!("#!/bin/sh\nexec '{}' lua \"$@\"\n", env!("CARGO_BIN_EXE_panto")), "R40");
    let config = fs::read_to_string(tree.join("etc/luarocks/config-5.4.lua")).expect("a configuration");
    for name in ["LUA", "LUA_BINDIR", "LUA_INCDIR", "LUA_LIBDIR", "LUA_DIR", "CURL"] {
        assert!(config.contains(&format!("   {name} = \"")), "R41: {name} in {config}");
    }
    for line in ["lua_interpreter = \"panto\"", "lua_version = \"5.4\"", "deps_mode = \"one\""] {
        assert!(config.contains(line), "R41: {line}");
    }
}

#[test]
fn r39_what_is_right_keeps_its_time() {
    let world = World::new();
    world.run(&["bootstrap"]).ok();
    let files = ["include/lua.h", "bin/lua", "etc/luarocks/config-5.4.lua"].map(|name| tree(&world).join(name));
    let times = || files.each_ref().map(|file| file.metadata().expect("there").modified().expect("a time"));
    let before = times();
    fs::write(tree(&world).join("include/lualib.h"), "spoiled").expect("written");
    world.run(&["bootstrap"]).ok();
    assert_eq!(times(), before);
    assert!(fs::read_to_string(tree(&world).join("include/lualib.h")).expect("there").contains("luaL_openlibs"));
}

#[test]
fn r46_r47_what_bootstrap_says() {
    let world = World::new();
    let place = world.steady(&tree(&world).display().to_string());
    let other = world.data().join("rocks/lua-5.4.7/mine");
    fs::create_dir_all(&other).expect("a folder");
    for _ in ["a missing tree is fine", "one that is there goes"] {
        let said = world.run(&["bootstrap", "--force"]).ok().out;
        assert_eq!(said, format!("panto bootstrap --force: removed {place}\npanto bootstrap: tree ready at {place}\n"));
        fs::write(tree(&world).join("share/lua/5.4/old.lua"), "").expect("written");
    }
    world.run(&["bootstrap"]).ok();
    assert!(tree(&world).join("share/lua/5.4/old.lua").exists(), "only --force takes away");
    assert!(other.exists(), "R37: other versions are left alone");
    let ran = world.run(&["bootstrap", "--wrong"]);
    assert_eq!((ran.code, ran.err.as_str()), (2, "panto bootstrap: unknown flag '--wrong'\n"));
}
