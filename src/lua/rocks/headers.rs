//! The headers of the Lua that is linked, so that C rocks are built against exactly this one.

macro_rules! header {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("LUA_INC"), "/", $name)))
    };
}

/// (name, text).
pub const ALL: &[(&str, &str)] = &[
    header!("lua.h"),
    header!("luaconf.h"),
    header!("lualib.h"),
    header!("lauxlib.h"),
    ("lua.hpp", "extern \"C\" {\n#include \"lua.h\"\n#include \"lualib.h\"\n#include \"lauxlib.h\"\n}\n"),
];
