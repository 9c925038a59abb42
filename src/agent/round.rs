//! One round of calls: checks before, the run, exactly one result for each, in call order.

use super::{
    AgentEvent, Control, GateCall, Shop, Verdict,
    batch::{self, Ready},
    hooks::{Point, ToolEnd},
    left::{self, LEFT, Left},
    slot::Slot,
};
use crate::conversation::Block;
use crate::tool::{
    CANCELLED, Call, LAST_WORDS, Outcome, Update, UpdateKind, alias,
    title::{Tense, title},
};
use crate::util::text::one_line;
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::{
    mpsc::{self, UnboundedReceiver, UnboundedSender},
    oneshot,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A round that runs. Slots are in call order; a call is known to its source by its item's id, since ids of a model may
/// clash.
pub struct Round<'a> {
    shop: &'a Shop,
    slots: Vec<Slot>,
    updates: UnboundedSender<Update>,
    news: UnboundedReceiver<Update>,
    /// Results on their way through the hooks.
    hooked: FuturesUnordered<BoxFuture<'static, (usize, Outcome)>>,
}

/// How a round went.
pub struct Ran {
    /// The results, in call order.
    pub blocks: Vec<Block>,
    /// The turn was aborted meanwhile.
    pub aborted: bool,
    /// A result asks for no further answer.
    pub ends_turn: bool,
}

impl<'a> Round<'a> {
    /// A round for the calls of the answer `answer_id`.
    pub fn new(shop: &'a Shop, answer_id: &str, calls: Vec<(String, String, Value)>) -> Self {
        let slot = |(n, (call_id, name, input)): (usize, (String, String, Value))| {
            Slot::new(format!("{answer_id}.{n}"), call_id, name, input)
        };
        Self::of(shop, calls.into_iter().enumerate().map(slot).collect())
    }

    pub(super) fn of(shop: &'a Shop, slots: Vec<Slot>) -> Self {
        let (updates, news) = mpsc::unbounded_channel();
        Round { shop, slots, updates, news, hooked: FuturesUnordered::new() }
    }

    /// Runs to the end.
    pub async fn run(
        mut self,
        truncated: &[bool],
        abort: &CancellationToken,
        control: &mut UnboundedReceiver<Control>,
    ) -> Ran {
        let aborted = self.drive(truncated, abort, control).await;
        let ends_turn = self.slots.iter().any(Slot::ends_turn);
        let later = |slot: &mut Slot| slot.later.take().map(|later| (slot.item_id.clone(), later));
        left::hand_on(self.news, self.slots.iter_mut().filter_map(later).collect(), self.shop.cap.clone());
        Ran { blocks: self.slots.into_iter().map(Slot::into_block).collect(), aborted, ends_turn }
    }

    /// Runs until every slot has its outcome. True when the turn was aborted.
    pub(super) async fn drive(
        &mut self,
        truncated: &[bool],
        abort: &CancellationToken,
        control: &mut UnboundedReceiver<Control>,
    ) -> bool {
        let mut checks = self.check(truncated);
        let mut aborted = false;
        while self.slots.iter().any(|s| s.outcome.is_none()) {
            let mut allowed = Vec::new();
            let patience = self.slots.iter().filter(|s| s.outcome.is_none()).filter_map(|s| s.last_words).min();
            tokio::select! {
                biased;
                () = abort.cancelled(), if !aborted => {}
                Some(asked) = control.recv() => match asked {
                    Control::CancelTools { call_id } => self.cancel(|slot| slot.is_called(call_id.as_deref())),
                    Control::BackgroundTools { call_id } => self.leave(call_id.as_deref()),
                },
                Some(verdict) = checks.next() => allowed.push(verdict),
                Some((n, outcome)) = self.hooked.next() => self.finish(n, outcome, true),
                Some(update) = self.news.recv() => self.update(update),
                () = until(patience) => self.silence(),
            }
            // Calls that may run at the same time are one batch.
            while let Some(verdict) = checks.next().now_or_never().flatten() {
                allowed.push(verdict);
            }
            // Before anything else: questions are withdrawn with the turn, and what then comes of them is no answer.
            if abort.is_cancelled() && !std::mem::replace(&mut aborted, true) {
                self.cancel(|_| true);
            }
            self.launch(allowed);
        }
        aborted
    }

    /// The slots, settled.
    pub(super) fn into_slots(self) -> Vec<Slot> {
        self.slots
    }

