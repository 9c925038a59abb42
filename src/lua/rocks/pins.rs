//! Everything that panto brings from elsewhere, with its version: the one place to change for an update.

/// The Lua that is linked, as its own header says.
pub const LUA: &str = env!("LUA_RELEASE");

/// What luarocks calls this Lua.
pub const LUA_SERIES: &str = "5.4";

/// The luarocks that is fetched where none is there.
pub const LUAROCKS: &str = "3.13.0";

/// Its release, for those who have configured no server of their own.
pub const LUAROCKS_ARCHIVE: &str = "https://luarocks.github.io/luarocks/releases/luarocks-3.13.0.tar.gz";

/// SHA-256 of that file.
pub const LUAROCKS_ARCHIVE_SHA256: &str = "245bf6ec560c042cb8948e3d661189292587c5949104677f1eecddc54dbe7e37";

/// Its name on a rocks server.
pub const LUAROCKS_ROCK: &str = "luarocks-3.13.0-1.src.rock";

/// SHA-256 of that file, checked where it is known. A server of one's own is trusted as one's own.
pub const LUAROCKS_ROCK_SHA256: Option<&str> = None;

/// An installed luarocks that is older is left alone.
pub const LUAROCKS_OLDEST: (u32, u32) = (3, 8);

/// A rock that panto wants to have whatever is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Battery {
    pub name: &'static str,
    pub version: &'static str,
    /// What its build needs besides a C compiler.
    pub tools: &'static [&'static str],
    /// One that is found elsewhere will do from this version on.
    pub oldest: (u32, u32),
}

/// The batteries, in the order in which they are installed.
pub const BATTERIES: &[Battery] =
    &[Battery { name: "luv", version: "1.52.1-0", tools: &["make", "cmake"], oldest: (1, 44) }];
