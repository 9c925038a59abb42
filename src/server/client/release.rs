//! Asking a process to hand a session over.

use super::{address::Address, dial::dial, peer::Incoming};
use crate::server::{cbor, frame, wire};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// A turn's last words and the flush, at the holder's.
const PATIENCE: Duration = Duration::from_secs(15);

/// Has whoever listens there let go of a session; `by` names who asks. The error is for people.
pub async fn release(address: &Address, session_id: &str, by: &str) -> Result<(), String> {
    let mut peer = dial(address).await.map_err(|error| error.to_string())?;
    let params = json!({"session_id": session_id, "by": by});
    let request = frame::framed(&cbor::encode(&wire::request_frame(1, "release", params)));
    let _ = peer.out.send(request.ok_or("the request is too long")?);
    let answered = timeout(PATIENCE, async {
        loop {
            match peer.incoming.recv().await {
                Some(Incoming::Response { result, .. }) => return result.map(drop).map_err(|why| why.message),
                Some(Incoming::Lost(why)) => return Err(why),
                Some(_) => {}
                None => return Err("the connection was lost".into()),
            }
        }
    });
    let answer = answered.await.unwrap_or_else(|_| Err(format!("it has not answered for {} s", PATIENCE.as_secs())));
    peer.close().await;
    answer
}
