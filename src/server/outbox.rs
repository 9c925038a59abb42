//! What waits to be sent to a client. One that reads too slowly is cut off, so that nobody else is held up and memory
//! stays bounded.

use super::{
    cbor, fit, frame,
    wire::{self, Fault, Refusal},
};
use serde_json::Value;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

/// Bytes that may wait.
const BACKLOG: usize = 64 << 20;
/// How old what waits may be.
const BEHIND: Duration = Duration::from_secs(10);

/// How values become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Frames of CBOR.
    Cbor,
    /// A line of JSON each.
    Lines,
}

impl Format {
    /// None if it is too large for a frame.
    fn bytes(self, value: &Value) -> Option<Vec<u8>> {
        match self {
            Format::Cbor => frame::framed(&cbor::encode(value)),
            Format::Lines => {
                let mut line = serde_json::to_vec(value).ok()?;
                line.push(b'\n');
                Some(line)
            }
        }
    }
}

struct Waiting {
    bytes: Vec<u8>,
    since: Instant,
}

/// Clones are the same one. What is in it is still sent when all are dropped.
#[derive(Clone)]
pub struct Outbox {
    queue: UnboundedSender<Waiting>,
    backlog: Arc<AtomicUsize>,
    cut: CancellationToken,
    format: Format,
}

impl Outbox {
    /// Starts to write. The handle ends when all is written, or the reader is cut off.
    pub fn start(
        to: impl AsyncWrite + Unpin + Send + 'static,
        format: Format,
    ) -> (Outbox, tokio::task::JoinHandle<()>) {
        let (queue, waiting) = mpsc::unbounded_channel();
        let (backlog, cut) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
        let outbox = Outbox { queue, backlog: backlog.clone(), cut: cut.clone(), format };
        let patience = (format == Format::Cbor).then_some(BEHIND);
        let work = tokio::spawn(async move {
            tokio::select! {
                () = cut.cancelled() => {}
                () = write(to, waiting, &backlog, patience) => cut.cancel(),
            }
        });
        (outbox, work)
    }

    /// An answer that can't be made to fit is a refusal; anything else is left out then.
    pub fn push(&self, value: Value) {
        let id = value.get("id").cloned();
        let bytes = self.format.bytes(&value).or_else(|| self.smaller(value)).or_else(|| {
            tracing::error!("a frame is too large even when its texts are cut");
            let refusal = Refusal::new(Fault::TooLarge, "the answer is larger than a frame may be: ask for less");
            self.format.bytes(&wire::response(&id?, Err(refusal)))
        });
        let Some(bytes) = bytes else { return };
        let size = bytes.len();
        if self.backlog.fetch_add(size, Ordering::Relaxed) + size > BACKLOG {
            tracing::warn!("a client has {BACKLOG} bytes to read and doesn't: it is cut off");
            return self.cut.cancel();
        }
        let _ = self.queue.send(Waiting { bytes, since: Instant::now() });
    }

    fn smaller(&self, mut value: Value) -> Option<Vec<u8>> {
        fit::cut(&mut value);
        self.format.bytes(&value)
    }

    /// Resolves when nothing can be sent any more.
    pub async fn closed(&self) {
        self.cut.cancelled().await;
    }
}

async fn write(
    mut to: impl AsyncWrite + Unpin,
    mut waiting: UnboundedReceiver<Waiting>,
    backlog: &AtomicUsize,
    patience: Option<Duration>,
) {
    while let Some(first) = waiting.recv().await {
        let sent = async {
            to.write_all(&first.bytes).await?;
            if waiting.is_empty() { to.flush().await } else { Ok(()) }
        };
        let sent = match patience {
            Some(patience) => timeout_at(first.since + patience, sent).await,
            None => Ok(sent.await),
        };
        backlog.fetch_sub(first.bytes.len(), Ordering::Relaxed);
        match sent {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return,
            Err(_) => return tracing::warn!("a client is {BEHIND:?} behind: it is cut off"),
        }
    }
    let _ = to.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::io::AsyncReadExt;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_is_ten_seconds_behind_is_cut_off() {
        let (near, _far) = tokio::io::duplex(16);
        let (outbox, work) = Outbox::start(near, Format::Cbor);
        outbox.push(json!({"text": "x".repeat(1000)}));
        work.await.unwrap();
        outbox.closed().await;
    }

    #[tokio::test]
    async fn a_reader_with_too_much_to_read_is_cut_off() {
        let (near, _far) = tokio::io::duplex(16);
        let (outbox, work) = Outbox::start(near, Format::Cbor);
        for _ in 0..9 {
            outbox.push(json!({"text": "x".repeat(8 << 20)}));
        }
        outbox.closed().await;
        work.await.unwrap();
    }

    #[tokio::test]
    async fn an_answer_that_is_too_large_is_a_refusal() {
        let (near, mut far) = tokio::io::duplex(1 << 10);
        let (outbox, _work) = Outbox::start(near, Format::Cbor);
        // Nine bytes each.
        let many: Vec<Value> = (0..2_000_000).map(|n| Value::from(f64::from(n) + 0.5)).collect();
        outbox.push(wire::response(&json!(7), Ok(many.into())));
        let told = cbor::decode(&frame::read(&mut far).await.unwrap().unwrap()).unwrap();
        assert_eq!((&told["id"], &told["ok"], &told["error"]["code"]), (&json!(7), &json!(false), &json!("too_large")));
    }

    #[tokio::test]
    async fn what_waits_is_sent_before_the_end() {
        let (near, mut far) = tokio::io::duplex(16);
        let (outbox, work) = Outbox::start(near, Format::Lines);
        outbox.push(json!({"a": 1}));
        outbox.push(json!({"b": 2}));
        drop(outbox);
        let mut read = String::new();
        far.read_to_string(&mut read).await.unwrap();
        work.await.unwrap();
        assert_eq!(read, "{\"a\":1}\n{\"b\":2}\n");
    }
}
