//! What a person does at the terminal, as data: bytes of the terminal → `Input`.
//!
//! A thread reads the terminal (`reader`), a parser turns bytes into keys, pastes, mouse moves and the terminal's
//! answers (`parser`), and `burst` tells typing from text that was thrown at the program. The parser is our own because
//! the bytes matter: a lone Esc acts at once, `ESC ESC [ A` is one key, a late answer is never typed into the draft.

mod burst;
mod csi;
mod key;
mod parser;
mod reader;
mod sequence;

pub use burst::Decoder;
pub use key::{Key, KeyCode, KeyError, KeyModifiers};
pub use reader::{Chunk, Reader};

/// One thing that came from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    /// Text that arrived in one go, too fast for fingers; its line ends are `\n` and never mean "send".
    Text(String),
    /// A bracketed paste, without control characters; line ends are `\n`.
    Paste(String),
    Mouse(Mouse),
    /// The terminal's window has the focus (or has lost it).
    Focus(bool),
    Answer(Answer),
}

/// Cells are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button.
    Press,
    /// Moved with the left button held.
    Drag,
    Release,
    WheelUp,
    WheelDown,
    /// Another button, or a move without one.
    Other,
}

/// What the terminal says of itself. Answers that nobody uses are dropped by the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// OSC 11: the background, 8 bits a channel.
    Background(u8, u8, u8),
    /// `CSI ? flags u`: the terminal knows the kitty keyboard protocol.
    KeyboardFlags(u8),
}
