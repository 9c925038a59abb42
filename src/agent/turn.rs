//! The driver of a turn: does what the machine says, and tells what happens.

use super::{
    AgentEvent, Effect, End, Event, Ledger, Limits, Machine, Queue, Spent,
    answer::{Answer, Ended},
    round::{Ran, Round},
    shop::Shop,
    upkeep::Upkeep,
};
use crate::conversation::{Block, Message, StopReason, Thinking, Usage};
use crate::provider::{ModelSpec, Provider, ProviderError, ToolChoice};
use crate::tool::CANCELLED;
use crate::util::ids;
use std::{collections::VecDeque, sync::Arc, time::Instant};
use tokio::sync::{mpsc::UnboundedReceiver, oneshot};
use tokio_util::sync::CancellationToken;

/// A message of the history with the id of its session entry.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: String,
    pub message: Arc<Message>,
}

/// What may be asked of a running turn, beside its abort token and its queue.
#[derive(Debug, Clone)]
pub enum Control {
    /// Cancels one call, or all; the turn goes on.
    CancelTools { call_id: Option<String> },
    /// Lets one call that runs, or all, go on in the background; the turn goes on too.
    BackgroundTools { call_id: Option<String> },
}

/// Everything that one turn needs. It is made for the turn and consumed by it.
pub struct Turn {
    pub provider: Arc<dyn Provider>,
    pub model: ModelSpec,
    pub thinking: Thinking,
    pub system: Vec<String>,
    pub shop: Shop,
    pub history: Vec<Entry>,
    pub limits: Limits,
    /// How the first request has to use tools; later ones are free.
    pub tool_choice: ToolChoice,
    /// Whether calls are run. Else the turn ends with the answer that makes them.
    pub dispatch: bool,
    /// What counts as spent before this turn.
    pub spent: Spent,
    /// What the session has cost, with all that runs beside this turn.
    pub ledger: Ledger,
    pub queue: Queue,
    pub abort: CancellationToken,
    pub control: UnboundedReceiver<Control>,
    pub upkeep: Upkeep,
    /// Reads the history as a model may see it: each call with its result, and so on.
    pub repair: fn(Vec<Entry>) -> Vec<Message>,
}

impl Turn {
    pub(super) fn tell(&self, event: AgentEvent) {
        self.shop.tell(event);
    }

    /// Runs to the end; `prompts` are the user's messages that begin it.
    pub async fn run(mut self, prompts: Vec<Message>) -> End {
        self.tell(AgentEvent::Began);
        let end = self.play(prompts).await;
        // Whoever runs the turn tells that it has ended, once it has heard all before; hooks hear it in this place.
        if let Some(tell) = self.shop.hooks.hear(&AgentEvent::Ended(end.clone())) {
            tell();
        }
        end
    }

    async fn play(&mut self, prompts: Vec<Message>) -> End {
        for prompt in prompts {
            self.append(ids::fresh(), prompt).await;
        }
        let mut machine = Machine::new(self.limits);
        let mut first = true;
        let mut effects: VecDeque<Effect> = machine.step(Event::Prompted, self.spent()).into();
        while let Some(effect) = effects.pop_front() {
            let event = match effect {
                Effect::MakeRoom => self.make_room().await,
                Effect::Shrink(refusal) => self.shrink(refusal).await,
                Effect::Request => self.request(std::mem::take(&mut first)).await,
                Effect::RunTools if !self.dispatch => return End::Done(StopReason::ToolUse),
                Effect::RunTools => self.run_tools().await,
                Effect::DeliverSteering => {
                    self.deliver_steering().await;
                    continue;
                }
                Effect::End(end) => return end,
            };
            effects.extend(machine.step(event, self.spent()));
        }
        End::Aborted
    }

    /// Makes a message part of the history. It is in the file before anything else happens: nobody is told that it is
    /// finished before, and tools and hooks that look at the session find it there.
    async fn append(&mut self, id: String, message: Message) -> Arc<Message> {
        let message = Arc::new(message);
        let (tx, rx) = oneshot::channel();
        self.history.push(Entry { id: id.clone(), message: message.clone() });
        self.upkeep.grown(&message);
        self.tell(AgentEvent::Appended { id, message: message.clone(), written: tx });
        let _ = rx.await;
        message
    }

    async fn deliver_steering(&mut self) {
        let texts = self.queue.take_steering();
        if !texts.is_empty() {
            self.tell(AgentEvent::Steered);
        }
        for text in texts {
            self.append(ids::fresh(), Message::user(text)).await;
        }
    }

