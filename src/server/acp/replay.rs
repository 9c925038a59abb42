//! Items of a transcript as updates: what is told of a session that is loaded, and of each item that begins or ends.

use super::{calls::Calls, teller::chunk};
use crate::backend::{ContentPart, DeltaKind, Item, ItemBody};
use agent_client_protocol_schema::v1::{ContentBlock, ContentChunk, ImageContent, MessageId, SessionUpdate};

/// A whole item.
pub fn item(calls: &mut Calls, item: &Item) -> Vec<SessionUpdate> {
    match &item.body {
        ItemBody::User { content } => {
            let block = |part| block(part).map(|block| user(&item.id, block));
            content.iter().filter_map(block).collect()
        }
        ItemBody::Assistant { content, .. } => {
            let said = |part| {
                let kind =
                    if matches!(part, &ContentPart::Thinking { .. }) { DeltaKind::Thinking } else { DeltaKind::Text };
                words(part, kind).filter(|text| !text.is_empty()).map(|text| said(&item.id, kind, text))
            };
            content.iter().filter_map(said).collect()
        }
        ItemBody::Tool { .. } => calls.item(item).into_iter().collect(),
        ItemBody::Note { text, .. } => {
            let quoted = format!("\n\n> {}\n\n", text.replace('\n', "\n> "));
            vec![SessionUpdate::AgentMessageChunk(chunk(&item.id, &quoted))]
        }
    }
}

/// The words of a part of that kind.
pub fn words(part: &ContentPart, kind: DeltaKind) -> Option<&str> {
    match (part, kind) {
        (ContentPart::Text { text }, DeltaKind::Text) => Some(text),
        (ContentPart::Thinking { text, .. }, DeltaKind::Thinking) => Some(text),
        _ => None,
    }
}

/// Words of the model's.
pub fn said(item_id: &str, kind: DeltaKind, text: &str) -> SessionUpdate {
    match kind {
        DeltaKind::Thinking => SessionUpdate::AgentThoughtChunk(chunk(&format!("{item_id}.thinking"), text)),
        DeltaKind::Text | DeltaKind::ToolCall => SessionUpdate::AgentMessageChunk(chunk(item_id, text)),
    }
}

fn user(item_id: &str, block: ContentBlock) -> SessionUpdate {
    SessionUpdate::UserMessageChunk(ContentChunk::new(block).message_id(MessageId::new(item_id)))
}

fn block(part: &ContentPart) -> Option<ContentBlock> {
    match part {
        ContentPart::Text { text } => Some(text.as_str().into()),
        ContentPart::Image { mime, data } => Some(ContentBlock::Image(ImageContent::new(data.as_str(), mime.as_str()))),
        ContentPart::Thinking { .. } | ContentPart::ToolCall { .. } => None,
    }
}
