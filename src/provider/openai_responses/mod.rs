//! The dialect of OpenAI's Responses, used without server-side state: `store: false`, reasoning comes back encrypted
//! and is sent again with the history.

mod calls;
mod decode;
mod encode;
mod wire;

pub use decode::Decoder;
pub use encode::encode;
