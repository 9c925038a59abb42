//! What the user says, on its way to the model: it waits until extensions are loaded, and their `input` handlers may
//! change it or take it for themselves. One text after the other, so that none overtakes another.

use super::{
    BackendError, Event, HookCall, Phase,
    runtime::{News, Runtime},
    shared::Shared,
};
use crate::conversation::{Block, Message, Part, Role};
use serde_json::{Value, json};
use std::{collections::VecDeque, sync::Arc};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;

/// What a text is to become.
#[derive(Debug, Clone)]
pub enum How {
    Prompt { images: Vec<Part> },
    Steer,
    FollowUp,
}

impl How {
    fn name(&self) -> &'static str {
        match self {
            How::Prompt { .. } => "prompt",
            How::Steer => "steer",
            How::FollowUp => "follow_up",
        }
    }
}

struct Waiting {
    id: u64,
    how: How,
    text: String,
}

/// A text for the handlers.
struct Job {
    id: u64,
    data: Value,
    cancel: CancellationToken,
}

/// What came of a text: none when a handler has dealt with it.
pub struct Said {
    id: u64,
    text: Option<String>,
}

/// The texts that are with the handlers, in the order in which they came.
pub struct Inputs {
    desk: UnboundedSender<Job>,
    waiting: VecDeque<Waiting>,
    cancel: CancellationToken,
    last: u64,
}

impl Inputs {
    /// Starts the task that asks; it ends with the value.
    pub fn new(shared: &Arc<Shared>, news: &UnboundedSender<News>) -> Self {
        let (desk, jobs) = mpsc::unbounded_channel();
        tokio::spawn(ask(shared.clone(), jobs, news.clone()));
        Inputs { desk, waiting: VecDeque::new(), cancel: CancellationToken::new(), last: 0 }
    }

    /// Whether a text waits that will begin a turn.
    pub fn has_prompt(&self) -> bool {
        self.waiting.iter().any(|w| matches!(w.how, How::Prompt { .. }))
    }

    /// Gives back what waits; nothing comes of it any more.
    pub fn clear(&mut self) -> Vec<String> {
        std::mem::take(&mut self.cancel).cancel();
        self.waiting.drain(..).map(|w| w.text).collect()
    }

    fn push(&mut self, how: How, text: String) {
        self.last += 1;
        let images = if let How::Prompt { images } = &how { images.len() } else { 0 };
        let data = json!({"text": text, "as": how.name(), "images": images});
        let _ = self.desk.send(Job { id: self.last, data, cancel: self.cancel.clone() });
        self.waiting.push_back(Waiting { id: self.last, how, text });
    }
}

async fn ask(shared: Arc<Shared>, mut jobs: UnboundedReceiver<Job>, news: UnboundedSender<News>) {
    let mut loaded = shared.loaded.subscribe();
    while let Some(Job { id, mut data, cancel }) = jobs.recv().await {
        let answer = async {
            let _ = loaded.wait_for(|l| *l).await;
            if shared.extensions.listens("input") {
                data = shared.extensions.ask(HookCall { event: "input", data }).await;
            }
            let handled = data["handled"] == true;
            data["text"].as_str().filter(|_| !handled).map(str::to_owned)
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            text = answer => drop(news.send(News::Said(Said { id, text }))),
        }
    }
}

impl Runtime {
    /// Takes a text of the user's. Where nobody has to be asked it counts at once.
    pub fn speak(&mut self, how: How, text: String) {
        if self.loaded() && self.inputs.waiting.is_empty() && !self.shared.extensions.listens("input") {
            return self.spoken(how, text);
        }
        let prompt = matches!(how, How::Prompt { .. });
        self.inputs.push(how, text);
        if prompt {
            self.set_phase(Phase::Turn);
        }
    }

    pub fn said(&mut self, Said { id, text }: Said) {
        let Some(n) = self.inputs.waiting.iter().position(|w| w.id == id) else { return };
        let Some(Waiting { how, .. }) = self.inputs.waiting.remove(n) else { return };
        match (how, text) {
            (How::Prompt { .. }, _) if self.writable().is_err() => self.unprompted(),
            (How::Prompt { images }, None) if images.is_empty() => self.unprompted(),
            (How::Prompt { .. } | How::Steer | How::FollowUp, None) => self.changed(),
            (how, Some(text)) => self.spoken(how, text),
        }
    }

