//! The last exchange of a session.

use super::{
    Entry, EntryKind, branch,
    lines::{self, Record},
    load::text_of,
};
use crate::conversation::{Message, Role};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// How much of the end is read at first, and at the most, in bytes.
const NEAR: u64 = 64 << 10;
const FAR: u64 = 4 << 20;

/// The last prompt and the answer to it, oldest first, from a bounded tail of the file.
pub fn preview(path: &Path) -> io::Result<Vec<(Role, String)>> {
    let mut file = super::file::read(path)?;
    let size = file.metadata()?.len();
    let mut window = NEAR;
    loop {
        let exchange = exchange(&tail(&mut file, size, window)?);
        let whole = exchange.first().is_some_and(|(role, _)| *role == Role::User);
        if whole || window >= size.min(FAR) {
            return Ok(exchange);
        }
        window *= 4;
    }
}

/// The whole entries of the last `window` bytes.
pub(super) fn tail(file: &mut File, size: u64, window: u64) -> io::Result<Vec<Entry>> {
    let start = size.saturating_sub(window);
    file.seek(SeekFrom::Start(start))?;
    let mut entries = Vec::new();
    lines::each(file.take(window), |line| {
        let torn = start > 0 && line.number == 1;
        if let Record::Entry(entry) | Record::Misfit(entry) = lines::record(line.bytes, false)
            && !torn
        {
            entries.push(*entry);
        }
        true
    })?;
    Ok(entries)
}

fn exchange(entries: &[Entry]) -> Vec<(Role, String)> {
    let said = |at: &usize| match &entries[*at].kind {
        EntryKind::Message(message) => spoken(message),
        _ => None,
    };
    let mut answer: Option<String> = None;
    for (role, text) in branch::active(entries).iter().rev().filter_map(said) {
        match role {
            Role::User => {
                let answer = answer.map(|text| (Role::Assistant, text));
                return std::iter::once((Role::User, text)).chain(answer).collect();
            }
            _ => answer = answer.or(Some(text)),
        }
    }
    answer.map(|text| (Role::Assistant, text)).into_iter().collect()
}

/// What somebody said in words.
fn spoken(message: &Message) -> Option<(Role, String)> {
    let text = text_of(&message.blocks);
    (message.role != Role::System && !text.trim().is_empty()).then_some((message.role, text))
}
