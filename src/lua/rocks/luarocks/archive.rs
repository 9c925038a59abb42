//! Stands in for lua-zlib and for md5, whole strings at a time.

use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder, GzEncoder, MultiGzDecoder, ZlibDecoder, ZlibEncoder};
use md5::{Digest, Md5};
use mlua::{Lua, LuaString, Table};
use std::io::Read;

/// More than any rock unpacks to.
const LIMIT: u64 = 1 << 30;

/// Binds `host.inflate`, `host.deflate`, `host.crc32` and `host.md5`.
pub(super) fn install(lua: &Lua, host: &Table) -> mlua::Result<()> {
    let inflate = |lua: &Lua, (data, bits): (LuaString, i64)| {
        let data = data.as_bytes();
        lua.create_string(match format(bits) {
            Format::Gzip => whole(MultiGzDecoder::new(&*data)),
            Format::Raw => whole(DeflateDecoder::new(&*data)),
            Format::Zlib => whole(ZlibDecoder::new(&*data)),
        }?)
    };
    host.set("inflate", lua.create_function(inflate)?)?;
    let deflate = |lua: &Lua, (data, level, bits): (LuaString, u32, i64)| {
        let (data, level) = (data.as_bytes(), Compression::new(level.min(9)));
        lua.create_string(match format(bits) {
            Format::Gzip => whole(GzEncoder::new(&*data, level)),
            Format::Raw => whole(DeflateEncoder::new(&*data, level)),
            Format::Zlib => whole(ZlibEncoder::new(&*data, level)),
        }?)
    };
    host.set("deflate", lua.create_function(deflate)?)?;
    let crc32 = |_: &Lua, data: LuaString| {
        let mut sum = flate2::Crc::new();
        sum.update(&data.as_bytes());
        Ok(sum.sum())
    };
    host.set("crc32", lua.create_function(crc32)?)?;
    let md5 = |_: &Lua, data: LuaString| {
        let digest = Md5::digest(&*data.as_bytes());
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    };
    host.set("md5", lua.create_function(md5)?)
}

enum Format {
    Gzip,
    Raw,
    Zlib,
}

/// zlib's "window bits": more than 15 is gzip, less than 0 is without a header.
fn format(bits: i64) -> Format {
    match bits {
        ..0 => Format::Raw,
        16.. => Format::Gzip,
        _ => Format::Zlib,
    }
}

fn whole(reader: impl Read) -> mlua::Result<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(LIMIT).read_to_end(&mut out)?;
    match out.len() as u64 {
        LIMIT => Err(mlua::Error::runtime("an archive unpacks to more than 1 GB")),
        _ => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again_in_every_format() {
        let lua = Lua::new();
        let host = lua.create_table().unwrap();
        install(&lua, &host).unwrap();
        lua.globals().set("host", host).unwrap();
        lua.load(
            "for _, bits in ipairs { 31, -15, 15, 0 } do
                assert(host.inflate(host.deflate(('x'):rep(1000), 6, bits), bits) == ('x'):rep(1000))
            end
            assert(not pcall(host.inflate, 'garbage', 31))
            assert(host.crc32('123456789') == 0xcbf43926)
            assert(host.md5('') == 'd41d8cd98f00b204e9800998ecf8427e')",
        )
        .exec()
        .unwrap();
    }
}
