//! A face on a session of a server: what `panto attach` stands on.
//!
//! `dial` connects and says hello, `peer` moves frames, `run` is the task that owns both and comes back when the
//! connection is lost. `attachment` is what the face has to do with the server: commands become calls (`call`), answers
//! and events come back (`hearing`), whole sessions are put together (`fetch`), others are opened (`opening`), and between
//! two connections there is `absence`. A face sees nothing of it: it has a `Link`, as on a session of its own process.

mod absence;
mod address;
mod attachment;
mod call;
mod dial;
mod fetch;
mod hearing;
mod opening;
mod peer;
mod release;
mod run;
#[cfg(test)]
mod tests;

pub use address::Address;
pub use dial::DialError;
pub use opening::{Settings, Wanted};
pub use release::release;
pub use run::Remote;
