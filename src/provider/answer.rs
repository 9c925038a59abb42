//! One answer being put together: what decoders find goes in, the uniform events and the whole message come out.
//!
//! Prose (text or thinking) is one open block at a time; calls may be open side by side, because servers interleave
//! their fragments. A call is announced when its name is known. Nothing that is half done survives as a call: its
//! arguments either are a JSON object at the end, or the call is marked `truncated` and must not run. Once the answer has
//! ended, what else comes for it does nothing.

mod call;

use super::{BlockKind, ModelSpec, ProviderError, StreamEvent, ToolHead};
use crate::conversation::{Block, Extra, Message, Price, Status, StopReason, Usage};
use call::Call;
pub use call::{TRUNCATED, WIRE};

/// Calls that an answer may hold; what a degenerate model asks beyond that is dropped with a note.
pub const MAX_CALLS: usize = 128;

/// Names a call of an answer. Calls beyond `MAX_CALLS` have no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallNumber(Option<usize>);

#[derive(Debug)]
pub struct Answer {
    model: String,
    price: Option<Price>,
    /// By index of the uniform stream; none while a block is open.
    blocks: Vec<Option<Block>>,
    prose: Option<Prose>,
    calls: Vec<Call>,
    dropped_calls: usize,
    /// Fields of the whole message that must be echoed.
    pub extra: Extra,
    /// Tokens, as far as the server has told; the last word counts.
    pub usage: Usage,
    progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Begun,
    Ended,
}

/// The open text or thinking.
#[derive(Debug)]
struct Prose {
    index: usize,
    kind: BlockKind,
    text: String,
    signature: Option<String>,
    extra: Extra,
}

impl Prose {
    fn block(self) -> Block {
        let Prose { kind, text, signature, extra, .. } = self;
        match kind {
            BlockKind::Thinking => Block::Thinking { text, signature, redacted: None, extra },
            _ => Block::Text { text, extra },
        }
    }
}

impl Answer {
    pub fn new(model: &ModelSpec) -> Self {
        Answer {
            model: model.reference.to_string(),
            price: model.price,
            blocks: Vec::new(),
            prose: None,
            calls: Vec::new(),
            dropped_calls: 0,
            extra: Extra::new(),
            usage: Usage::default(),
            progress: Progress::Waiting,
        }
    }

    /// The server has begun to answer. Later calls do nothing.
    pub fn begin(&mut self, out: &mut Vec<StreamEvent>) {
        if self.progress == Progress::Waiting {
            self.progress = Progress::Begun;
            out.push(StreamEvent::MessageStart);
        }
    }

    pub fn ended(&self) -> bool {
        self.progress == Progress::Ended
    }

    /// Whether the server has begun to answer.
    pub fn has_begun(&self) -> bool {
        self.progress != Progress::Waiting
    }

