//! The operating system's sandbox on real children, with namespaces and as if there were none.

mod inside;
mod kept;
mod outside;
mod probe;
mod protected;
mod world;
