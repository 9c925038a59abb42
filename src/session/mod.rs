//! (see the module table of architecture.md)
