//! Frames: a u32 length, big-endian, then that many bytes.

use std::{io, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::timeout,
};

/// Bytes of one frame, without its length.
pub const LIMIT: usize = 16 << 20;

/// How long the rest of a frame may take: half of one is held in memory.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why there is no next frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {0} bytes: at most {LIMIT} are allowed")]
    TooLarge(u64),
    #[error("an empty frame")]
    Empty,
    /// Also where the connection ends within a frame.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The next frame; none at the end of the connection.
///
/// Not to be dropped half-way: what was read of a frame would be lost.
pub async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<Option<Vec<u8>>, FrameError> {
    read_within(from, LIMIT).await
}

/// The same with a smaller limit, in bytes.
pub async fn read_within(from: &mut (impl AsyncRead + Unpin), limit: usize) -> Result<Option<Vec<u8>>, FrameError> {
    let mut head = [0; 4];
    if from.read(&mut head[..1]).await? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..]).await?;
    let size = u32::from_be_bytes(head);
    match usize::try_from(size) {
        Ok(0) => Err(FrameError::Empty),
        Ok(size) if size <= limit => match timeout(PATIENCE, body(from, size)).await {
            Ok(bytes) => bytes.map(Some).map_err(FrameError::Io),
            Err(_) => Err(FrameError::Io(io::ErrorKind::TimedOut.into())),
        },
        _ => Err(FrameError::TooLarge(size.into())),
    }
}

/// Room grows with what comes: a length alone costs nothing.
async fn body(from: &mut (impl AsyncRead + Unpin), size: usize) -> io::Result<Vec<u8>> {
    const STEP: usize = 64 << 10;
    let mut bytes = Vec::with_capacity(size.min(STEP));
    let mut left = from.take(size as u64);
    while bytes.len() < size {
        bytes.reserve((size - bytes.len()).min(STEP.max(bytes.len())));
        if left.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(bytes)
}

/// The bytes with their length in front; none if they are too many.
pub fn framed(bytes: &[u8]) -> Option<Vec<u8>> {
    let size = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= LIMIT)?;
    Some([&size.to_be_bytes(), bytes].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> (Vec<Vec<u8>>, Option<FrameError>) {
        let (mut from, mut frames) = (bytes, vec![]);
        loop {
            match read(&mut from).await {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => return (frames, None),
                Err(error) => return (frames, Some(error)),
            }
        }
    }

    #[tokio::test]
    async fn frames_come_one_by_one() {
        let bytes = [framed(b"one").unwrap(), framed(b"two!").unwrap()].concat();
        let (frames, error) = all(&bytes).await;
        assert_eq!(frames, [b"one".to_vec(), b"two!".to_vec()]);
        assert!(error.is_none());
    }

    #[tokio::test]
    async fn a_cut_one_an_empty_one_and_a_giant_are_refused() {
        let whole = framed(b"whole").unwrap();
        for at in 1..whole.len() {
            assert!(matches!(all(&whole[..at]).await.1, Some(FrameError::Io(_))), "cut at {at}");
        }
        assert!(matches!(all(&[0, 0, 0, 0]).await.1, Some(FrameError::Empty)));
        let giant = u32::try_from(LIMIT + 1).unwrap().to_be_bytes();
        assert!(matches!(all(&giant).await.1, Some(FrameError::TooLarge(_))));
        assert!(framed(&vec![0; LIMIT + 1]).is_none());
    }
}
