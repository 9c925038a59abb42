//! What has come of a block that still streams.

use super::{block::Kind, entry::Update, prose::Prose};
use crate::tui::{
    text::{Markdown, ansi::Log},
    theme::ColorDepth,
};

/// Lines of a running tool's output that are kept; the finished item brings the output again.
const KEPT_LINES: usize = 1000;

#[derive(Debug)]
pub enum Live {
    Answer(Box<Markdown>),
    Thinking(Prose),
    /// Bytes of the input so far, and what is called, where that has been told.
    Calling {
        bytes: usize,
        title: Option<String>,
    },
    Output(Output),
}

impl Live {
    /// The beginning of a block of this kind; none for kinds that come whole.
    pub fn new(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Answer { .. } => Some(Live::Answer(Box::default())),
            Kind::Thinking { .. } => Some(Live::Thinking(Prose::default())),
            Kind::Calling { .. } => Some(Live::Calling { bytes: 0, title: None }),
            Kind::Tool | Kind::Nested => Some(Live::Output(Output::new())),
            Kind::User { .. } | Kind::Image { .. } | Kind::Waiting | Kind::Note | Kind::Ending => None,
        }
    }

    /// Appends; says whether that can be seen. Of a call's input only the size is shown, by the kilobyte.
    pub fn push(&mut self, delta: &str) -> bool {
        match self {
            Live::Answer(markdown) => markdown.push(delta),
            Live::Thinking(prose) => prose.push(delta),
            Live::Calling { bytes, .. } => {
                let before = *bytes;
                *bytes += delta.len();
                return before / 1000 != *bytes / 1000;
            }
            Live::Output(_) => return false,
        }
        true
    }
}

/// Live output of a tool, and the title that it gave itself.
#[derive(Debug, Default)]
pub struct Output {
    pub log: Option<Log>,
    pub title: Option<String>,
}

impl Output {
    pub fn new() -> Self {
        Output::default()
    }

    pub fn update(&mut self, update: &Update, depth: ColorDepth) {
        if let Some(title) = update.title {
            self.title = Some(title.to_owned());
        }
        if update.content.is_some() {
            self.log = None;
        }
        for text in [update.content, update.append].into_iter().flatten() {
            self.log.get_or_insert_with(|| Log::new(KEPT_LINES, depth)).push(text);
        }
    }
}
