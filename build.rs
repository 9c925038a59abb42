//! Exports the Lua C API from the binary, so that C rocks find it, and says where the Lua headers are.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => {
            for symbols in ["lua_*", "luaL_*", "luaopen_*"] {
                println!("cargo:rustc-link-arg=-Wl,--export-dynamic-symbol={symbols}");
            }
        }
        _ => println!("cargo:rustc-link-arg=-rdynamic"),
    }
    if let Ok(include) = std::env::var("DEP_LUA_INCLUDE") {
        println!("cargo:rustc-env=LUA_INC={include}");
    }
}
