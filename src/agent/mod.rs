//! The agent loop: provider → tools → provider until no call is left.
//!
//! `machine` decides (pure: event in, effects out), `turn` does what it says, `batch` runs the calls of a round, `queue`
//! holds what the user says meanwhile, `compact` plans summaries, `upkeep` keeps the conversation inside the window, `hooks` may change what goes to the model and what comes
//! of a call. News goes out as `AgentEvent`s; the backend fans them out to the session file, the faces and Lua. The agent
//! knows none of them.

mod answer;
mod batch;
pub mod compact;
mod event;
mod hooks;
mod ledger;
mod left;
mod machine;
mod nested;
pub mod pictures;
mod prepare;
mod queue;
mod round;
mod shop;
mod slot;
mod turn;
mod upkeep;

pub use event::{AgentEvent, Called, Compacted, End};
pub use hooks::{Afterwards, Fields, Hooks, Point, ToolEnd, Unhooked};
pub use ledger::Ledger;
pub use left::{LEFT, Leave, Left};
pub use machine::{Effect, Event, Limits, Machine, Spent};
pub use nested::{Nested, call};
pub use queue::Queue;
pub use shop::{Gate, GateCall, Shop, Verdict};
pub use turn::{Control, Entry, Turn};
pub use upkeep::Upkeep;
