//! Makes the Lua state: libraries, limits, search paths, and standard streams that keep off the screen.

use super::embedded;
use mlua::{Lua, Table};

/// In bytes; 0: none.
struct MemoryLimit(usize);

/// What is said when memory has run out in a function, with what can be done about it.
pub(super) fn exhausted(lua: &Lua) -> String {
    let limit = lua.app_data_ref::<MemoryLimit>().map_or(0, |limit| limit.0) >> 20;
    let told = "not enough memory in this function or what it called";
    if limit == 0 { told.into() } else { format!("{told}: extensions may take {limit} MB together ([lua] memory_mb)") }
}

/// A fresh state with `memory` bytes at the most (0: no limit). C modules may be loaded, so all of the standard library
/// is there.
pub(super) fn create(memory: usize) -> mlua::Result<Lua> {
    // SAFETY: the unsafe parts of the library (`debug`, C modules) are offered on purpose, to code that the user trusts.
    let lua = unsafe { Lua::unsafe_new() };
    lua.set_memory_limit(memory)?;
    lua.set_app_data(MemoryLimit(memory));
    let log = lua.create_function(|_, text: mlua::LuaString| {
        tracing::info!(target: "lua", "{}", text.to_string_lossy().trim_end());
        Ok(())
    })?;
    lua.load(include_str!("stdio.lua")).set_name("=panto/stdio").call::<()>(log)?;
    leave_out_working_directory(&lua)?;
    embedded::install(&lua)?;
    Ok(lua)
}

/// Takes `./?.lua` and its like out of the search paths: the working directory may be anybody's, and a file in it must
/// not stand in for a module.
fn leave_out_working_directory(lua: &Lua) -> mlua::Result<()> {
    let package: Table = lua.globals().get("package")?;
    for key in ["path", "cpath"] {
        let path: String = package.get(key)?;
        let kept: Vec<_> = path.split(';').filter(|entry| entry.starts_with('/')).collect();
        package.set(key, kept.join(";"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str) -> String {
        let lua = create(0).unwrap();
        crate::lua::message_of(&lua.load(code).set_name("=test").exec().unwrap_err())
    }

    #[test]
    fn the_terminal_is_out_of_reach() {
        assert!(error("os.exit(7)").starts_with("test:1: panto: os.exit is not available"));
        for code in ["io.read()", "io.lines()", "io.stdin:read('a')", "debug.debug()"] {
            assert!(error(code).contains("is not available here"), "{code}");
        }
        let lua = create(0).unwrap();
        lua.load("print(1, nil) io.write('x', 2) io.stdout:write('y'):flush() io.stderr:write('z')").exec().unwrap();
    }

    #[test]
    fn commands_of_the_standard_library_keep_off_the_terminal() {
        let lua = create(0).unwrap();
        let text: String = lua
            .load(
                r#"local function told(...) return table.concat({tostring((...)), select(2, ...)}, " ") end
                local out = {
                    told(os.execute("true")), told(os.execute("cat; [ ! -t 0 ] && [ ! -t 1 ] && [ ! -t 2 ] && exit 3")),
                    told(os.execute("kill -9 $$")), told(os.execute("echo 'it''s'")),
                    tostring(os.execute()),
                }
                local pipe = io.popen("cat; echo \"it's\"; [ -t 2 ] || exit 4")
                out[#out + 1] = pipe:read("a") .. told(pipe:close())
                local sink = io.popen("read word; [ \"$word\" = hello ] && [ ! -t 1 ] && exit 5", "w")
                sink:write("hello\n")
                out[#out + 1] = told(sink:close())
                return table.concat(out, "; ")"#,
            )
            .eval()
            .unwrap();
        let expected = "true exit 0; nil exit 3; nil signal 9; true exit 0; true; it's\nnil exit 4; nil exit 5";
        assert_eq!(text, expected);
        for code in ["os.execute({})", "io.popen({})", "io.popen('true', 'x')"] {
            assert!(error(code).contains("bad argument #"), "{code}");
        }
        // A terminal of the tests' own would not tell: what has none can't open one.
        let terminal: bool = lua.load("return os.execute('command -v setsid && : </dev/tty') or false").eval().unwrap();
        assert!(!terminal);
    }

    #[test]
    fn modules_are_not_looked_for_in_the_working_directory() {
        let paths: String = create(0).unwrap().load("return package.path .. ';' .. package.cpath").eval().unwrap();
        assert!(paths.split(';').all(|entry| entry.starts_with('/')), "{paths}");
    }

    #[test]
    fn r42_an_unknown_module_falls_through_with_a_line() {
        assert!(error("require('panto.nothing')").contains("no embedded module 'panto.nothing'"));
    }

    #[test]
    fn l01_a_memory_bomb_is_an_error_and_the_state_lives_on() {
        let lua = create(32 << 20).unwrap();
        let message: String = lua
            .load("local s = 'x' return select(2, pcall(function() while true do s = s .. s end end))")
            .eval()
            .unwrap();
        assert!(message.contains("not enough memory"), "{message}");
        assert_eq!(lua.load("return 1 + 1").eval::<i64>().unwrap(), 2);
    }
}
