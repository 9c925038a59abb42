//! Which blocks the server has open. One after the other, by the book; but some interleave the fragments of several calls,
//! leave the index out, or forget the end of a block.

use crate::provider::answer::CallNumber;

pub enum Open {
    Prose,
    /// The call, and the input that its start carried.
    Call(CallNumber, String),
    /// A block of which nothing is kept.
    Ignored,
}

#[derive(Default)]
pub struct Blocks(Vec<(Option<u64>, Open)>);

impl Blocks {
    /// Opens a block. Gives back one that was open at this index.
    pub fn open(&mut self, index: Option<u64>, block: Open) -> Option<Open> {
        let before = index.and_then(|_| self.close(index));
        self.0.push((index, block));
        before
    }

    /// The open block of this index; without one, the newest.
    pub fn at(&self, index: Option<u64>) -> Option<&Open> {
        self.place(index).map(|n| &self.0[n].1)
    }

    pub fn close(&mut self, index: Option<u64>) -> Option<Open> {
        self.place(index).map(|n| self.0.remove(n).1)
    }

    /// Forgets open text and thinking: there is one at a time.
    pub fn close_prose(&mut self) {
        self.0.retain(|(_, open)| !matches!(open, Open::Prose));
    }

    /// All that are still open, oldest first.
    pub fn take(&mut self) -> Vec<Open> {
        std::mem::take(&mut self.0).into_iter().map(|(_, open)| open).collect()
    }

    fn place(&self, index: Option<u64>) -> Option<usize> {
        match index {
            Some(_) => self.0.iter().rposition(|(at, _)| at.is_none() || *at == index),
            None => self.0.len().checked_sub(1),
        }
    }
}
