//! What a scripting runtime tells of its own accord: that it has loaded something after the start.

use super::Program;
use crate::backend::{Diagnostic, runtime::News};

impl Program {
    /// Faces learn of new commands, and of what could not be loaded; `failed` is all of that, as `Extensions::load`
    /// gives it.
    pub fn extensions_changed(&self, failed: Vec<Diagnostic>) {
        if let Ok(shared) = self.shared() {
            shared.crew.tell(News::Loaded(failed));
        }
    }
}
