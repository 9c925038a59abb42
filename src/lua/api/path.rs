//! `panto.path`: paths as text; nothing here looks at the disk.

use super::Api;
use super::args::LuaPath;
use mlua::{Lua, Result, Table, Variadic};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

pub(in crate::lua) fn install(lua: &Lua, api: &Rc<Api>, panto: &Table) -> Result<()> {
    let (table, scheduler) = (lua.create_table()?, &api.scheduler);
    let join = |_: &Lua, parts: Variadic<LuaPath>| Ok(LuaPath(parts.iter().map(|p| &p.0).collect()));
    table.set("join", scheduler.sync_fn(lua, join)?)?;
    let dirname = |_: &Lua, path: LuaPath| Ok(LuaPath(path.0.parent().unwrap_or(&path.0).to_owned()));
    table.set("dirname", scheduler.sync_fn(lua, dirname)?)?;
    let basename = |_: &Lua, path: LuaPath| Ok(LuaPath(path.0.file_name().unwrap_or_default().into()));
    table.set("basename", scheduler.sync_fn(lua, basename)?)?;
    let extension = |_: &Lua, path: LuaPath| Ok(path.0.extension().map(|e| LuaPath(e.into())));
    table.set("extension", scheduler.sync_fn(lua, extension)?)?;
    table.set("is_absolute", scheduler.sync_fn(lua, |_, path: LuaPath| Ok(path.0.is_absolute()))?)?;
    table.set("normalize", scheduler.sync_fn(lua, |_, path: LuaPath| Ok(LuaPath(normalize(&path.0))))?)?;
    let of_api = api.clone();
    let absolute = move |lua: &Lua, path: LuaPath| Ok(LuaPath(normalize(&of_api.absolute(lua, &path.0))));
    table.set("absolute", scheduler.sync_fn(lua, absolute)?)?;
    let of_api = api.clone();
    let relative = move |lua: &Lua, (path, base): (LuaPath, Option<LuaPath>)| {
        let base = base.map_or_else(|| of_api.folder(lua), |b| of_api.absolute(lua, &b.0));
        Ok(LuaPath(relative(&normalize(&of_api.absolute(lua, &path.0)), &normalize(&base))))
    };
    table.set("relative", scheduler.sync_fn(lua, relative)?)?;
    panto.set("path", table)
}

/// Without `.` and, where the text alone allows it, without `..`.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match (part, out.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => _ = out.pop(),
            (Component::ParentDir, Some(Component::RootDir)) => {}
            _ => out.push(part),
        }
    }
    if out.as_os_str().is_empty() { ".".into() } else { out }
}

/// `path` as seen from `base`; as it is where it isn't below.
fn relative(path: &Path, base: &Path) -> PathBuf {
    match path.strip_prefix(base) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".into(),
        Ok(rest) => rest.to_owned(),
        Err(_) => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        for (given, normal) in [("a/./b/../c", "a/c"), ("../a", "../a"), ("/../a", "/a"), ("a/..", "."), ("", ".")] {
            assert_eq!(normalize(Path::new(given)), Path::new(normal), "{given}");
        }
    }

    #[test]
    fn below_or_as_it_is() {
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a")), Path::new("b"));
        assert_eq!(relative(Path::new("/a"), Path::new("/a")), Path::new("."));
        assert_eq!(relative(Path::new("/x"), Path::new("/a")), Path::new("/x"));
    }
}
