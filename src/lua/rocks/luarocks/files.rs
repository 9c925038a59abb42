//! Stands in for LuaFileSystem, with a working directory that is the state's own.

use super::state::Cwd;
use mlua::{Lua, LuaString, MultiValue, Table, Value};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Binds `host.lfs` and `host.absolute`.
pub(super) fn install(lua: &Lua, host: &Table, cwd: &Cwd) -> mlua::Result<()> {
    let of = cwd.clone();
    let absolute = move |lua: &Lua, path: LuaString| lua.create_string(at(&of, &path).into_os_string().into_vec());
    host.set("absolute", lua.create_function(absolute)?)?;
    let lfs = lua.create_table()?;
    lfs.set("_VERSION", "LuaFileSystem 1.8.0 (panto)")?;
    directories(lua, &lfs, cwd)?;
    attributes(lua, &lfs, cwd)?;
    host.set("lfs", lfs)
}

/// An empty path stays empty, and so names nothing: joined it would name the folder itself.
fn at(cwd: &Cwd, path: &LuaString) -> PathBuf {
    match &*path.as_bytes() {
        b"" => PathBuf::new(),
        path => cwd.borrow().join(Path::new(OsStr::from_bytes(path))),
    }
}

/// `true`, or `nil, message, code` as everything in Lua's own library does.
fn told(lua: &Lua, path: &Path, result: io::Result<()>) -> mlua::Result<MultiValue> {
    use mlua::IntoLuaMulti;
    match result {
        Ok(()) => true.into_lua_multi(lua),
        Err(error) => {
            let message = format!("{}: {error}", path.display());
            (Value::Nil, message, error.raw_os_error().unwrap_or_default()).into_lua_multi(lua)
        }
    }
}

fn directories(lua: &Lua, lfs: &Table, cwd: &Cwd) -> mlua::Result<()> {
    let of = cwd.clone();
    let current = move |lua: &Lua, ()| lua.create_string(of.borrow().as_os_str().as_bytes());
    lfs.set("currentdir", lua.create_function(current)?)?;
    let of = cwd.clone();
    let change = move |lua: &Lua, path: LuaString| {
        let path = at(&of, &path);
        let entered = path.canonicalize().and_then(|path| match path.is_dir() {
            true => Ok(path),
            false => Err(io::Error::from_raw_os_error(libc::ENOTDIR)),
        });
        told(lua, &path, entered.map(|path| *of.borrow_mut() = path))
    };
    lfs.set("chdir", lua.create_function(change)?)?;
    let of = cwd.clone();
    let make = move |lua: &Lua, path: LuaString| {
        let path = at(&of, &path);
        told(lua, &path, fs::DirBuilder::new().mode(0o755).create(&path))
    };
    lfs.set("mkdir", lua.create_function(make)?)?;
    let of = cwd.clone();
    let remove = move |lua: &Lua, path: LuaString| {
        let path = at(&of, &path);
        told(lua, &path, fs::remove_dir(&path))
    };
    lfs.set("rmdir", lua.create_function(remove)?)?;
    let of = cwd.clone();
    let list = move |lua: &Lua, path: LuaString| {
        let path = at(&of, &path);
        let entries = fs::read_dir(&path).map_err(|e| mlua::Error::runtime(format!("{}: {e}", path.display())))?;
        let mut names = entries.flatten().map(|entry| entry.file_name()).collect::<Vec<_>>().into_iter();
        lua.create_function_mut(move |lua, _: MultiValue| {
            names.next().map(|name| lua.create_string(name.as_bytes())).transpose()
        })
    };
    lfs.set("dir", lua.create_function(list)?)
}

