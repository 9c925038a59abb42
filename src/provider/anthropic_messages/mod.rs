//! The dialect of Anthropic's messages. Its events map one to one to the uniform stream (contract R54).

mod blocks;
mod decode;
mod encode;
mod thinking;
mod wire;

pub use decode::Decoder;
pub use encode::encode;
