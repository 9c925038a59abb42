//! Providers over real HTTP on the loopback address: what broke others' streams and requests, as bytes, and what must
//! come of it. Names of tests begin with the id of their case.

mod addresses;
mod blocks;
mod bodies;
mod carried;
mod doctor;
mod failures;
mod faux;
mod fuzz;
mod harness;
mod keys;
mod kinds;
mod laws;
mod learned;
mod mill;
mod requests;
mod secrets;
mod server;
mod shapes;
mod streams;
mod table;
mod want;
