//! Bodies that come packed although plain ones were asked for (`accept-encoding: identity`): relays do it all the same.

use super::body::Wrong;
use crate::util::text::truncate;
use flate2::write::{MultiGzDecoder, ZlibDecoder};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use std::io::Write;

/// Packed bytes that are unpacked at a time: what comes out of them is a thousand times as much at most.
const STEP: usize = 4 << 10;
const GZIP: [u8; 2] = [0x1f, 0x8b];

pub enum Unpack {
    /// Nothing said; the first bytes tell.
    Untold(Vec<u8>),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Deflate(Box<ZlibDecoder<Vec<u8>>>),
    /// Nothing that can be undone here, by name.
    Other(String),
}

impl Unpack {
    pub fn new(headers: &HeaderMap) -> Self {
        let said = headers.get(CONTENT_ENCODING).and_then(|v| v.to_str().ok()).unwrap_or_default();
        match said.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Unpack::Untold(Vec::new()),
            // Some say so of a plain body, too.
            "gzip" | "x-gzip" => Unpack::Untold(Vec::new()),
            "deflate" => Unpack::Deflate(Box::new(ZlibDecoder::new(Vec::new()))),
            other => Unpack::Other(truncate(other, 20)),
        }
    }

    /// Unpacks the next bytes for `sink`.
    pub fn take(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Wrong> {
        if let Unpack::Untold(held) = self {
            held.extend_from_slice(bytes);
            if held.len() < GZIP.len() && GZIP.starts_with(held) {
                return Ok(());
            }
            let held = std::mem::take(held);
            *self = match held.starts_with(&GZIP) {
                true => Unpack::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
                false => Unpack::Plain,
            };
            return self.take(&held, sink);
        }
        match self {
            Unpack::Untold(_) => Ok(()),
            Unpack::Plain => sink(bytes),
            Unpack::Gzip(packed) => through(packed.as_mut(), MultiGzDecoder::get_mut, bytes, sink),
            Unpack::Deflate(packed) => through(packed.as_mut(), ZlibDecoder::get_mut, bytes, sink),
            Unpack::Other(name) => Err(Wrong::Packed(name.clone())),
        }
    }
}

fn through<P: Write>(
    packed: &mut P,
    unpacked: fn(&mut P) -> &mut Vec<u8>,
    bytes: &[u8],
    sink: &mut dyn FnMut(&[u8]) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    for step in bytes.chunks(STEP) {
        packed.write_all(step).and_then(|()| packed.flush()).map_err(|e| Wrong::Broken(e.to_string()))?;
        let plain = std::mem::take(unpacked(packed));
        sink(&plain)?;
    }
    Ok(())
}
