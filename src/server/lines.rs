//! Lines of text on standard input, for the faces that speak JSON there. No line fills the memory: one that is too long
//! is read to its end, and so much of it is kept that whoever reads it sees that it is.

use super::frame;
use std::io;
use tokio::io::AsyncBufReadExt;

/// Reads a line; of one that is too long the rest is skipped. False at the end of the input.
pub async fn next(input: &mut (impl AsyncBufReadExt + Unpin), line: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = memchr::memchr(b'\n', chunk);
        let taken = end.map_or(chunk.len(), |at| at + 1);
        let room = (frame::LIMIT + 1).saturating_sub(line.len());
        line.extend_from_slice(&chunk[..end.unwrap_or(chunk.len()).min(room)]);
        input.consume(taken);
        if end.is_some() {
            return Ok(true);
        }
    }
}
