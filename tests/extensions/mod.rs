//! The life of extensions: reload, rights, switches, the list of them, and registrations that are wrong.

mod bad;
mod harm;
mod listing;
mod luv;
mod mentions;
mod provider;
mod reload;
mod rights;
mod screen;
