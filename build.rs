//! Exports the Lua C API from the binary, so that C rocks find it, says where the Lua headers are, and lists the Lua
//! files, and the texts beside them, that ship inside the binary.
use std::{env, fmt::Write, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => {
            for symbols in ["lua_*", "luaL_*", "luaopen_*"] {
                println!("cargo:rustc-link-arg=-Wl,--export-dynamic-symbol={symbols}");
            }
        }
        _ => println!("cargo:rustc-link-arg=-rdynamic"),
    }
    if let Ok(include) = env::var("DEP_LUA_INCLUDE") {
        println!("cargo:rustc-env=LUA_INC={include}");
        println!("cargo:rustc-env=LUA_RELEASE={}", release(Path::new(&include)));
    }
    list_lua_files();
}

/// The version of the Lua that is linked, as its header says: `5.4.9`.
fn release(include: &Path) -> String {
    let header = fs::read_to_string(include.join("lua.h")).expect("mlua-sys has put lua.h there");
    let part = |name: &str| {
        let line = header.lines().find(|l| l.split_whitespace().nth(1) == Some(name));
        let number = line.and_then(|l| l.split_whitespace().nth(2)).map(|n| n.trim_matches('"').to_owned());
        number.unwrap_or_else(|| panic!("lua.h has no {name}"))
    };
    ["LUA_VERSION_MAJOR", "LUA_VERSION_MINOR", "LUA_VERSION_RELEASE"].map(part).join(".")
}

/// Writes `lua_files.rs`: a slice of (path below `lua/`, text), sorted.
fn list_lua_files() {
    println!("cargo:rerun-if-changed=lua");
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("lua");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path.strip_prefix(&root).expect("it was found below").to_string_lossy().replace('\\', "/");
        writeln!(list, "    ({name:?}, include_str!({:?})),", path.display().to_string()).expect("a String takes all");
    }
    list.push(']');
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("lua_files.rs");
    fs::write(target, list).expect("OUT_DIR is writable");
}

fn collect(folder: &Path, paths: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|e| e == "lua" || e == "md") {
            paths.push(path);
        }
    }
}
