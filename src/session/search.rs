//! Words in what was said.
//!
//! A line is first searched as it lies in the file, and only parsed when it may hold a word, so that keys and ids of
//! the JSON don't count. Memory is that of a line; of a very large file only the start is searched.

use super::{Summary, parallel, summary};
use crate::util::text::one_line;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, io::Read, path::Path};

/// Bytes of a file that are searched.
const REACH: u64 = 64 << 20;
/// Files that are worth more than one thread.
const SHARE: usize = 16;

/// Words to look for, whatever their case.
pub struct Query {
    words: Vec<String>,
}

impl Query {
    /// None when there is no word in it.
    pub fn new(text: &str) -> Option<Query> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Query { words })
    }

    /// The sessions in which each word occurs, in the summary or in what was said.
    pub fn filter(&self, found: Vec<Summary>) -> Vec<Summary> {
        let hits = parallel::map(&found, SHARE, |summary| self.matches(summary));
        found.into_iter().zip(hits).filter(|(_, hit)| *hit).map(|(summary, _)| summary).collect()
    }

    /// The sessions among these that match.
    pub fn found<'a, S: AsRef<Summary> + Sync>(&self, among: &'a [S]) -> Vec<&'a S> {
        let hits = parallel::map(among, SHARE, |summary| self.matches(summary.as_ref()));
        among.iter().zip(hits).filter(|(_, hit)| *hit).map(|(summary, _)| summary).collect()
    }

    /// The words around the first place in a session where one of them is said, on one line.
    pub fn excerpt(&self, path: &Path) -> Option<String> {
        let file = super::file::read(path).ok()?;
        let (mut found, mut sieve) = (None, Sieve::new(self.words.iter().map(String::as_str)));
        let searched = super::lines::each(file.take(REACH), |line| {
            if sieve.holds(line.bytes) {
                let text = said(line.bytes);
                found = self.words.iter().find_map(|word| around(&text, word));
            }
            found.is_none()
        });
        searched.ok().and(found)
    }

    fn matches(&self, summary: &Summary) -> bool {
        let shown = [
            summary.name.as_deref().unwrap_or_default(),
            &summary.id,
            &summary.path.to_string_lossy(),
            &summary.cwd.to_string_lossy(),
            summary.first_prompt.as_deref().unwrap_or_default(),
        ]
        .join("\n")
        .to_lowercase();
        let missing: Vec<&str> = self.words.iter().map(String::as_str).filter(|w| !shown.contains(w)).collect();
        missing.is_empty() || contains(&summary.path, missing)
    }
}

/// Whether a session says all the words.
fn contains(path: &Path, words: Vec<&str>) -> bool {
    let Ok(file) = super::file::read(path) else { return false };
    let mut missing = Sieve::new(words.into_iter());
    let searched = super::lines::each(file.take(REACH), |line| {
        if missing.holds(line.bytes) {
            let said = said(line.bytes).to_lowercase();
            missing.words.retain(|(word, _)| !said.contains(word));
        }
        !missing.words.is_empty()
    });
    searched.is_ok() && missing.words.is_empty()
}

/// Finds lines that may hold one of the words, as they lie in the file.
struct Sieve<'a> {
    words: Vec<(&'a str, Finder<'static>)>,
    lower: Vec<u8>,
}

impl<'a> Sieve<'a> {
    fn new(words: impl Iterator<Item = &'a str>) -> Sieve<'a> {
        Sieve { words: words.map(|word| (word, finder(word))).collect(), lower: vec![] }
    }

    fn holds(&mut self, line: &[u8]) -> bool {
        self.lower.clear();
        self.lower.extend(line.iter().map(u8::to_ascii_lowercase));
        self.words.iter().any(|(_, finder)| finder.find(&self.lower).is_some())
    }
}

/// Characters before a word that was found, and from it on.
const BEFORE: usize = 40;
const AFTER: usize = 120;

/// A word (in lower case) in a text, with what stands around it.
fn around(text: &str, word: &str) -> Option<String> {
    let line = one_line(text);
    let letters: Vec<char> = line.chars().collect();
    let folded: Vec<char> = letters.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let word: Vec<char> = word.chars().collect();
    let at = folded.windows(word.len()).position(|part| part == word)?;
    let (from, to) = (at.saturating_sub(BEFORE), (at + AFTER).min(letters.len()));
    let ends = (if from > 0 { "…" } else { "" }, if to < letters.len() { "…" } else { "" });
    Some(format!("{}{}{}", ends.0, letters[from..to].iter().collect::<String>(), ends.1))
}

/// Finds the longest part of a word that surely lies in a file as it is written: ASCII without anything that JSON
/// escapes. A word without such a part is looked for in every line.
fn finder(word: &str) -> Finder<'static> {
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '/');
    let longest = word.split(|c| !plain(c)).max_by_key(|part| part.len()).unwrap_or_default();
    Finder::new(longest).into_owned()
}

/// The texts of a message's line.
fn said(line: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Lite<'a> {
        #[serde(borrow)]
        message: LiteMessage<'a>,
    }
    #[derive(Deserialize)]
    struct LiteMessage<'a> {
        #[serde(borrow)]
        role: Cow<'a, str>,
        #[serde(borrow)]
        blocks: &'a RawValue,
    }
    let line = super::lines::mend(line);
    match serde_json::from_slice::<Lite>(&line) {
        Ok(lite) if lite.message.role != "system" => summary::said(lite.message.blocks.get()),
        _ => String::new(),
    }
}