    /// Answers what cannot run at all, and asks the gate about the rest.
    fn check(&mut self, truncated: &[bool]) -> FuturesUnordered<BoxFuture<'static, (usize, Verdict)>> {
        let checks = FuturesUnordered::new();
        for n in 0..self.slots.len() {
            self.announce(n);
            match self.refuse(n, truncated.get(n).copied().unwrap_or(false)) {
                Some(why) => self.came(n, Outcome::error(why)),
                None => {
                    let verdict = self.shop.gate.check(self.gate_call(n));
                    let cancel = self.slots[n].cancel.clone();
                    // Nobody is asked about a call that will not run.
                    let verdict = async move {
                        let verdict = cancel.run_until_cancelled(verdict).await;
                        (n, verdict.unwrap_or_else(|| Verdict::Refuse(CANCELLED.into())))
                    };
                    checks.push(verdict.boxed());
                }
            }
        }
        checks
    }

    fn gate_call(&self, n: usize) -> GateCall {
        let Slot { call_id, name, input, .. } = &self.slots[n];
        GateCall {
            call_id: call_id.clone(),
            name: name.clone(),
            input: input.clone(),
            title: self.title(n, Tense::Ask),
            cwd: self.shop.cwd.clone(),
            readonly: self.shop.tools.iter().any(|(d, _)| d.name == *name && d.readonly),
        }
    }

    fn announce(&self, n: usize) {
        let call = self.slots[n].called(self.title(n, Tense::Doing));
        self.tell(AgentEvent::ToolStarted { call });
    }

    fn title(&self, n: usize, tense: Tense) -> String {
        let Slot { name, input, .. } = &self.slots[n];
        let decl = self.shop.tools.iter().map(|(d, _)| d).find(|d| d.name == *name);
        title(decl.map(|d| &d.words), name, input, tense)
    }

    fn tell(&self, event: AgentEvent) {
        self.shop.tell(event);
    }

    /// Why the call cannot run. Applies aliases to its input.
    fn refuse(&mut self, n: usize, truncated: bool) -> Option<String> {
        let slot = &mut self.slots[n];
        if truncated {
            return Some(format!(
                "{} was not run: the answer was cut off by its output limit before the call was complete. Send a smaller call.",
                slot.name
            ));
        }
        let Some((decl, _)) = self.shop.tools.iter().find(|(d, _)| d.name == slot.name) else {
            let known: Vec<&str> = self.shop.tools.iter().map(|(d, _)| d.name.as_str()).collect();
            let told = match &known[..] {
                [] => "there are no tools at all".to_owned(),
                _ => format!("the tools are: {}", known.join(", ")),
            };
            return Some(format!("there is no tool named {}; {told}", slot.name));
        };
        alias::apply(decl, &mut slot.input);
        self.shop.checker.check(&slot.name, &decl.schema, &slot.input).err()
    }

    /// Why input that the gate gives back cannot be run, if it is another than was checked.
    fn misfit(&self, n: usize, input: &Value) -> Option<String> {
        let slot = &self.slots[n];
        if *input == slot.input {
            return None;
        }
        let (decl, _) = self.shop.tools.iter().find(|(d, _)| d.name == slot.name)?;
        let wrong = self.shop.checker.violations(&slot.name, &decl.schema, input);
        let told = format!("an extension's tool_call handler changed the input: {}", wrong.join("; "));
        Some(told).filter(|_| !wrong.is_empty())
    }

    fn launch(&mut self, allowed: Vec<(usize, Verdict)>) {
        let mut ready = Vec::new();
        for (n, verdict) in allowed {
            if self.slots[n].outcome.is_some() || self.slots[n].hooked {
                continue;
            }
            match verdict {
                Verdict::Refuse(why) => self.came(n, Outcome::error(why)),
                Verdict::Run { input, bounds } => {
                    if let Some(why) = self.misfit(n, &input) {
                        self.came(n, Outcome::error(why));
                        continue;
                    }
                    self.slots[n].input = input;
                    self.slots[n].bounds = bounds;
                    self.slots[n].ran = true;
                    self.slots[n].started = Instant::now();
                    ready.extend(self.ready(n));
                }
            }
        }
        if !ready.is_empty() {
            ready.sort_by_key(|(n, _)| *n);
            tokio::spawn(batch::run(ready.into_iter().map(|(_, r)| r).collect(), self.updates.clone()));
        }
    }

    fn ready(&self, n: usize) -> Option<(usize, Ready)> {
        let slot = &self.slots[n];
        let (decl, source) = self.shop.tools.iter().find(|(d, _)| d.name == slot.name)?;
        let call = Call {
            id: slot.item_id.clone(),
            name: slot.name.clone(),
            input: slot.input.clone(),
            cwd: self.shop.cwd.clone(),
            session_id: self.shop.session_id.clone(),
            bounds: slot.bounds.clone(),
            cancel: slot.cancel.clone(),
        };
        Some((n, Ready { call, source: source.clone(), sequential: decl.sequential }))
    }

    fn cancel(&mut self, which: impl Fn(&Slot) -> bool) {
        let open = |n: &usize| self.slots[*n].outcome.is_none() && which(&self.slots[*n]);
        let ended: Vec<usize> = (0..self.slots.len()).filter(open).collect();
        // All of them before anything else is done: what one lets go of is not for another to take.
        ended.iter().rev().for_each(|n| self.slots[*n].cancel.cancel());
        for n in ended {
            match self.has_last_words(n) {
                true => drop(self.slots[n].last_words.get_or_insert_with(|| Instant::now() + LAST_WORDS)),
                false => self.finish(n, Outcome::error(CANCELLED), false),
            }
        }
    }

    /// Whether a call that is cancelled may still say what there is.
    fn has_last_words(&self, n: usize) -> bool {
        let slot = &self.slots[n];
        slot.ran && !slot.hooked && self.shop.tools.iter().any(|(d, _)| d.name == slot.name && d.last_words)
    }

    /// Those that were to say what there is and have not done so by now say nothing.
    fn silence(&mut self) {
        let now = Instant::now();
        for n in 0..self.slots.len() {
            if self.slots[n].last_words.is_some_and(|until| until <= now) {
                self.finish(n, Outcome::error(CANCELLED), false);
            }
        }
    }

    /// Calls that run go on without the turn: each has a word for its result, and its true one later.
    fn leave(&mut self, call_id: Option<&str>) {
        let Some(leave) = self.shop.leave.clone() else { return };
        for n in 0..self.slots.len() {
            let slot = &self.slots[n];
            if slot.outcome.is_some() || !slot.ran || slot.hooked || !slot.is_called(call_id) {
                continue;
            }
            let title = self.title(n, Tense::Doing);
            let (later, ended) = oneshot::channel();
            let slot = &mut self.slots[n];
            slot.later = Some(later);
            leave(Left { call: slot.called(title.clone()), cancel: slot.cancel.clone(), ended });
            let details = Some(json!({"title": format!("{title}, in the background")}));
            self.finish(n, Outcome { details, ..Outcome::text(LEFT) }, false);
        }
    }

    fn update(&mut self, update: Update) {
        let Some(n) = self.slots.iter().position(|s| s.item_id == update.call_id) else { return };
        let slot = &mut self.slots[n];
        if let UpdateKind::Finished(outcome) = &update.kind
            && let Some(later) = slot.later.take()
        {
            let _ = later.send(self.shop.cap.apply(outcome.clone(), None));
            return;
        }
        if slot.outcome.is_some() || slot.hooked {
            return;
        }
        match update.kind {
            UpdateKind::Finished(outcome) if slot.last_words.is_some() => self.finish(n, outcome.cut_short(), false),
            UpdateKind::Finished(outcome) => self.came(n, outcome),
            kind => {
                let (item_id, call_id, name) = (slot.item_id.clone(), slot.call_id.clone(), slot.name.clone());
                self.tell(AgentEvent::ToolUpdated { item_id, call_id, name, kind });
            }
        }
    }

    /// A result is there; hooks may change it before anybody sees it.
    fn came(&mut self, n: usize, outcome: Outcome) {
        if !self.shop.hooks.listens(Point::ToolEnd) {
            return self.finish(n, outcome, false);
        }
        let title = self.title(n, Tense::Done);
        let slot = &mut self.slots[n];
        slot.hooked = true;
        let (call, took_ms) = (slot.called(title), millis(slot.started.elapsed()));
        let changed = self.shop.hooks.tool_end(ToolEnd { call, outcome, took_ms });
        self.hooked.push(changed.map(move |outcome| (n, outcome)).boxed());
    }

    fn finish(&mut self, n: usize, outcome: Outcome, asked: bool) {
        if self.slots[n].outcome.is_some() {
            return;
        }
        let own = self.shop.tools.iter().find(|(d, _)| d.name == self.slots[n].name).and_then(|(d, _)| d.max_output);
        let outcome = self.shop.cap.apply(outcome, own);
        let tense = if self.slots[n].ran { Tense::Done } else { Tense::Ask };
        let title = given_title(&outcome).unwrap_or_else(|| self.title(n, tense));
        let slot = &mut self.slots[n];
        let took = slot.started.elapsed();
        slot.outcome = Some((outcome.clone(), millis(took), title.clone()));
        let call = slot.called(title);
        self.tell(AgentEvent::ToolFinished { call, outcome, took, asked });
    }
}

/// At that time; without one never.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// The title that a tool has given its result (`details.title`).
fn given_title(outcome: &Outcome) -> Option<String> {
    let title = outcome.details.as_ref()?.get("title")?.as_str()?;
    Some(one_line(title)).filter(|title| !title.is_empty())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
