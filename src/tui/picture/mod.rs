//! Pictures in the transcript: how this terminal shows them, and those that are ready.
//!
//! A picture is rows of cells like everything else, so it is scrolled, clipped and covered by what lies over it as text is.
//! Half-blocks are nothing but coloured cells. With kitty's protocol the cells hold placeholders, and the picture itself
//! goes to the terminal once (`Ink::Upload`); with those of iTerm2 and sixel each row has a strip of its own that is
//! painted over its cells (`Ink::Paint`). Decoding takes its time and happens beside the loop ([`Pictures::make`]).
//!
//! The crate that is known for this (ratatui-image) puts escape sequences into cells, which no cell here may hold, and
//! reads the terminal's answers itself, which here belong to the input; so only the sixel encoder is a library.

mod encode;
mod protocol;
mod store;

pub use protocol::{Canvas, Protocol};
pub use store::{Job, Pictures};
