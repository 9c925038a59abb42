//! Which call an event belongs to: by its place in the output, else by the id of its item, else the newest. Relays leave
//! one or the other out, give every event the same place, or make up a new item id for each.

use super::wire::Item;
use crate::provider::{
    StreamEvent,
    answer::{Answer, CallNumber},
};

#[derive(Debug, Default)]
pub struct Calls(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    place: Option<u64>,
    item: Option<String>,
    call_id: Option<String>,
    call: CallNumber,
}

impl Calls {
    /// The call that an event with these marks belongs to; a new one if there is none.
    pub fn of(
        &mut self,
        place: Option<u64>,
        item: Option<&str>,
        answer: &mut Answer,
        out: &mut Vec<StreamEvent>,
    ) -> CallNumber {
        if let Some(n) = self.find(place, item) {
            return self.0[n].call;
        }
        let call = answer.open_call(out);
        self.0.push(Slot { place, item: item.map(str::to_owned), call_id: None, call });
        call
    }

    /// The call of an item, which tells its id and name.
    pub fn of_item(
        &mut self,
        place: Option<u64>,
        item: &Item,
        answer: &mut Answer,
        out: &mut Vec<StreamEvent>,
    ) -> CallNumber {
        let known =
            item.call_id.as_deref().and_then(|id| self.0.iter().rposition(|s| s.call_id.as_deref() == Some(id)));
        let found = known.or_else(|| {
            // Another call at a place that is taken.
            self.find(place, item.id.as_deref()).filter(|n| self.0[*n].call_id.is_none() || item.call_id.is_none())
        });
        let n = found.unwrap_or_else(|| {
            let call = answer.open_call(out);
            self.0.push(Slot { place, item: item.id.clone(), call_id: None, call });
            self.0.len() - 1
        });
        let slot = &mut self.0[n];
        slot.call_id = slot.call_id.take().or_else(|| item.call_id.clone());
        answer.name_call(slot.call, item.call_id.as_deref(), item.name.as_deref(), out);
        slot.call
    }

    /// Whether a call of this id has been seen.
    pub fn knows(&self, call_id: &str) -> bool {
        self.0.iter().any(|slot| slot.call_id.as_deref() == Some(call_id))
    }

    fn find(&self, place: Option<u64>, item: Option<&str>) -> Option<usize> {
        let last = |fits: &dyn Fn(&Slot) -> bool| self.0.iter().rposition(fits);
        let same_item = |slot: &Slot| item.is_some() && slot.item.as_deref() == item;
        match (place, item) {
            (Some(_), _) => last(&|s| s.place == place && same_item(s)).or_else(|| last(&|s| s.place == place)),
            (None, Some(_)) => last(&same_item),
            (None, None) => self.0.len().checked_sub(1),
        }
    }
}
