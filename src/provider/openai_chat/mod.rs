//! The dialect of OpenAI's chat completions, which most servers speak in one way or another.
//!
//! Block borders are synthesised from what a delta carries (contract R53). What servers do differently is met by the
//! decoder as far as it can be told from the bytes; the rest is a quirk of the provider's configuration.

mod calls;
mod decode;
mod encode;
mod reasoning;
mod tags;
mod wire;

pub use decode::Decoder;
pub(in crate::provider) use encode::effort;
pub use encode::encode;