    /// Whether nothing of substance has come yet.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.calls.is_empty()
    }

    pub fn text(&mut self, piece: String, out: &mut Vec<StreamEvent>) {
        self.prose(BlockKind::Text, piece, out);
    }

    pub fn thinking(&mut self, piece: String, out: &mut Vec<StreamEvent>) {
        self.prose(BlockKind::Thinking, piece, out);
    }

    fn prose(&mut self, kind: BlockKind, piece: String, out: &mut Vec<StreamEvent>) {
        if piece.is_empty() || self.ended() {
            return;
        }
        self.open_prose(kind, out);
        if let Some(prose) = &mut self.prose {
            prose.text.push_str(&piece);
            out.push(StreamEvent::Delta { index: prose.index, text: piece });
        }
    }

    fn open_prose(&mut self, kind: BlockKind, out: &mut Vec<StreamEvent>) {
        if self.prose.as_ref().is_some_and(|p| p.kind == kind) {
            return;
        }
        self.close_prose(out);
        self.close_whole_calls(out);
        let index = self.next_block(kind, None, out);
        self.prose = Some(Prose { index, kind, text: String::new(), signature: None, extra: Extra::new() });
    }

    fn next_block(&mut self, kind: BlockKind, tool: Option<ToolHead>, out: &mut Vec<StreamEvent>) -> usize {
        self.begin(out);
        let index = self.blocks.len();
        self.blocks.push(None);
        out.push(StreamEvent::BlockStart { index, kind, tool });
        index
    }

    /// Adds to the signature of the open thinking; an empty thinking is opened for it.
    pub fn sign(&mut self, piece: &str, out: &mut Vec<StreamEvent>) {
        if self.ended() {
            return;
        }
        self.open_prose(BlockKind::Thinking, out);
        if let Some(prose) = &mut self.prose {
            prose.signature.get_or_insert_default().push_str(piece);
        }
    }

    /// Fields that the open text or thinking keeps.
    pub fn keep(&mut self, extra: Extra) {
        if let Some(prose) = &mut self.prose {
            prose.extra.extend(extra);
        }
    }

    /// The text that is open turns out to have been thinking (a lone closing tag).
    pub fn reclassify(&mut self) {
        if let Some(prose) = &mut self.prose {
            prose.kind = BlockKind::Thinking;
        }
    }

    pub fn close_prose(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(prose) = self.prose.take() {
            self.settle(prose.index, prose.block(), out);
        }
    }

    fn settle(&mut self, index: usize, block: Block, out: &mut Vec<StreamEvent>) {
        self.blocks[index] = Some(block.clone());
        out.push(StreamEvent::BlockComplete { index, block });
    }

    /// A block that arrives in one piece.
    pub fn whole(&mut self, kind: BlockKind, block: Block, out: &mut Vec<StreamEvent>) {
        if self.ended() {
            return;
        }
        self.close_prose(out);
        let index = self.next_block(kind, None, out);
        self.settle(index, block, out);
    }

    /// A further call. Whole calls before it are closed, half ones stay open beside it.
    pub fn open_call(&mut self, out: &mut Vec<StreamEvent>) -> CallNumber {
        if self.ended() {
            return CallNumber(None);
        }
        self.begin(out);
        self.close_prose(out);
        self.close_whole_calls(out);
        if self.calls.len() == MAX_CALLS {
            self.dropped_calls += 1;
            return CallNumber(None);
        }
        self.calls.push(Call::default());
        CallNumber(Some(self.calls.len() - 1))
    }

    /// The call's place, while there is an answer that it can still be part of.
    fn open(&self, call: CallNumber) -> Option<usize> {
        call.0.filter(|_| !self.ended())
    }

    /// Id and name of a call, as far as they come; the first that are not blank count.
    pub fn name_call(&mut self, call: CallNumber, id: Option<&str>, name: Option<&str>, out: &mut Vec<StreamEvent>) {
        let Some(n) = self.open(call) else { return };
        self.calls[n].learn(id, name);
        if self.calls[n].awaits_announcement() {
            self.announce(n, out);
        }
    }

    fn announce(&mut self, n: usize, out: &mut Vec<StreamEvent>) {
        let head = self.calls[n].head();
        let index = self.next_block(BlockKind::ToolUse, Some(head), out);
        let call = &mut self.calls[n];
        call.index = Some(index);
        if !call.json.is_empty() {
            out.push(StreamEvent::Delta { index, text: call.json.clone() });
        }
    }

    /// Further text of a call's arguments.
    pub fn arguments(&mut self, call: CallNumber, piece: &str, out: &mut Vec<StreamEvent>) {
        let Some(n) = self.open(call) else { return };
        let call = &mut self.calls[n];
        let Some(new) = call.take(piece) else { return };
        if let Some(index) = call.index {
            out.push(StreamEvent::Delta { index, text: new.to_owned() });
        }
    }

    /// Whether the call has any text of arguments yet.
    pub fn has_arguments(&self, call: CallNumber) -> bool {
        call.0.is_none_or(|n| !self.calls[n].json.is_empty())
    }

    /// Whether the call's arguments have begun, and `piece` can go on with them: it does not begin an object.
    pub fn goes_on_with(&self, call: CallNumber, piece: &str) -> bool {
        let amid = |call: &Call| !call.json.is_empty() && !call.is_whole();
        call.0.is_none_or(|n| amid(&self.calls[n])) && !piece.is_empty() && !piece.trim_start().starts_with('{')
    }

    pub fn is_named(&self, call: CallNumber, name: &str) -> bool {
        call.0.is_none_or(|n| self.calls[n].is_named(name))
    }

    /// Whether `arguments` are just what the call has already.
    pub fn has_just(&self, call: CallNumber, arguments: &str) -> bool {
        call.0.is_none_or(|n| self.calls[n].is_whole() && !self.calls[n].differs_from(arguments))
    }

    /// Whether the call is whole and `arguments` are those of a different one.
    pub fn is_another(&self, call: CallNumber, arguments: &str) -> bool {
        call.0.is_some_and(|n| self.calls[n].is_whole() && self.calls[n].differs_from(arguments))
    }

    /// Fields of the call beyond those of the dialect; the same server gets them back.
    pub fn keep_with_call(&mut self, call: CallNumber, fields: Extra) {
        if let Some(n) = call.0 {
            self.calls[n].fields.extend(fields);
        }
    }

    pub fn close_call(&mut self, call: CallNumber, out: &mut Vec<StreamEvent>) {
        let Some(n) = self.open(call).filter(|n| !self.calls[*n].closed) else { return };
        if self.calls[n].index.is_none() {
            self.announce(n, out);
        }
        let call = &mut self.calls[n];
        call.closed = true;
        let (index, block) = (call.index.unwrap_or_default(), call.block());
        self.settle(index, block, out);
    }

    fn close_whole_calls(&mut self, out: &mut Vec<StreamEvent>) {
        for n in 0..self.calls.len() {
            if !self.calls[n].closed && self.calls[n].is_whole() {
                self.close_call(CallNumber(Some(n)), out);
            }
        }
    }

    /// The end. Calls decide whether it was a stop for tools, whatever the server called it.
    pub fn complete(&mut self, said: StopReason, out: &mut Vec<StreamEvent>) {
        if self.ended() {
            return;
        }
        self.begin(out);
        self.close_prose(out);
        for n in 0..self.calls.len() {
            self.close_call(CallNumber(Some(n)), out);
        }
        if self.dropped_calls > 0 {
            let note = format!("[{} further tool calls of this answer were dropped]", self.dropped_calls);
            self.text(note, out);
            self.close_prose(out);
        }
        let stop_reason = match said {
            _ if self.calls.iter().any(|c| c.truncated) => StopReason::Length,
            StopReason::Stop | StopReason::ToolUse if self.calls.is_empty() => StopReason::Stop,
            StopReason::Stop => StopReason::ToolUse,
            other => other,
        };
        let message = self.message(Status::Complete, stop_reason, |_| true);
        out.push(StreamEvent::MessageComplete { usage: self.usage, message, stop_reason });
    }

    /// The end, badly. The partial message keeps prose only: no call of a failed answer ever runs.
    pub fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        if self.ended() {
            return;
        }
        if let Some(prose) = self.prose.take() {
            let index = prose.index;
            self.blocks[index] = Some(prose.block());
        }
        let partial = self.message(Status::Error, StopReason::Error, |b| !matches!(b, Block::ToolUse { .. }));
        out.push(StreamEvent::Failed { error, partial });
    }

    fn message(&mut self, status: Status, stop: StopReason, keep: fn(&Block) -> bool) -> Message {
        self.progress = Progress::Ended;
        self.usage.cost = self.price.map(|p| p.cost(&self.usage));
        let blocks = std::mem::take(&mut self.blocks).into_iter().flatten().filter(keep).collect();
        Message {
            usage: (!self.usage.is_empty()).then_some(self.usage),
            stop_reason: Some(stop),
            status: Some(status),
            model: Some(std::mem::take(&mut self.model)),
            extra: std::mem::take(&mut self.extra),
            ..Message::assistant(blocks)
        }
    }
}
