//! One request: the provider's stream becomes events, and what has arrived is kept for the case that it is broken off.

use super::{AgentEvent, Shop};
use crate::conversation::{Block, Message, Status, StopReason};
use crate::provider::{BlockKind, EventStream, ProviderError, StreamEvent};
use crate::tool::WireNames;
use crate::util::ids;
use futures_util::{FutureExt, StreamExt, stream::Fuse};
use std::{collections::BTreeMap, time::Instant};
use tokio_util::sync::CancellationToken;

/// How a request ended.
pub enum Ended {
    Complete(Message),
    Failed(ProviderError, Message),
    Aborted(Message),
}

/// The answer that is coming in. Its id is the one of the entry that it becomes.
pub struct Answer<'a> {
    pub id: String,
    model: String,
    names: &'a WireNames,
    shop: &'a Shop,
    /// Between `AnswerStarted` and the end of the attempt.
    started: bool,
    kinds: Vec<BlockKind>,
    blocks: Vec<Block>,
    /// Text of blocks that are not complete, by index.
    open: BTreeMap<usize, String>,
    thinking: BTreeMap<usize, Instant>,
    took: serde_json::Map<String, serde_json::Value>,
}

impl<'a> Answer<'a> {
    pub fn new(model: String, names: &'a WireNames, shop: &'a Shop) -> Self {
        Answer {
            id: ids::fresh(),
            model,
            names,
            shop,
            started: false,
            kinds: vec![],
            blocks: vec![],
            open: BTreeMap::new(),
            thinking: BTreeMap::new(),
            took: serde_json::Map::new(),
        }
    }

    /// Reads the stream to its end, or until `abort`. Deltas that wait together go out as one.
    pub async fn read(&mut self, stream: EventStream, abort: &CancellationToken) -> Ended {
        let mut stream = stream.fuse();
        let mut waiting: Option<StreamEvent> = None;
        loop {
            let event = match waiting.take() {
                Some(event) => event,
                None => tokio::select! {
                    biased;
                    () = abort.cancelled() => return Ended::Aborted(self.partial(Status::Aborted)),
                    event = stream.next() => match event {
                        Some(event) => event,
                        None => return self.broken_off(),
                    },
                },
            };
            let event = match event {
                StreamEvent::Delta { index, text } => {
                    let (text, next) = join(&mut stream, index, text);
                    waiting = next;
                    StreamEvent::Delta { index, text }
                }
                other => other,
            };
            if let Some(ended) = self.take(event) {
                return ended;
            }
        }
    }

    fn take(&mut self, event: StreamEvent) -> Option<Ended> {
        match event {
            StreamEvent::MessageStart => self.begin(),
            StreamEvent::BlockStart { index, kind, tool } => self.start_block(index, kind, tool.map(|t| t.name)),
            StreamEvent::Delta { index, text } => self.delta(index, text),
            StreamEvent::BlockComplete { index, block } => self.complete_block(index, block),
            StreamEvent::MessageComplete { message, .. } => return Some(Ended::Complete(self.complete(message))),
            StreamEvent::Failed { error, partial } => {
                let mut partial = self.canonical(partial);
                partial.status = Some(Status::Error);
                partial.stop_reason = Some(StopReason::Error);
                return Some(Ended::Failed(error, partial));
            }
            StreamEvent::Retrying { attempt, of, wait, error } => {
                self.discard();
                self.tell(AgentEvent::Retrying { attempt, of, wait, error });
            }
        }
        None
    }

    fn tell(&self, event: AgentEvent) {
        self.shop.tell(event);
    }

    fn begin(&mut self) {
        if !self.started {
            self.started = true;
            self.tell(AgentEvent::AnswerStarted { id: self.id.clone(), model: self.model.clone() });
        }
    }

    /// Forgets the attempt: the next one has an id of its own.
    pub fn discard(&mut self) {
        if self.started {
            self.tell(AgentEvent::AnswerDiscarded { id: self.id.clone() });
        }
        *self = Answer::new(std::mem::take(&mut self.model), self.names, self.shop);
    }

    fn start_block(&mut self, index: usize, kind: BlockKind, tool: Option<String>) {
        self.begin();
        self.kinds.resize(self.kinds.len().max(index + 1), BlockKind::Other);
        self.kinds[index] = kind;
        self.open.insert(index, String::new());
        if kind == BlockKind::Thinking {
            self.thinking.insert(index, Instant::now());
        }
        if let Some(name) = tool {
            self.tell(AgentEvent::AnswerCalls { id: self.id.clone(), name: self.names.canonical(&name) });
        }
    }

    fn delta(&mut self, index: usize, text: String) {
        let kind = self.kinds.get(index).copied().unwrap_or(BlockKind::Text);
        self.open.entry(index).or_default().push_str(&text);
        self.tell(AgentEvent::AnswerDelta { id: self.id.clone(), index, kind, delta: text });
    }

    fn complete_block(&mut self, index: usize, block: Block) {
        self.open.remove(&index);
        if let Some(since) = self.thinking.remove(&index) {
            let took = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.took.insert(index.to_string(), took.into());
        }
        self.blocks.push(block);
    }

    fn complete(&self, message: Message) -> Message {
        let mut message = self.canonical(message);
        message.status.get_or_insert(Status::Complete);
        message
    }

    /// With canonical tool names, the model's name, and how long it thought.
    fn canonical(&self, mut message: Message) -> Message {
        for block in &mut message.blocks {
            if let Block::ToolUse { name, .. } = block {
                *name = self.names.canonical(name);
            }
        }
        message.model.get_or_insert_with(|| self.model.clone());
        if !self.took.is_empty() {
            message.metadata = Some(serde_json::json!({"panto": {"thinking_ms": self.took}}));
        }
        message
    }

    /// What has arrived of text and thinking; calls are left out, since nobody will run them.
    fn partial(&mut self, status: Status) -> Message {
        let mut blocks: Vec<Block> = self.blocks.drain(..).filter(|b| !matches!(b, Block::ToolUse { .. })).collect();
        for (index, text) in std::mem::take(&mut self.open) {
            match self.kinds.get(index) {
                _ if text.is_empty() => {}
                Some(BlockKind::Text) => blocks.push(Block::text(text)),
                Some(BlockKind::Thinking) => blocks.push(Block::thinking(text, None)),
                _ => {}
            }
        }
        let mut message = self.canonical(Message::assistant(blocks));
        message.status = Some(status);
        message.stop_reason = Some(if status == Status::Aborted { StopReason::Aborted } else { StopReason::Error });
        message
    }

    fn broken_off(&mut self) -> Ended {
        let error = ProviderError::new(crate::provider::ErrorKind::Cut, "the provider's stream ended without an end");
        Ended::Failed(error, self.partial(Status::Error))
    }

    pub fn was_started(&self) -> bool {
        self.started
    }
}

/// Joins deltas of the same block that are there already; returns the first event that is something else.
fn join(stream: &mut Fuse<EventStream>, index: usize, mut text: String) -> (String, Option<StreamEvent>) {
    loop {
        match stream.next().now_or_never().flatten() {
            Some(StreamEvent::Delta { index: i, text: more }) if i == index => text.push_str(&more),
            other => return (text, other),
        }
    }
}
