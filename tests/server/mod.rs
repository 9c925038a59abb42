//! `panto serve` and what speaks to it, over real sockets.

mod attach;
