//! A session of another program on its way: a tree of nodes in the order of the file.

use super::source;
use crate::util::time;
use crate::{conversation::Role, session::EntryKind, session::lines, session::load};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// One line of the source, or several that belong together.
pub struct Node {
    pub id: String,
    /// None for a root. What is unknown hangs on the node before.
    pub parent: Option<String>,
    pub timestamp: String,
    /// What it becomes, one after the other; with nothing it only holds the tree together.
    pub kinds: Vec<EntryKind>,
}

#[derive(Default)]
pub struct Draft {
    pub nodes: Vec<Node>,
    /// Other ids of nodes.
    pub alias: HashMap<String, String>,
    /// The node at the end of the active branch; the last one without.
    pub tip: Option<String>,
    pub source_id: Option<String>,
    /// As the source says it.
    pub version: Option<Value>,
    /// The session it was forked from, as the source says it.
    pub parent: Option<String>,
    pub cwd: Option<PathBuf>,
    pub name: Option<String>,
    pub children: Vec<Draft>,
    pub omitted: Omitted,
    /// RFC 3339; else the first node says.
    pub began: Option<String>,
}

/// What did not come along.
#[derive(Default)]
pub struct Omitted {
    /// How many of which kind.
    pub kinds: BTreeMap<String, usize>,
    /// Numbers of lines that cannot be read.
    bad: Vec<usize>,
    cut: Option<usize>,
}

/// Kinds that are named; those of a hostile file may be without number.
const NAMED: usize = 12;

impl Omitted {
    pub fn count(&mut self, kind: &str) {
        let kind: String = crate::util::text::one_line(&crate::session::plain(kind)).chars().take(40).collect();
        *self.kinds.entry(kind).or_default() += 1;
    }
}

impl Draft {
    /// Reads the lines of a file that are JSON objects; remembers the others.
    pub fn scan(path: &Path, mut take: impl FnMut(&mut Draft, Value)) -> io::Result<Draft> {
        let mut draft = Draft::default();
        lines::each(File::open(path)?, |line| {
            match source::value(line.bytes) {
                Some(value) => take(&mut draft, value),
                None if line.bytes.trim_ascii().is_empty() && !line.clipped => {}
                None if !line.ended => draft.omitted.cut = Some(line.number),
                None => draft.omitted.bad.push(line.number),
            }
            true
        })?;
        Ok(draft)
    }

    pub fn begin(&mut self, at: Option<&str>) {
        if let Some(at) = at.filter(|at| self.began.is_none() && time::parse(at).is_some()) {
            self.began = Some(at.to_owned());
        }
    }

    /// RFC 3339.
    pub fn began(&self) -> String {
        let first = || self.nodes.iter().map(|n| n.timestamp.clone()).find(|at| !at.is_empty());
        self.began.clone().or_else(first).unwrap_or_else(time::now)
    }

    pub fn ended(&self) -> String {
        let last = self.nodes.iter().rev().map(|n| n.timestamp.clone()).find(|at| !at.is_empty());
        last.unwrap_or_else(|| self.began())
    }

    /// User and assistant messages.
    pub fn messages(&self) -> usize {
        let spoken = |kind: &EntryKind| matches!(kind, EntryKind::Message(m) if m.role != Role::System);
        self.nodes.iter().flat_map(|n| &n.kinds).filter(|kind| spoken(kind)).count()
    }

    /// What was left out, in words.
    pub fn notes(&self) -> Vec<String> {
        let Omitted { kinds, bad, cut } = &self.omitted;
        let mut notes = Vec::new();
        if !bad.is_empty() {
            notes.push(format!("{} cannot be read ({})", load::count(bad), load::numbers(bad)));
        }
        if let Some(number) = cut {
            notes.push(format!("the last line was cut off and is left out (line {number})"));
        }
        let mut named: Vec<String> = kinds.iter().take(NAMED).map(|(kind, n)| format!("{n} {kind}")).collect();
        if kinds.len() > NAMED {
            named.push(format!("{} of other kinds", kinds.values().skip(NAMED).sum::<usize>()));
        }
        if !named.is_empty() {
            notes.push(format!("left out, since panto has nothing like it: {}", named.join(", ")));
        }
        notes
    }
}

/// A field that is text.
pub fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field)?.as_str()
}

/// The time of a line: RFC 3339 as it is, else the milliseconds of its message; empty for neither.
pub fn timestamp(line: &Value) -> String {
    let written = text(line, "timestamp").filter(|at| time::parse(at).is_some()).map(str::to_owned);
    let millis = || {
        let at = line.pointer("/message/timestamp")?.as_i64()?;
        jiff::Timestamp::from_millisecond(at).ok().map(|at| format!("{at:.3}"))
    };
    written.or_else(millis).unwrap_or_default()
}
