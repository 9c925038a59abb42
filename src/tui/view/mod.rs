//! State drawn into a buffer: no I/O, no clock, colours only through roles.

pub mod transcript;
