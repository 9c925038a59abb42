//! Where `require` looks for rocks: the tree first, the system's own modules last.

use super::Tree;
use super::pins::{self, LUA_SERIES};
use mlua::{Lua, Table};
use std::path::{Path, PathBuf};

/// Puts the tree before the stock entries of `package.path` and `package.cpath`, and what a distribution installs behind
/// them: Lua's own defaults know neither. Has C modules for another Lua say so. Once per state.
pub fn extend(lua: &Lua, tree: &Tree) -> mlua::Result<()> {
    let package: Table = lua.globals().get("package")?;
    let (share, lib) = (tree.share().display().to_string(), tree.lib().display().to_string());
    let first = [format!("{share}/?.lua;{share}/?/init.lua"), format!("{lib}/?.so")];
    let last = [system(&shares(), &["?.lua", "?/init.lua"]), system(&libs(), &["?.so"])];
    for ((key, first), last) in ["path", "cpath"].into_iter().zip(first).zip(last) {
        let stock: String = package.get(key)?;
        let known: Vec<&str> = stock.split(';').collect();
        let last = last.into_iter().filter(|entry| !known.contains(&entry.as_str()));
        let all: Vec<String> =
            std::iter::once(first).chain(known.iter().map(|k| (*k).to_owned())).chain(last).collect();
        package.set(key, all.join(";"))?;
    }
    lua.load(include_str!("modules.lua")).set_name("=panto/modules").call(pins::LUA)
}

fn system(folders: &[PathBuf], templates: &[&str]) -> Vec<String> {
    let there = folders.iter().filter(|folder| folder.is_dir());
    there.flat_map(|f| templates.iter().map(|t| f.join(t).display().to_string())).collect()
}

fn shares() -> Vec<PathBuf> {
    ["/usr/share", "/opt/homebrew/share"].map(|folder| Path::new(folder).join("lua").join(LUA_SERIES)).into()
}

/// Debian's folder carries the architecture, Red Hat's is lib64.
fn libs() -> Vec<PathBuf> {
    let debian = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    [&debian, "/usr/lib64", "/usr/lib", "/opt/homebrew/lib"]
        .map(|folder| Path::new(folder).join("lua").join(LUA_SERIES))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r38_the_tree_comes_before_the_stock_entries() {
        let lua = Lua::new();
        let package: Table = lua.globals().get("package").unwrap();
        package.set("path", "/stock/?.lua;./?.lua").unwrap();
        package.set("cpath", "/stock/?.so").unwrap();
        let tree = Tree::of(Path::new("/data"));
        extend(&lua, &tree).unwrap();
        let path: String = package.get("path").unwrap();
        let root = tree.root().display().to_string();
        let want = format!("{root}/share/lua/5.4/?.lua;{root}/share/lua/5.4/?/init.lua;/stock/?.lua;./?.lua");
        assert!(path.starts_with(&want), "{path}");
        let cpath: String = package.get("cpath").unwrap();
        assert!(cpath.starts_with(&format!("{root}/lib/lua/5.4/?.so;/stock/?.so")), "{cpath}");
    }
}
