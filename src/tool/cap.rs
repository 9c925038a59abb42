//! The central cap on what a tool tells a model: head and tail stay, the whole goes to a spill file.

use super::Outcome;
use crate::{conversation::Part, util};
use serde_json::Value;
use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

/// The limits, and where the whole goes.
#[derive(Debug, Clone)]
pub struct Cap {
    pub bytes: usize,
    pub lines: usize,
    /// Keys are taken out first.
    pub redact: bool,
    /// Folder of the spill files; made when needed, 0700.
    pub spill: PathBuf,
}

impl Cap {
    /// Cuts the text parts of an outcome to the limits, together; other parts stay. `own` is a tool's smaller limit in bytes.
    pub fn apply(&self, mut outcome: Outcome, own: Option<usize>) -> Outcome {
        if self.redact {
            redact(&mut outcome);
        }
        let bytes = own.map_or(self.bytes, |own| own.min(self.bytes));
        let fits = |t: &str| t.len() <= bytes && memchr::memchr_iter(b'\n', t.as_bytes()).count() <= self.lines;
        let text = Part::joined(&outcome.parts);
        if fits(&text) {
            return outcome;
        }
        let note = match self.keep(&text) {
            Ok(path) => {
                let note = format!("the whole output is in {}", path.display());
                remember(&mut outcome, &path);
                note
            }
            Err(e) => format!("the whole output could not be kept: {e}"),
        };
        let cut = shorten(&text, bytes, self.lines, &note);
        outcome.parts.retain(|p| !matches!(p, Part::Text { .. }));
        outcome.parts.insert(0, Part::text(cut));
        outcome
    }

    fn keep(&self, text: &str) -> io::Result<PathBuf> {
        let path = self.spill.join(format!("{}.txt", util::ids::fresh()));
        make_private(&self.spill)?;
        util::atomic::write(&path, text.as_bytes(), Some(0o600))?;
        Ok(path)
    }
}

/// Takes keys out of all that is sent or stored: the text, and what is for the screen.
fn redact(outcome: &mut Outcome) {
    for part in &mut outcome.parts {
        if let Part::Text { text, .. } = part
            && let Cow::Owned(clean) = util::redact::keys(text)
        {
            *text = clean;
        }
    }
    outcome.details.iter_mut().for_each(redact_value);
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = util::redact::keys(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_value),
        Value::Object(fields) => fields.values_mut().for_each(redact_value),
        _ => {}
    }
}

/// Says in the details where the whole output is, so that faces can show it.
fn remember(outcome: &mut Outcome, path: &std::path::Path) {
    let details = outcome.details.get_or_insert_with(|| serde_json::json!({}));
    if let Some(details) = details.as_object_mut() {
        details.insert("full_output".into(), path.display().to_string().into());
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }
    #[cfg(not(unix))]
    fs::create_dir_all(folder)
}

/// Head and tail of a text within the limits, with a line between them that counts what is missing and says `note`.
pub fn shorten(text: &str, bytes: usize, lines: usize, note: &str) -> String {
    let head = head(text, bytes / 2, lines / 2);
    let tail = tail(&text[head.len()..], bytes / 2, lines / 2);
    let missing = &text[head.len()..text.len() - tail.len()];
    let count = memchr::memchr_iter(b'\n', missing.as_bytes()).count();
    let line_end = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{line_end}[… {count} lines, {} bytes left out; {note}]\n{tail}", missing.len())
}

/// The same where the text is longer than `bytes`; else the text.
pub fn shorten_if_longer(text: &str, bytes: usize) -> String {
    if text.len() <= bytes { text.to_owned() } else { shorten(text, bytes, usize::MAX, "not kept") }
}

/// The longest beginning within the limits, to the end of a line where one is near.
fn head(text: &str, bytes: usize, lines: usize) -> &str {
    let by_lines =
        memchr::memchr_iter(b'\n', text.as_bytes()).nth(lines.saturating_sub(1)).map_or(text.len(), |i| i + 1);
    let mut end = by_lines.min(floor(text, bytes));
    if end < text.len()
        && let Some(line) = memchr::memrchr(b'\n', &text.as_bytes()[..end])
        && line + 1 > end / 2
    {
        end = line + 1;
    }
    &text[..end]
}

fn tail(text: &str, bytes: usize, lines: usize) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let by_lines = memchr::memrchr_iter(b'\n', body.as_bytes()).nth(lines.saturating_sub(1)).map_or(0, |i| i + 1);
    let mut start = by_lines.max(ceil(text, text.len().saturating_sub(bytes)));
    if start > 0
        && let Some(line) = memchr::memchr(b'\n', &text.as_bytes()[start..])
        && start + line + 1 < text.len() - (text.len() - start) / 2
        && text.as_bytes()[start - 1] != b'\n'
    {
        start += line + 1;
    }
    &text[start..]
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

fn ceil(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at.min(text.len()))
}

/// Removes spill files that are older than a week. Errors do not matter.
pub fn sweep(folder: &Path) {
    let old = |at: SystemTime| at.elapsed().is_ok_and(|age| age > KEPT_FOR);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.metadata().and_then(|m| m.modified()).is_ok_and(old) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cap(folder: &Path) -> Cap {
        Cap { bytes: 1000, lines: 20, redact: true, spill: folder.join("spill") }
    }

    #[test]
    fn h16_head_and_tail_stay_and_the_whole_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let text: String = (0..500).map(|i| format!("line {i}\n")).collect();
        let got = Part::joined(&cap(folder.path()).apply(Outcome::text(text.clone()), None).parts);
        assert!(got.len() < 1300 && got.lines().count() <= 22, "{got}");
        assert!(got.starts_with("line 0\n") && got.ends_with("line 499\n"), "{got}");
        let path = got.split("is in ").nth(1).and_then(|s| s.split(']').next()).expect("a path");
        assert_eq!(fs::read_to_string(path).expect("the spill file"), text);
    }

    #[test]
    fn what_fits_is_untouched() {
        let folder = tempfile::tempdir().expect("a folder");
        let outcome = Outcome::text("short\n");
        assert_eq!(cap(folder.path()).apply(outcome.clone(), None), outcome);
        assert!(!folder.path().join("spill").exists());
    }

    #[test]
    fn h09_one_long_line_is_cut_at_characters() {
        let text = "🔥".repeat(2000);
        let got = shorten(&text, 1001, 20, "note");
        assert!(got.len() < 1200 && !got.contains('\u{fffd}'));
    }

    proptest! {
        #[test]
        fn never_panics_and_never_grows(text in "(\\PC|\n){0,400}", bytes in 0usize..300, lines in 0usize..20) {
            let got = shorten(&text, bytes, lines, "n");
            prop_assert!(got.len() <= bytes + 80);
        }
    }
}
