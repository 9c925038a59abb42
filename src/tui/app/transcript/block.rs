//! A block: the unit that is laid out, folded and cached.

use super::{
    clock::Clock,
    drawn::{Drawn, Key},
    entry::Update,
    live::{Live, Output},
};
use crate::{
    backend::{ContentPart, Item, ItemBody, Rendered},
    conversation::Part,
    tui::{text::Row, theme::ColorDepth},
};
use std::ops::Range;

/// What a block shows. `part` counts the content parts of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    User {
        part: usize,
    },
    Image {
        part: usize,
    },
    /// Markdown of an answer.
    Answer {
        part: usize,
    },
    Thinking {
        part: usize,
    },
    /// A call that the model is still writing.
    Calling {
        part: usize,
    },
    /// Nothing has come of the answer yet.
    Waiting,
    Tool,
    /// A call that a call makes.
    Nested,
    Note,
    /// Why an answer ended before its time.
    Ending,
}

impl Kind {
    pub fn part(self) -> Option<usize> {
        match self {
            Kind::User { part }
            | Kind::Image { part }
            | Kind::Answer { part }
            | Kind::Thinking { part }
            | Kind::Calling { part } => Some(part),
            Kind::Waiting | Kind::Tool | Kind::Nested | Kind::Note | Kind::Ending => None,
        }
    }

    /// Whether the other is of the same kind, of whichever part.
    pub fn is_like(self, other: Kind) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// Whether an empty line stands between a block of this kind and the one above it.
    pub fn parted_from(self, above: Option<Kind>) -> bool {
        !matches!(
            (above, self),
            (None, _)
                | (_, Kind::Nested)
                | (
                    Some(Kind::Thinking { .. } | Kind::Calling { .. } | Kind::Tool | Kind::Nested),
                    Kind::Tool | Kind::Calling { .. }
                )
                | (Some(Kind::User { .. } | Kind::Image { .. }), Kind::Image { .. })
                | (Some(_), Kind::Ending)
        )
    }
}

#[derive(Debug)]
pub struct Block {
    pub kind: Kind,
    /// Opened (true) or folded by the user, whatever holds for all.
    pub own_fold: Option<bool>,
    pub clock: Clock,
    /// Counts changes of what it shows.
    pub revision: u32,
    /// What has come of a block that streams; none once its item holds it.
    pub live: Option<Box<Live>>,
    /// The height that the last layout gave, and what it was made for.
    pub measured: Option<(Key, usize)>,
    /// Rows, while the block is near the screen.
    pub drawn: Option<Box<Drawn>>,
    /// What an extension makes of a tool call.
    pub rendered: Option<Rendered>,
}

impl Block {
    pub fn new(kind: Kind) -> Self {
        Block {
            kind,
            own_fold: None,
            clock: Clock::Unknown,
            revision: 0,
            live: None,
            measured: None,
            drawn: None,
            rendered: None,
        }
    }

    /// Lines of the last layout, the empty one above included.
    pub fn height(&self) -> usize {
        self.measured.map_or(0, |(_, lines)| lines)
    }

    /// Whether it shows a spinner or a running time while it grows.
    pub fn moves(&self) -> bool {
        matches!(self.kind, Kind::Thinking { .. } | Kind::Calling { .. } | Kind::Waiting | Kind::Tool | Kind::Nested)
    }

    /// Visits rows of the last layout from line `range.start` to `range.end`; the empty line above a block is none.
    pub fn visit(&self, range: Range<usize>, mut each: impl FnMut(Option<&Row>)) {
        let (Some((key, _)), Some(drawn)) = (self.measured, &self.drawn) else { return };
        let gap = usize::from(key.gap);
        if gap > 0 && range.start == 0 && !range.is_empty() {
            each(None);
        }
        let rows = range.start.saturating_sub(gap)..range.end.saturating_sub(gap);
        drawn.visit(self.live.as_deref(), rows, |row| each(Some(row)));
    }

    /// It looks different from now on.
    pub fn touch(&mut self) {
        self.revision = self.revision.wrapping_add(1);
    }

    /// Whether nothing but white space has come of it.
    pub fn is_blank(&self) -> bool {
        match self.live.as_deref() {
            Some(Live::Answer(markdown)) => markdown.source().trim().is_empty(),
            Some(Live::Thinking(prose)) => prose.text().trim().is_empty(),
            _ => false,
        }
    }

    /// Takes over from the block of the unfinished item.
    pub fn succeed(&mut self, mut was: Block, item: &Item) {
        was.clock.end();
        self.own_fold = was.own_fold;
        if self.clock == Clock::Unknown {
            self.clock = was.clock;
        }
        self.revision = was.revision.wrapping_add(1);
        if let (Some(Live::Answer(mut markdown)), Some(text)) = (was.live.map(|l| *l), self.text(item)) {
            markdown.finish();
            if markdown.source() == text {
                self.drawn = Some(Box::new(Drawn::answer(markdown)));
            }
        }
    }

    /// An unfinished item was met: what is there of it becomes the beginning of what streams.
    pub fn go_live(&mut self, item: &Item) {
        if matches!(self.kind, Kind::Tool | Kind::Nested | Kind::Waiting | Kind::Calling { .. }) {
            self.clock = Clock::Begun;
        }
        let Some(mut live) = Live::new(self.kind) else { return };
        if let Some(text) = self.text(item) {
            live.push(text);
        }
        self.live = Some(Box::new(live));
    }

    /// Takes a piece of what streams; says whether that can be seen.
    pub fn grow(&mut self, delta: &str) -> bool {
        let seen = self.live.as_mut().is_some_and(|live| live.push(delta));
        if seen {
            self.touch();
        }
        seen
    }

    /// Live output of a tool or of a shell line.
    pub fn update(&mut self, update: &Update, depth: ColorDepth) {
        if !matches!(self.kind, Kind::Tool | Kind::Nested | Kind::Note) {
            return;
        }
        let live = self.live.get_or_insert_with(|| Box::new(Live::Output(Output::new())));
        if let Live::Output(output) = &mut **live {
            output.update(update, depth);
            self.touch();
        }
    }

    /// Whether pictures are a part of what it shows.
    pub fn has_pictures(&self, item: &Item) -> bool {
        match (self.kind, &item.body) {
            (Kind::Image { .. }, _) => true,
            (Kind::Tool, ItemBody::Tool { content, .. }) => content.iter().any(|p| matches!(p, Part::Image { .. })),
            _ => false,
        }
    }

    /// The stored text that it shows, if it shows one part's text.
    pub fn text<'a>(&self, item: &'a Item) -> Option<&'a str> {
        let (ItemBody::User { content } | ItemBody::Assistant { content, .. }) = &item.body else { return None };
        match content.get(self.kind.part()?)? {
            ContentPart::Text { text } | ContentPart::Thinking { text, .. } => Some(text),
            ContentPart::ToolCall { .. } | ContentPart::Image { .. } => None,
        }
    }
}
