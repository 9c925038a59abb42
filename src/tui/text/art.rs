//! What a row needs beside its cells where it shows a part of a picture.

use std::sync::Arc;

/// What a row of a picture needs beside its cells.
#[derive(Debug, PartialEq, Eq)]
pub struct Art {
    /// What its cells hold.
    pub text: String,
    pub columns: u16,
    pub ink: Ink,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Ink {
    /// Bytes that the terminal takes once for all rows of the picture of this number.
    Upload { id: u32, bytes: Arc<str> },
    /// Bytes that paint the row from its first cell on.
    Paint(String),
}
