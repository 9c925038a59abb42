//! Why an answer ended, in everybody's words. One table for all dialects, since relays mix them up.

use super::{ErrorKind, ProviderError};
use crate::conversation::StopReason;

/// What a server's stop reason means. None: it says nothing yet.
pub fn reason(word: &str) -> Option<Result<StopReason, ProviderError>> {
    let failed = |kind, message: &str| Err(ProviderError::new(kind, message));
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "" | "null" | "none" => return None,
        "length"
        | "max_tokens"
        | "max_output_tokens"
        | "max_completion_tokens"
        | "max_length"
        | "model_length"
        | "model_context_window_exceeded"
        | "token_limit"
        | "incomplete" => Ok(StopReason::Length),
        "tool_calls" | "tool_call" | "tool_use" | "function_call" | "function_calls" => Ok(StopReason::ToolUse),
        "content_filter" | "content_filtered" | "safety" | "sensitive" | "recitation" | "prohibited_content"
        | "blocklist" | "spii" => failed(ErrorKind::BadRequest, "the provider's content filter stopped the answer"),
        "refusal" => failed(ErrorKind::BadRequest, "the model declined to answer (refusal)"),
        "error" => failed(ErrorKind::Server, "the server ended the answer with an error"),
        "failed"
        | "network_error"
        | "engine_error"
        | "internal_error"
        | "insufficient_system_resource"
        | "abort"
        | "aborted"
        | "cancelled"
        | "canceled"
        | "timeout"
        | "malformed_function_call"
        | "malformed_tool_call" => {
            failed(ErrorKind::Server, &format!("the server ended the answer with an error ({})", word.trim()))
        }
        _ => Ok(StopReason::Stop),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_everybodys_words() {
        for (word, meant) in [
            ("stop", StopReason::Stop),
            ("STOP", StopReason::Stop),
            ("end_turn", StopReason::Stop),
            ("eos", StopReason::Stop),
            ("other", StopReason::Stop),
            ("MAX_TOKENS", StopReason::Length),
            ("length", StopReason::Length),
            ("tool_use", StopReason::ToolUse),
            ("function_call", StopReason::ToolUse),
        ] {
            assert_eq!(reason(word), Some(Ok(meant)), "{word}");
        }
        for word in ["", " ", "null", "None"] {
            assert_eq!(reason(word), None, "{word}");
        }
        for (word, kind) in [
            ("SAFETY", ErrorKind::BadRequest),
            ("content_filter", ErrorKind::BadRequest),
            ("refusal", ErrorKind::BadRequest),
            ("error", ErrorKind::Server),
            ("network_error", ErrorKind::Server),
            ("MALFORMED_FUNCTION_CALL", ErrorKind::Server),
        ] {
            let Some(Err(error)) = reason(word) else { panic!("{word} is a failure") };
            assert_eq!(error.kind, kind, "{word}");
        }
    }
}
