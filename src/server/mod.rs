//! The socket server: `panto serve`, and what `panto attach` and `panto rpc` share with it.
//!
//! protocol.md is the specification: frames and strict decoding (`frame`, `cbor`), their contents (`wire`, `events`,
//! `shape`), what each method takes (`method`). Sessions belong to the `hub`; a connection only looks at them. The other
//! end is `client`.

mod cbor;
pub mod client;
mod events;
mod frame;
mod shape;
mod wire;