    /// A prompt has come to nothing; whoever waits for the end of its turn is told.
    pub fn unprompted(&mut self) {
        self.set_phase(Phase::Idle);
        self.tell(Event::TurnEnded { error: None, kind: None, limit: false });
        self.next_turn();
    }

    fn spoken(&mut self, how: How, text: String) {
        match how {
            How::Prompt { images } => match prompt(text, images) {
                Some(message) => self.begin_turn(vec![message]),
                None => self.unprompted(),
            },
            How::Steer if self.is_busy() => {
                self.queue.steer(text);
                self.changed();
            }
            How::Steer | How::FollowUp => self.follow_up_with(text),
        }
    }

    fn follow_up_with(&mut self, text: String) {
        if self.is_busy() {
            self.queue.follow_up(text);
            self.changed();
        } else {
            self.begin_turn(vec![Message::user(text)]);
        }
    }

    /// A turn runs, or begins as soon as its prompt has been through the handlers.
    pub fn is_in_turn(&self) -> bool {
        self.turn.is_some() || self.inputs.has_prompt()
    }

    /// A turn, a compaction, a summary or a search for a point is under way: what `Finished` waits for.
    pub fn is_at_work(&self) -> bool {
        self.is_in_turn() || self.compacting.is_some() || self.leaving.is_some() || self.finding.is_some()
    }

    /// Something is under way that has to end before a turn can begin.
    pub fn is_busy(&self) -> bool {
        self.busy().is_err()
    }

    /// The same as an error that says what.
    pub fn busy(&self) -> Result<(), BackendError> {
        let busy = |text| Err(BackendError::new(super::Code::Busy, text));
        if self.is_in_turn() {
            return busy("a turn is running: Esc interrupts it");
        }
        if self.compacting.is_some() {
            return busy("the session is being compacted: Esc stops that");
        }
        if self.leaving.is_some() {
            return busy("the branch left behind is being summed up: Esc stops that");
        }
        self.not_pending()
    }

    /// No other session is on its way into this one's place, and this one goes to no other point.
    pub fn not_pending(&self) -> Result<(), BackendError> {
        let busy = |text| Err(BackendError::new(super::Code::Busy, text));
        match (&self.opening, &self.finding) {
            (Some(_), _) => busy("another session is being opened: wait until it is"),
            (None, Some(_)) => busy("the branches of the session are being read: Esc stops that"),
            (None, None) => Ok(()),
        }
    }

    /// Nothing is under way, nobody waits for anything, and nobody but whoever keeps it looks: the runtime may go.
    pub fn at_rest(&self) -> Result<(), BackendError> {
        self.busy()?;
        if self.open.state.not_saved.is_some() && !self.compromised() {
            return Err(BackendError::new(super::Code::Busy, "the session is not saved yet"));
        }
        if self.shared.is_by_script() && !self.loaded() {
            return Err(BackendError::new(super::Code::Busy, "its extensions have not heard yet that it is a fork"));
        }
        let works = !self.shells.is_empty() || self.shared.crew.is_busy() || !self.errands.is_empty();
        if works || !self.waiting.is_empty() || !self.inputs.waiting.is_empty() || self.ui.is_asking() {
            return Err(BackendError::new(super::Code::Busy, "something still runs in the session"));
        }
        if self.faces.looking() > 1 {
            return Err(BackendError::new(super::Code::Busy, "somebody looks at the session"));
        }
        Ok(())
    }
}

/// The message of a prompt; none when there is nothing in it.
pub fn prompt(text: String, images: Vec<Part>) -> Option<Message> {
    let mut blocks: Vec<Block> = images.into_iter().filter_map(image).collect();
    if !text.is_empty() {
        blocks.push(Block::text(text));
    }
    (!blocks.is_empty()).then(|| Message::new(Role::User, blocks))
}

fn image(part: Part) -> Option<Block> {
    match part {
        Part::Image { mime, data } => Some(Block::Image { mime, data, extra: Default::default() }),
        _ => None,
    }
}
