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
    index: Option<u64>,
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
        let fragment = Fragment { id: id.as_deref(), index: delta.index, position, name: name.as_deref(), text: &text };
        let call = match self.find(&fragment, answer) {
            Found::Slot(call) => self.learn(call, id.as_deref()),
            Found::Replay => return,
            Found::New if fragment.is_nothing() => return,
            Found::New => self.open(id.clone(), delta.index, position, answer, out),
        };
        answer.name_call(call, id.as_deref(), name.as_deref(), out);
        answer.keep_with_call(call, echoed(delta.more));
        answer.arguments(call, &text, out);
    }

    fn open(
        &mut self,
        id: Option<String>,
        index: Option<u64>,
        position: usize,
        answer: &mut Answer,
        out: &mut Vec<StreamEvent>,
    ) -> CallNumber {
        let call = answer.open_call(out);
        self.0.push(Slot { id, index, position, call });
        call
    }

    /// A slot that was opened without an id gets the first that comes.
    fn learn(&mut self, call: CallNumber, id: Option<&str>) -> CallNumber {
        if let Some(slot) = self.0.iter_mut().rev().find(|slot| slot.call == call && slot.id.is_none()) {
            slot.id = id.map(str::to_owned);
        }
        call
    }

    fn find(&self, fragment: &Fragment<'_>, answer: &Answer) -> Found {
        let Some(id) = fragment.id else { return self.find_without_id(fragment, answer) };
        let Some(slot) = self.last(|s| s.id.as_deref() == Some(id)) else { return self.find_new_id(fragment, answer) };
        // The same id at another index, or with other arguments: the same call again, which must not run twice.
        let elsewhere = fragment.index.is_some() && slot.index.is_some_and(|i| Some(i) != fragment.index);
        if elsewhere || answer.is_another(slot.call, fragment.text) { Found::Replay } else { Found::Slot(slot.call) }
    }

    /// By index or position, since the id is new: a slot that learns its id now, or one whose server makes up an id for
    /// each fragment.
    fn find_new_id(&self, fragment: &Fragment<'_>, answer: &Answer) -> Found {
        let slot = match fragment.index {
            Some(index) => self.last(|s| s.index == Some(index)),
            None => self.last(|s| s.position == fragment.position),
        };
        match slot {
            Some(slot) if answer.is_another(slot.call, fragment.text) => Found::New,
            Some(slot) if slot.id.is_none() && fragment.index.is_some() => Found::Slot(slot.call),
            Some(slot) if fragment.name.is_none() || answer.goes_on_with(slot.call, fragment.text) => {
                Found::Slot(slot.call)
            }
            _ => Found::New,
        }
    }

    fn find_without_id(&self, fragment: &Fragment<'_>, answer: &Answer) -> Found {
        let Some(name) = fragment.name else { return self.find_nameless(fragment) };
        let slot = match fragment.index {
            Some(index) => self.last(|s| s.index == Some(index)),
            None => self.last(|s| s.position == fragment.position),
        };
        match slot {
            None => Found::New,
            // Several whole calls under one index.
            Some(slot) if fragment.index.is_some() && answer.is_another(slot.call, fragment.text) => Found::New,
            Some(slot) if fragment.index.is_some() => Found::Slot(slot.call),
            Some(slot) if !answer.is_named(slot.call, name) => Found::New,
            Some(slot) if answer.has_just(slot.call, fragment.text) => Found::Replay,
            Some(slot) if answer.goes_on_with(slot.call, fragment.text) => Found::Slot(slot.call),
            Some(_) => Found::New,
        }
    }

    fn find_nameless(&self, fragment: &Fragment<'_>) -> Found {
        let slot = match fragment.index {
            Some(index) => self.last(|s| s.index == Some(index)),
            None => self.last(|s| s.position == fragment.position).or(self.0.last()),
        };
        slot.map_or(Found::New, |slot| Found::Slot(slot.call))
    }

    fn last(&self, fits: impl Fn(&Slot) -> bool) -> Option<&Slot> {
        self.0.iter().rev().find(|slot| fits(slot))
    }
}

/// What a fragment says about the call that it belongs to.
struct Fragment<'a> {
    id: Option<&'a str>,
    index: Option<u64>,
    position: usize,
    name: Option<&'a str>,
    text: &'a str,
}

impl Fragment<'_> {
    /// Servers fill the list with empty objects, too.
    fn is_nothing(&self) -> bool {
        self.id.is_none() && self.name.is_none() && self.text.is_empty()
    }
}

enum Found {
    Slot(CallNumber),
    Replay,
    New,
}

/// The fields that the server wants back: all that the dialect does not have.
fn echoed(mut more: Extra) -> Extra {
    more.retain(|key, value| key != "type" && !value.is_null());
    more
}
