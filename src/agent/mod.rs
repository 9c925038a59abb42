//! The agent loop: provider → tools → provider until no call is left.
//!
//! `machine` decides (pure: event in, effects out), `turn` does what it says, `batch` runs the calls of a round, `queue`
//! holds what the user says meanwhile. News goes out as `AgentEvent`s; the backend fans them out to the session file,
//! the faces and Lua. The agent knows none of them.

mod answer;
mod batch;
mod event;
mod machine;
mod nested;
mod queue;
mod round;
mod turn;

pub use event::{AgentEvent, Called, End};
pub use machine::{Effect, Event, Limits, Machine};
pub use nested::{Nested, call};
pub use queue::Queue;
pub use round::{Gate, GateCall, Shop, Verdict};
pub use turn::{Control, Entry, Turn};
