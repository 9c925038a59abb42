//! How a turn ended, in the editor's words.

use super::peer::fault;
use crate::backend::{BackendError, Code};
use crate::conversation;
use crate::server::wire::Refusal;
use agent_client_protocol_schema::v1::{Error, PromptResponse, StopReason};
use serde_json::json;

/// What the session says of the end of a turn.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    pub error: Option<String>,
    /// The kind of error of a provider, as it stands in protocol.md.
    pub kind: Option<String>,
    /// A limit of the configuration.
    pub limit: bool,
    /// The last answer's.
    pub stop: Option<conversation::StopReason>,
}

/// The answer to the prompt that began it.
pub fn answer(cancelled: bool, ended: Ended) -> Result<PromptResponse, Error> {
    let stop = match ended {
        _ if cancelled => StopReason::Cancelled,
        Ended { limit: true, .. } => StopReason::MaxTurnRequests,
        Ended { error: Some(error), kind, .. } => return Err(failed(error, kind)),
        Ended { stop: Some(conversation::StopReason::Length), .. } => StopReason::MaxTokens,
        // With calls a turn goes on, unless somebody stopped it.
        Ended { stop: Some(conversation::StopReason::Aborted | conversation::StopReason::ToolUse), .. } => {
            StopReason::Cancelled
        }
        _ => StopReason::EndTurn,
    };
    Ok(PromptResponse::new(stop))
}

fn failed(error: String, kind: Option<String>) -> Error {
    let base = if kind.as_deref() == Some("auth") { Error::auth_required() } else { Error::internal_error() };
    fault(base, error).data(kind.map(|kind| json!({"kind": kind})))
}

/// A refusal of panto's, with its own code beside the one of JSON-RPC.
pub fn refused(refusal: Refusal) -> Error {
    let name = refusal.fault.name();
    let base = match name {
        "not_found" => Error::resource_not_found(None),
        "internal" | "session_unreadable" => Error::internal_error(),
        "invalid_request" | "too_large" => Error::invalid_params(),
        _ => Error::invalid_request(),
    };
    fault(base, refusal.message).data(json!({"code": name}))
}

/// A session that is gone.
pub fn gone() -> Error {
    refused(BackendError::new(Code::NotFound, "the session was closed").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_turn() {
        let ended = |stop| Ended { stop, ..Ended::default() };
        let error = |kind: Option<&str>| Ended {
            error: Some("it failed".into()),
            kind: kind.map(str::to_owned),
            ..ended(None)
        };
        let reason = |cancelled, ended| answer(cancelled, ended).expect("a reason").stop_reason;
        assert_eq!(reason(false, ended(Some(conversation::StopReason::Stop))), StopReason::EndTurn);
        assert_eq!(reason(false, ended(Some(conversation::StopReason::Length))), StopReason::MaxTokens);
        assert_eq!(reason(false, ended(Some(conversation::StopReason::Aborted))), StopReason::Cancelled);
        assert_eq!(reason(false, ended(Some(conversation::StopReason::ToolUse))), StopReason::Cancelled);
        assert_eq!(reason(true, error(None)), StopReason::Cancelled);
        assert_eq!(reason(false, Ended { limit: true, ..error(None) }), StopReason::MaxTurnRequests);
        for (kind, code) in [(None, -32603), (Some("server"), -32603), (Some("auth"), -32000)] {
            let error = answer(false, error(kind)).expect_err("an error");
            assert_eq!((i32::from(error.code), error.message.as_str()), (code, "it failed"), "{kind:?}");
        }
    }
}
