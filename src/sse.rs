//! Server-sent events: bytes in, events out; no I/O.
