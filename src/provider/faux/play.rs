//! The scripted provider in the process: cues become the uniform stream without any wire between.

use super::{
    cue::Cue,
    gate::Gates,
    script::{Finish, Script},
    stage::{Heard, Seen, Stage},
};
use crate::config::Network;
use crate::conversation::{Block, Extra, StopReason};
use crate::provider::{
    Backoff, BlockKind, ErrorKind, EventStream, ModelSpec, Provider, ProviderError, Request, StreamEvent,
    answer::Answer,
    dialect, refusal,
    retry::{self, Policy},
};
use futures_util::stream;
use std::{collections::VecDeque, path::PathBuf, time::Duration};

/// A provider that plays a script. Clones share its place in the script, gates and log.
#[derive(Clone)]
pub struct Faux {
    stage: Stage,
    network: Network,
}

impl Faux {
    pub fn new(script: Script) -> Self {
        Self::with(script, Network::default(), std::env::temp_dir().join("panto-demo"))
    }

    /// With the time-outs and retries of `network`; `scratch` is the folder that `{{scratch}}` names.
    pub fn with(script: Script, network: Network, scratch: PathBuf) -> Self {
        Faux { stage: Stage::new(script, scratch), network }
    }

    pub fn gates(&self) -> Gates {
        self.stage.gates.clone()
    }

    /// All requests so far.
    pub fn log(&self) -> Vec<Heard> {
        self.stage.log()
    }

    pub fn script(&self) -> &Script {
        self.stage.script()
    }

    fn attempt(&self, request: &Request) -> EventStream {
        let heard = Heard { seen: Seen::of(request), request: Some(request.clone()), body: None, dialect: None };
        let playing = Playing {
            cues: self.stage.perform(heard).into(),
            answer: Answer::new(&request.model),
            model: request.model.clone(),
            gates: self.gates(),
            idle: Duration::from_secs(self.network.idle_timeout),
            said: 0,
            queue: VecDeque::new(),
        };
        Box::pin(stream::unfold(playing, |mut playing| async move {
            while playing.queue.is_empty() && !playing.answer.ended() {
                playing.advance().await;
            }
            playing.queue.pop_front().map(|event| (event, playing))
        }))
    }
}

impl Provider for Faux {
    fn stream(&self, request: Request) -> EventStream {
        let faux = self.clone();
        retry::retrying(Policy::of(&self.network), Backoff::default(), move || faux.attempt(&request))
    }
}

struct Playing {
    cues: VecDeque<Cue>,
    answer: Answer,
    model: ModelSpec,
    gates: Gates,
    idle: Duration,
    /// Deltas so far, which count as tokens.
    said: u64,
    queue: VecDeque<StreamEvent>,
}

impl Playing {
    async fn advance(&mut self) {
        let mut out = Vec::new();
        let out = &mut out;
        match self.cues.pop_front() {
            Some(Cue::Text(piece)) => {
                self.said += 1;
                self.answer.text(piece, out);
            }
            Some(Cue::Thinking(piece)) => {
                self.said += 1;
                self.answer.thinking(piece, out);
            }
            Some(Cue::Redacted(data)) => {
                let (text, redacted) = (String::new(), Some(data));
                let block = Block::Thinking { text, signature: None, redacted, extra: Extra::new() };
                self.answer.whole(BlockKind::Thinking, block, out);
            }
            Some(Cue::Call { id, name, pieces }) => self.call(&id, &name, &pieces, out),
            Some(Cue::Pause(time)) => tokio::time::sleep(time).await,
            Some(Cue::Gate(name)) => {
                self.answer.begin(out);
                if out.is_empty() {
                    self.gates.pass(&name).await;
                } else {
                    // The start is given on before the wait.
                    self.cues.push_front(Cue::Gate(name));
                }
            }
            Some(Cue::Finish(finish)) => self.finish(&finish, out),
            Some(Cue::Error(refusal)) => {
                let error = serde_json::json!({"code": refusal.code, "message": refusal.message});
                self.fail(refusal::from_value(&error), out);
            }
            Some(Cue::Status(refusal)) => {
                let asked = self.model.reference.to_string();
                let error = refusal::from_status(refusal.code, &refusal.message, &asked);
                let retry_after = refusal.retry_after.and_then(|s| Duration::try_from_secs_f64(s).ok());
                self.fail(ProviderError { retry_after, ..error }, out);
            }
            Some(Cue::Cut) => self.fail(ProviderError::new(ErrorKind::Cut, "the connection broke: scripted"), out),
            Some(Cue::Quiet) => self.fail(dialect::cut(), out),
            Some(Cue::Hang) => {
                tokio::time::sleep(self.idle).await;
                let message = format!("the server has been silent for {} s", self.idle.as_secs());
                self.fail(ProviderError::new(ErrorKind::Idle, message), out);
            }
            None => {
                let finish = Finish { output: self.said.max(1), ..Finish::default() };
                self.finish(&finish, out);
            }
        }
        self.queue.extend(out.drain(..));
    }

    fn call(&mut self, id: &str, name: &str, pieces: &[String], out: &mut Vec<StreamEvent>) {
        let call = self.answer.open_call(out);
        self.answer.name_call(call, Some(id), Some(name), out);
        for piece in pieces {
            self.said += 1;
            self.answer.arguments(call, piece, out);
        }
    }

    fn fail(&mut self, error: ProviderError, out: &mut Vec<StreamEvent>) {
        self.answer.fail(error, out);
    }

    fn finish(&mut self, finish: &Finish, out: &mut Vec<StreamEvent>) {
        let usage = &mut self.answer.usage;
        usage.input = finish.input.saturating_sub(finish.cached);
        usage.cache_read = finish.cached;
        usage.output = finish.output;
        let stop = match finish.reason.as_str() {
            "length" => StopReason::Length,
            "tool_use" => StopReason::ToolUse,
            _ => StopReason::Stop,
        };
        self.answer.complete(stop, out);
    }
}
