//! Bytes of a terminal → `Input`, one at a time, whatever the reads cut in two.
//!
//! Incomplete sequences wait for more; `deadline` says until when, and `expire` decides what they were: a lone ESC is
//! the Esc key after 30 ms, `ESC [` is Alt-[, half an answer of the terminal is dropped. A paste ends with its mark, or
//! when nothing has come for a second.

use super::Input;
use super::sequence::{Step, step};
use std::time::{Duration, Instant};

const ESC_WAIT: Duration = Duration::from_millis(30);
const SEQUENCE_WAIT: Duration = Duration::from_millis(200);
const STRING_WAIT: Duration = Duration::from_secs(1);
const PASTE_WAIT: Duration = Duration::from_secs(1);
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
pub struct Parser {
    /// Bytes not understood yet: the beginning of a sequence.
    rest: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// So much of the paste holds no end mark.
    searched: usize,
    /// When the last byte came.
    at: Option<Instant>,
}

impl Parser {
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<Input> {
        self.at = Some(now);
        match &mut self.paste {
            Some(paste) => paste.extend_from_slice(bytes),
            None => self.rest.extend_from_slice(bytes),
        }
        self.run(false)
    }

    /// When `expire` has something to decide.
    pub fn deadline(&self) -> Option<Instant> {
        let wait = match (&self.paste, self.rest.as_slice()) {
            (Some(_), _) => PASTE_WAIT,
            (None, []) => return None,
            (None, [0x1b] | [0x1b, 0x1b]) => ESC_WAIT,
            (None, [0x1b, b']' | b'P' | b'_', _, ..]) => STRING_WAIT,
            _ => SEQUENCE_WAIT,
        };
        self.at.map(|at| at + wait)
    }

    /// Decides about what is incomplete, if its time is over.
    pub fn expire(&mut self, now: Instant) -> Vec<Input> {
        match self.deadline() {
            Some(deadline) if now >= deadline => {
                let mut inputs = self.end_of_paste();
                inputs.extend(self.run(true));
                inputs
            }
            _ => Vec::new(),
        }
    }

    fn end_of_paste(&mut self) -> Vec<Input> {
        self.searched = 0;
        self.paste.take().map(|bytes| pasted(&bytes)).into_iter().collect()
    }

    fn run(&mut self, expired: bool) -> Vec<Input> {
        let mut inputs = Vec::new();
        loop {
            if self.paste.is_some() && !self.close_paste(&mut inputs) {
                return inputs;
            }
            let bytes = std::mem::take(&mut self.rest);
            let used = self.sequences(&bytes, expired, &mut inputs);
            match &mut self.paste {
                Some(paste) => paste.extend_from_slice(&bytes[used..]),
                None => {
                    self.rest = bytes[used..].to_vec();
                    return inputs;
                }
            }
        }
    }

    /// Looks for the paste's end; what follows it becomes the rest.
    fn close_paste(&mut self, inputs: &mut Vec<Input>) -> bool {
        let Some(paste) = &mut self.paste else { return true };
        let Some(end) = memchr::memmem::find(&paste[self.searched..], PASTE_END) else {
            self.searched = (paste.len() + 1).saturating_sub(PASTE_END.len());
            return false;
        };
        let end = self.searched + end;
        self.rest = paste.split_off(end + PASTE_END.len());
        paste.truncate(end);
        inputs.extend(self.end_of_paste());
        true
    }

    /// Consumes whole sequences until more bytes are needed or a paste starts; returns how many bytes.
    fn sequences(&mut self, bytes: &[u8], expired: bool, inputs: &mut Vec<Input>) -> usize {
        let mut used = 0;
        while used < bytes.len() {
            match step(&bytes[used..], expired) {
                Step::Done(n, input) => {
                    used += n;
                    inputs.extend(input);
                }
                Step::PasteStart(n) => {
                    self.paste = Some(Vec::new());
                    return used + n;
                }
                Step::Need => break,
            }
        }
        used
    }
}

/// The text of a paste: lossy UTF-8, line ends made `\n`, control characters (ESC among them) dropped.
fn pasted(bytes: &[u8]) -> Input {
    let text = String::from_utf8_lossy(bytes);
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text };
    let kept = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
    Input::Paste(match text.chars().all(|c| kept(&c)) {
        true => text.into_owned(),
        false => text.chars().filter(kept).collect(),
    })
}

#[cfg(test)]
mod tests;
