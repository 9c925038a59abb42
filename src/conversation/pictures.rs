//! The pictures of a message, wherever they stand: beside its words, and in results.

use super::{Block, Message, Part};

impl Message {
    /// How many there are.
    pub fn pictures(&self) -> usize {
        let pictures = |block: &Block| match block {
            Block::Image { .. } => 1,
            Block::ToolResult { content, .. } => content.iter().filter(|p| matches!(p, Part::Image { .. })).count(),
            _ => 0,
        };
        self.blocks.iter().map(pictures).sum()
    }

    /// The message with something else in the place of its pictures, whose kind and data are asked about; none where all
    /// stay.
    pub fn with_pictures(&self, other: impl Fn(&str, &str) -> Option<Part>) -> Option<Message> {
        if self.pictures() == 0 {
            return None;
        }
        let (mut message, mut any) = (self.clone(), false);
        for block in &mut message.blocks {
            match block {
                Block::Image { mime, data, .. } => match other(mime, data) {
                    Some(Part::Image { mime: kind, data: small }) => (any, *mime, *data) = (true, kind, small),
                    Some(Part::Text { text }) => (any, *block) = (true, Block::text(text)),
                    Some(Part::Other(_)) | None => {}
                },
                Block::ToolResult { content, .. } => content.iter_mut().for_each(|part| {
                    let Part::Image { mime, data } = part else { return };
                    if let Some(instead) = other(mime, data) {
                        (any, *part) = (true, instead);
                    }
                }),
                _ => {}
            }
        }
        any.then_some(message)
    }

    /// The message with notes in the place of its pictures: the server has refused them.
    pub fn without_refused_pictures(&self) -> Option<Message> {
        let note = |mime: &str| format!("[a picture ({mime}) was left out: the server refused it]");
        self.with_pictures(|mime, _| Some(Part::text(note(mime))))
    }
}