    async fn request(&mut self, first: bool) -> Event {
        let abort = self.abort.clone();
        let (request, names) = tokio::select! {
            biased;
            () = abort.cancelled() => return Event::Aborted,
            prepared = self.prepare(first) => prepared,
        };
        let began = Instant::now();
        let stream = self.provider.stream(request);
        let mut answer = Answer::new(self.model.reference.to_string(), &names, &self.shop);
        let ended = answer.read(stream, &abort).await;
        let (id, started) = (answer.id.clone(), answer.was_started());
        match ended {
            Ended::Complete(message) => self.answered(id, message, began).await,
            Ended::Failed(error, partial) => {
                let refused = error.is_about_size() && partial.blocks.is_empty();
                self.broken(id.clone(), started, partial, Some(&error)).await;
                self.responded(id, None, Some(error.to_string()), began);
                if refused { Event::Refused(error) } else { Event::Failed(error) }
            }
            Ended::Aborted(partial) => {
                self.broken(id.clone(), started, partial, None).await;
                self.responded(id, None, Some(CANCELLED.into()), began);
                Event::Aborted
            }
        }
    }

    fn responded(&self, id: String, message: Option<Arc<Message>>, error: Option<String>, began: Instant) {
        let model = self.model.reference.to_string();
        self.tell(AgentEvent::Responded { id, model, message, error, took: began.elapsed() });
    }

    async fn answered(&mut self, id: String, mut message: Message, began: Instant) -> Event {
        drop_repeated_calls(&mut message);
        self.tool_choice = ToolChoice::Auto;
        if let Some(usage) = &mut message.usage {
            usage.cost = usage.cost.or_else(|| self.model.price.map(|p| p.cost(usage)));
        }
        self.spend(message.usage.as_ref());
        let stop = message.stop_reason.unwrap_or(StopReason::Stop);
        let calls = message.calls().count();
        let message = self.append(id.clone(), message).await;
        self.tell(AgentEvent::AnswerFinished { id: id.clone(), message: message.clone(), error: None });
        self.responded(id, Some(message), None, began);
        Event::Answered { calls, stop, steering: self.queue.has_steering() }
    }

    pub(super) fn spend(&mut self, usage: Option<&Usage>) {
        let cost = usage.and_then(|u| u.cost).unwrap_or(0.0);
        self.spent.cost += cost;
        self.ledger.add(cost);
        self.spent.tokens += usage.map_or(0, Usage::tokens);
    }

    /// As it is at this moment.
    fn spent(&self) -> Spent {
        Spent { session: self.ledger.total(), ..self.spent }
    }

    /// Keeps what there is of an answer that was broken off.
    async fn broken(&mut self, id: String, started: bool, partial: Message, error: Option<&ProviderError>) {
        if partial.blocks.is_empty() {
            if started {
                self.tell(AgentEvent::AnswerDiscarded { id });
            }
            return;
        }
        let message = self.append(id.clone(), partial).await;
        self.tell(AgentEvent::AnswerFinished { id, message, error: error.map(ToString::to_string) });
    }

    async fn run_tools(&mut self) -> Event {
        let Some(answer) = self.history.last().cloned() else {
            return Event::ToolsEnded { last: false };
        };
        let calls =
            answer.message.calls().map(|(id, name, input)| (id.to_owned(), name.to_owned(), input.clone())).collect();
        let truncated = answer.message.blocks.iter().filter_map(cut_off).collect::<Vec<bool>>();
        let round = Round::new(&self.shop, &answer.id, calls);
        let Ran { blocks, aborted, ends_turn } = round.run(&truncated, &self.abort, &mut self.control).await;
        self.append(ids::fresh(), Message::new(crate::conversation::Role::User, blocks)).await;
        match aborted {
            true => Event::Aborted,
            false => Event::ToolsEnded { last: ends_turn && !self.queue.has_steering() },
        }
    }
}

/// For a call: whether it was cut by the output limit.
fn cut_off(block: &Block) -> Option<bool> {
    match block {
        Block::ToolUse { extra, .. } => Some(extra.get("truncated").is_some_and(|t| t == true)),
        _ => None,
    }
}

/// The same id twice in one message runs once; a clash of ids with different inputs is told apart by a suffix.
fn drop_repeated_calls(message: &mut Message) {
    let mut seen: Vec<(String, String, serde_json::Value)> = Vec::new();
    message.blocks.retain_mut(|block| {
        let Block::ToolUse { id, name, input, .. } = block else { return true };
        if seen.iter().any(|(i, n, v)| i == id && n == name && v == input) {
            return false;
        }
        let own = id.clone();
        let clashes = seen.iter().filter(|(i, _, _)| *i == own).count();
        seen.push((own, name.clone(), input.clone()));
        if clashes > 0 {
            *id = format!("{id}-{}", clashes + 1);
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn h13_the_same_call_twice_in_a_message_runs_once() {
        let call = |id: &str, x: i32| Block::tool_use(id, "t", json!({"x": x}));
        let mut message = Message::assistant(vec![call("a", 1), call("a", 1), call("a", 2), call("b", 1)]);
        drop_repeated_calls(&mut message);
        let ids: Vec<&str> = message.calls().map(|(id, _, _)| id).collect();
        assert_eq!(ids, ["a", "a-2", "b"]);
    }
}