fn attributes(lua: &Lua, lfs: &Table, cwd: &Cwd) -> mlua::Result<()> {
    for (name, follow) in [("attributes", true), ("symlinkattributes", false)] {
        let of = cwd.clone();
        let look = move |lua: &Lua, (path, wanted): (LuaString, Option<Value>)| {
            use mlua::IntoLuaMulti;
            let path = at(&of, &path);
            let data = match if follow { fs::metadata(&path) } else { fs::symlink_metadata(&path) } {
                Ok(data) => data,
                Err(error) => return told(lua, &path, Err(error)),
            };
            let table = table_of(lua, &data)?;
            match wanted {
                Some(Value::String(key)) => table.get::<Value>(key)?.into_lua_multi(lua),
                _ => table.into_lua_multi(lua),
            }
        };
        lfs.set(name, lua.create_function(look)?)?;
    }
    let of = cwd.clone();
    let touch = move |lua: &Lua, (path, accessed, changed): (LuaString, Option<f64>, Option<f64>)| {
        let path = at(&of, &path);
        let moment = |seconds: Option<f64>| {
            let since = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
            since.and_then(|s| UNIX_EPOCH.checked_add(s)).unwrap_or_else(SystemTime::now)
        };
        let times = fs::FileTimes::new().set_accessed(moment(accessed)).set_modified(moment(changed.or(accessed)));
        told(lua, &path, fs::File::open(&path).and_then(|file| file.set_times(times)))
    };
    lfs.set("touch", lua.create_function(touch)?)
}

fn table_of(lua: &Lua, data: &Metadata) -> mlua::Result<Table> {
    let kind = data.file_type();
    let mode = match () {
        () if kind.is_dir() => "directory",
        () if kind.is_symlink() => "link",
        () if kind.is_file() => "file",
        () => "other",
    };
    let table = lua.create_table()?;
    table.set("mode", mode)?;
    table.set("size", data.len())?;
    table.set("permissions", permissions(data.mode()))?;
    for (name, value) in [("modification", data.mtime()), ("access", data.atime()), ("change", data.ctime())] {
        table.set(name, value)?;
    }
    for (name, value) in [("ino", data.ino()), ("dev", data.dev()), ("nlink", data.nlink())] {
        table.set(name, value)?;
    }
    table.set("uid", data.uid())?;
    table.set("gid", data.gid())?;
    Ok(table)
}

/// `rwxr-xr-x`.
fn permissions(mode: u32) -> String {
    (0..9).rev().map(|bit| if mode >> bit & 1 == 1 { ['x', 'w', 'r'][bit % 3] } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::RefCell, rc::Rc};

    #[test]
    fn permissions_read_as_ls_shows_them() {
        assert_eq!(permissions(0o100_754), "rwxr-xr--");
    }

    #[test]
    fn the_working_directory_is_the_states_own() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let before = std::env::current_dir().unwrap();
        let (lua, cwd) = (Lua::new(), Rc::new(RefCell::new(root.clone())));
        let host = lua.create_table().unwrap();
        install(&lua, &host, &cwd).unwrap();
        lua.globals().set("host", host).unwrap();
        lua.load(
            "local lfs = host.lfs
            assert(lfs.mkdir('a') and lfs.chdir('a') and lfs.mkdir('b'))
            assert(lfs.attributes('b', 'mode') == 'directory' and lfs.attributes('b').permissions:find('^rwx'))
            local ok, message, code = lfs.chdir('nowhere')
            assert(ok == nil and message:find('nowhere') and code == 2)
            local names = {}
            for name in lfs.dir('.') do names[#names + 1] = name end
            assert(#names == 1 and names[1] == 'b' and lfs.rmdir('b') and not lfs.attributes('b'))
            assert(not lfs.rmdir('') and not lfs.attributes('') and lfs.attributes('.'))
            assert(lfs.touch('.', 1000) and lfs.attributes('.', 'modification') == 1000)
            assert(host.absolute('x') == lfs.currentdir() .. '/x' and host.absolute('/x') == '/x')",
        )
        .exec()
        .unwrap();
        assert_eq!(*cwd.borrow(), root.join("a"));
        assert_eq!(std::env::current_dir().unwrap(), before);
    }
}
