//! What ends with the code that made it though no coroutine waits for it: a process that is talked to.

use super::{FiberId, Scheduler};
use mlua::Lua;
use std::rc::Rc;
use tokio_util::sync::CancellationToken;

/// By the code of an extension, as it is loaded.
#[derive(Default)]
pub(super) struct Tied(Vec<(Rc<str>, CancellationToken)>);

impl Tied {
    fn add(&mut self, extension: Rc<str>, token: CancellationToken) {
        self.0.retain(|(_, token)| !token.is_cancelled());
        self.0.push((extension, token));
    }

    /// Cancels what this code has made.
    pub fn end(&mut self, extension: &Rc<str>) {
        let ended = self.0.extract_if(.., |(owner, _)| Rc::ptr_eq(owner, extension));
        ended.for_each(|(_, token)| token.cancel());
    }
}

impl Scheduler {
    /// A token that is cancelled when the tool call that runs now ends, or without one, when its extension does. Who
    /// has ended before cancels it, so that it isn't kept for longer.
    pub fn tied(&self, lua: &Lua) -> CancellationToken {
        let token = CancellationToken::new();
        let Some(owner) = self.current_owner(lua) else { return token };
        match owner.call.and_then(|_| self.outermost(lua)) {
            Some(root) => {
                if let Some(fiber) = self.fibers.borrow_mut().get_mut(&root) {
                    fiber.tied.retain(|token| !token.is_cancelled());
                    fiber.tied.push(token.clone());
                }
            }
            None => self.tied.borrow_mut().add(owner.extension, token.clone()),
        }
        token
    }

    /// The fiber that all others of the running one's tool call come from.
    pub(super) fn outermost(&self, lua: &Lua) -> Option<FiberId> {
        self.current(lua).map(|id| self.root_of(id))
    }

    /// The fiber that it comes from, over all parents.
    pub(super) fn root_of(&self, id: FiberId) -> FiberId {
        let fibers = self.fibers.borrow();
        let mut root = id;
        while let Some(parent) = fibers.get(&root).and_then(|f| f.parent) {
            root = parent;
        }
        root
    }
}
