//! The socket server: `panto serve`, and what `panto attach` and `panto rpc` share with it.
//!
//! protocol.md is the specification: frames and strict decoding (`frame`, `cbor`), their contents (`wire`, `events`,
//! `shape`, `answer`, made to fit by `fit`), what each method takes (`method`). Sessions belong to the `hub`, each on a
//! `seat`; a `connection` only looks at them, and its `outbox` cuts off who reads too slowly. `listen` accepts clients at a
//! `socket`, `rpc` and `acp` have one on standard input and output. `client` is the other end, `page` what people read who write others.

mod acp;
mod answer;
mod asking;
mod cbor;
pub mod client;
mod connection;
mod desk;
mod events;
mod fit;
mod frame;
#[cfg(test)]
mod fuzz;
mod hold;
mod hub;
mod lines;
mod listen;
mod method;
mod outbox;
mod page;
mod rpc;
mod seat;
mod shape;
mod socket;
mod strict;
mod token;
mod wire;

pub use acp::acp;
pub use client::{Address, release};
pub use events::frame as event_frame;
pub use hold::hold;
pub use hub::{Host, Hub, Opened, Opening};
pub use listen::serve;
pub use page::PROTOCOL;
pub use rpc::rpc;
pub use socket::{Socket, SocketError};
pub use token::Token;
pub use wire::Refusal;
