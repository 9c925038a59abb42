//! How long an answer may be in what the window leaves. Servers refuse a request whose tokens and whose longest answer do
//! not fit the window together, although the answer would have been short.

use super::Request;

/// Of the request: how far the count of its tokens may be off.
const UNSURE: u64 = 20;
/// What is asked for even where nothing is left: the server then says that the request does not fit.
const FLOOR: u64 = 1_024;

impl Request {
    /// So many tokens, or fewer where the window leaves fewer; never less than a floor.
    pub(super) fn within_window(&self, wanted: u64) -> u64 {
        let left = self.model.context.saturating_sub(self.tokens + self.tokens / UNSURE);
        wanted.min(left.max(FLOOR))
    }
}
