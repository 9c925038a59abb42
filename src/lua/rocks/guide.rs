//! The configuration of luarocks and the wrapper that stands for `lua`, as texts.

use super::pins::LUA_SERIES;
use super::{Setup, toolchain};
use std::fmt::Write;
use std::path::Path;

/// What luarocks calls the interpreter; a wrapper of this name lies beside `lua`.
pub const INTERPRETER: &str = "panto";

/// `config-5.4.lua`.
pub fn config(setup: &Setup) -> String {
    let tree = &setup.tree;
    let mut text = String::from("-- Written by panto; changes are lost.\n");
    let mut set = |name: &str, value: String| writeln!(text, "{name} = {value}").expect("a String takes all");
    set("rocks_trees", format!("{{ {{ name = \"panto\", root = {} }} }}", path(tree.root())));
    if let Some(server) = &setup.server {
        set("rocks_servers", format!("{{ {} }}", quoted(server)));
    }
    set("lua_interpreter", quoted(INTERPRETER));
    set("lua_version", quoted(LUA_SERIES));
    set("deps_mode", quoted("one"));
    set("local_cache", path(&setup.cache));
    set("cache_fail_timeout", "0".into()); // a server that was out of reach is asked again
    set("check_certificates", "true".into());
    set("variables", variables(setup));
    text
}

fn variables(setup: &Setup) -> String {
    let tree = &setup.tree;
    let mut values = vec![
        ("LUA", path(&tree.bin().join("lua"))),
        ("LUA_BINDIR", path(&tree.bin())),
        ("LUA_INCDIR", path(&tree.include())),
        ("LUA_LIBDIR", path(&tree.root().join("lib"))),
        ("LUA_DIR", path(tree.root())),
        ("CURL", quoted("curl")),
    ];
    if let Some(compiler) = toolchain::compiler(&setup.search) {
        values.extend([("CC", quoted(compiler)), ("LD", quoted(compiler))]);
    }
    let lines: Vec<String> = values.into_iter().map(|(name, value)| format!("   {name} = {value},\n")).collect();
    format!("{{\n{}}}", lines.concat())
}

/// `bin/lua`: this program as a stock `lua`.
pub fn wrapper(program: &Path) -> String {
    format!("#!/bin/sh\nexec '{}' lua \"$@\"\n", program.display().to_string().replace('\'', r"'\''"))
}

fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// A Lua string literal.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '\\' => literal.push_str(r"\\"),
            '"' => literal.push_str("\\\""),
            '\n' => literal.push_str(r"\n"),
            '\r' => literal.push_str(r"\r"),
            '\t' => literal.push_str(r"\t"),
            c if c.is_ascii_control() => literal.push_str(&format!(r"\{:03}", c as u32)),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r40_the_wrapper_survives_quotes_in_the_path() {
        assert_eq!(wrapper(Path::new("/it's/panto")), "#!/bin/sh\nexec '/it'\\''s/panto' lua \"$@\"\n");
    }

    #[test]
    fn r41_strings_come_back_from_lua_as_they_were() {
        let lua = mlua::Lua::new();
        for text in ["plain", "a\\b\"c", "line\nreturn\rtab\t", "bell\u{7}9 del\u{7f}", "ünïcode 文"] {
            let back: String = lua.load(format!("return {}", quoted(text))).eval().unwrap();
            assert_eq!(back, text);
        }
        assert_eq!(quoted("\u{7}9"), r#""\0079""#);
    }
}
