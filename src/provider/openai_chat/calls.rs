//! Which call a fragment belongs to: by id, else by index, else by position in the chunk.

use super::wire::CallDelta;
use crate::conversation::Extra;
use crate::provider::{
    StreamEvent,
    answer::{Answer, CallNumber},
};
use serde_json::Value;

/// The calls of an answer, as the server numbers them.
#[derive(Debug, Default)]
pub struct Calls(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    id: Option<String>,
    index: Option<usize>,
    /// Place among the calls of its chunk.
    position: usize,
    call: CallNumber,
}

impl Calls {
    /// Takes the `position`-th fragment of a chunk.
    pub fn take(&mut self, position: usize, delta: CallDelta, answer: &mut Answer, out: &mut Vec<StreamEvent>) {
        let id = delta.id.filter(|id| !id.trim().is_empty());
        let function = delta.function;
        let (name, arguments) = function.map_or((None, None), |f| (f.name, f.arguments));
        let name = name.filter(|name| !name.trim().is_empty());
        let text = match arguments {
            Some(Value::String(piece)) => piece,
            Some(Value::Null) | None => String::new(),
            Some(object) => object.to_string(),
        };
        let call = match self.find(id.as_deref(), delta.index, position, name.is_some()) {
            // Several whole calls under one index and without ids.
            Found::Slot(n) if id.is_none() && name.is_some() && answer.is_another(self.0[n].call, &text) => {
                self.open(None, delta.index, position, answer, out)
            }
            Found::Slot(n) => self.0[n].call,
            Found::Replay => return,
            Found::New => self.open(id.clone(), delta.index, position, answer, out),
        };
        answer.name_call(call, id.as_deref(), name.as_deref(), out);
        answer.keep_with_call(call, echoed(delta.more));
        answer.arguments(call, &text, out);
    }

    fn open(
        &mut self,
        id: Option<String>,
        index: Option<usize>,
        position: usize,
        answer: &mut Answer,
        out: &mut Vec<StreamEvent>,
    ) -> CallNumber {
        let call = answer.open_call(out);
        self.0.push(Slot { id, index, position, call });
        call
    }

    fn find(&self, id: Option<&str>, index: Option<usize>, position: usize, named: bool) -> Found {
        if let Some(id) = id {
            return match self.0.iter().rposition(|s| s.id.as_deref() == Some(id)) {
                // The same id at another index: the same call again, which must not run twice.
                Some(n) if index.is_some() && self.0[n].index.is_some_and(|i| Some(i) != index) => Found::Replay,
                Some(n) => Found::Slot(n),
                None => self.unidentified(index),
            };
        }
        if let Some(index) = index {
            let place = self.0.iter().rposition(|s| s.index == Some(index));
            return place.map_or(Found::New, Found::Slot);
        }
        match self.0.iter().rposition(|s| s.position == position) {
            Some(n) if !named => Found::Slot(n),
            None if !named => self.0.len().checked_sub(1).map_or(Found::New, Found::Slot),
            _ => Found::New,
        }
    }

    /// A slot of this index that was opened without an id, and now learns it.
    fn unidentified(&self, index: Option<usize>) -> Found {
        let place = index.and_then(|i| self.0.iter().rposition(|s| s.index == Some(i) && s.id.is_none()));
        place.map_or(Found::New, Found::Slot)
    }
}

enum Found {
    Slot(usize),
    Replay,
    New,
}

/// The fields that the server wants back: all that the dialect does not have.
fn echoed(mut more: Extra) -> Extra {
    more.retain(|key, value| key != "type" && !value.is_null());
    more
}
