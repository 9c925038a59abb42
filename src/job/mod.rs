//! Child agents and background work: what runs beside the conversation, seen and stopped as one list.
//!
//! A `Job` is one piece of work: it has a state, a queue of events that somebody may read, one result that is settled
//! once, and a place in a tree of cancellation. `Jobs` knows them all, tells of changes, and lets only so many agents of
//! one depth run at a time. A job says nothing about how its work is done: the backend runs agents, Lua runs tasks.

mod event;
mod events;
mod state;
mod supervisor;
mod view;
mod wake;
mod work;

#[cfg(test)]
mod tests;

pub use event::JobEvent;
pub use state::{CallMade, Settled, State};
pub use supervisor::{Change, Jobs, Start, TooDeep};
pub use view::{Kind, View};
pub use wake::Wake;
pub use work::Job;
