//! Compaction of the open session: a summary takes the place of what is old; the file and the transcript keep all.

use super::{
    BackendError, Code, Extensions, HookCall, Level, Phase, Reply,
    hooks::shape,
    items,
    noted::{self, Noted},
    obey::Answered,
    runtime::{News, Runtime},
};
use crate::agent::{
    Entry,
    compact::{self, Plan},
};
use crate::conversation::Usage;
use crate::provider::{Provider, Request};
use crate::session::{self, EntryKind};
use crate::util::ids;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A compaction under way.
pub struct Compacting {
    plan: Plan,
    before: u64,
    stop: CancellationToken,
    /// Whoever has asked for it.
    reply: Option<oneshot::Sender<Answered>>,
}

/// What came of it: a summary, or why there is none.
pub type Made = Result<Summary, String>;

pub struct Summary {
    pub text: String,
    /// A handler has written it.
    by_extension: bool,
    pub usage: Option<Usage>,
}

impl Runtime {
    /// Begins a compaction. Refused when something is under way, or when there is nothing to sum up.
    pub fn compact(&mut self, focus: Option<String>) -> Result<(), BackendError> {
        self.idle()?;
        let keep = self.shared.options.agent.keep_recent;
        let is_summary = |e: &Entry| self.open.summaries.contains(&e.id);
        let history = self.open.history.entries();
        let Some(plan) = compact::plan(&history, is_summary, keep) else {
            let text = format!(
                "nothing to compact: all there is belongs to the last turn or to the {keep} tokens that stay whole (agent.keep_recent)"
            );
            return Err(BackendError::new(Code::InvalidRequest, text));
        };
        let before = match self.open.state.context_used {
            0 => compact::tokens(history.iter().map(|e| &*e.message)),
            used => used,
        };
        let focus = focus.filter(|f| !f.trim().is_empty());
        let request = plan.request(&self.open.model.spec, focus.as_deref(), &self.open.state.id);
        let work = Work {
            extensions: self.shared.extensions.clone(),
            data: self.asked_for(&plan, before, focus.as_deref()),
            provider: self.open.model.provider.clone(),
            request,
        };
        let stop = CancellationToken::new();
        self.compacting = Some(Compacting { plan, before, stop: stop.clone(), reply: None });
        self.set_phase(Phase::Compaction);
        let news = self.news.clone();
        tokio::spawn(async move {
            let made = tokio::select! {
                biased;
                () = stop.cancelled() => Err("the compaction was stopped; nothing has changed".to_owned()),
                made = work.run() => made,
            };
            let _ = news.send(News::Compacted(made));
        });
        Ok(())
    }

    /// Who is to be told when it is over.
    pub fn compacting_for(&mut self, reply: oneshot::Sender<Answered>) {
        if let Some(compacting) = &mut self.compacting {
            compacting.reply = Some(reply);
        }
    }

    pub fn stop_compaction(&self) {
        if let Some(compacting) = &self.compacting {
            compacting.stop.cancel();
        }
    }

    /// What `compact_before` says; none where nobody listens.
    fn asked_for(&self, plan: &Plan, before: u64, focus: Option<&str>) -> Option<Value> {
        if !self.shared.extensions.listens("compact_before") {
            return None;
        }
        let messages: Vec<Value> = plan.old.iter().map(|e| shape::entry(&e.id, &e.message).into()).collect();
        let mut data = json!({"agent": "main", "session_id": self.open.state.id, "messages": messages,
            "first_kept_id": plan.kept.first().map(|e| &e.id), "tokens_before": before});
        if let (Some(data), Some(focus)) = (data.as_object_mut(), focus) {
            data.insert("focus".into(), focus.into());
        }
        Some(data)
    }

    pub fn compacted(&mut self, made: Made) {
        let Some(Compacting { plan, before, reply, .. }) = self.compacting.take() else { return };
        let made = made.map_err(|why| BackendError::new(Code::InvalidRequest, why));
        // Meanwhile the session may have gone to another process.
        let answer = self.writable().and(made).map(|summary| self.take_summary(plan, before, summary));
        self.set_phase(Phase::Idle);
        match (reply, answer) {
            (Some(reply), answer) => noted::answer(answer, reply),
            (None, Err(why)) => self.notice(Level::Error, why.message),
            (None, Ok(_)) => {}
        }
        self.next_turn();
    }

    /// Makes the summary part of the session. Says what was done, in words.
    fn take_summary(&mut self, plan: Plan, before: u64, summary: Summary) -> Noted {
        let Summary { text, by_extension, usage } = summary;
        let (id, old) = (ids::fresh(), plan.old.len());
        let first_kept_id = plan.kept.first().map(|e| e.id.clone());
        let message = Arc::new(session::summary_message(&text, Some(before)));
        let history = plan.apply(Entry { id: id.clone(), message: message.clone() });
        self.open.summaries.push(id.clone());
        let after = compact::tokens(history.iter().map(|e| &*e.message));
        self.open.history.replace(history);
        self.open.state.context_used = after;
        let kind = EntryKind::Compaction { summary: text.clone(), first_kept_id, tokens_before: Some(before) };
        let mut entry = session::Entry::with_id(id.clone(), kind);
        if let Some(usage) = usage {
            self.open.state.usage.add(&usage);
            entry.extra.insert("usage".into(), json!(usage));
        }
        let receipt = self.note(entry);
        if let Some(item) = items::user(&id, &message) {
            self.show(item.clone());
            self.finish_item(item);
        }
        let by = if by_extension { "extension" } else { "model" };
        self.scripts.tell(
            "compact_after",
            || json!({"id": id, "summary": text, "tokens_before": before, "tokens_after": after, "by": by}),
        );
        let told = format!("{old} messages are a summary now: about {before} tokens became {after}");
        Noted::new(Reply::Text(told), receipt)
    }
}

impl Summary {
    pub fn by_model((text, usage): (String, Option<Usage>)) -> Summary {
        Summary { text, by_extension: false, usage }
    }
}

/// How a summary comes about.
struct Work {
    extensions: Arc<dyn Extensions>,
    /// For the handlers of `compact_before`, if there are any.
    data: Option<Value>,
    provider: Arc<dyn Provider>,
    request: Request,
}

impl Work {
    async fn run(self) -> Made {
        if let Some(data) = self.data {
            let answer = self.extensions.ask(HookCall { event: "compact_before", data }).await;
            if answer["cancel"] == true {
                let reason = answer["reason"].as_str().unwrap_or("an extension does not want it");
                return Err(format!("not compacted: {reason}"));
            }
            if let Some(text) = answer["summary"].as_str() {
                return Ok(Summary { text: text.to_owned(), by_extension: true, usage: None });
            }
        }
        sum_up(&*self.provider, self.request)
            .await
            .map(Summary::by_model)
            .map_err(|why| format!("not compacted: {why}"))
    }
}

/// What the model writes when it is asked for a summary, and what that cost; else why there is none.
pub async fn sum_up(provider: &dyn Provider, request: Request) -> Result<(String, Option<Usage>), String> {
    let price = request.model.price;
    let mut message = compact::summarise(provider, request)
        .await
        .map_err(|error| format!("the request for the summary failed: {error}"))?;
    let text = message.text().trim().to_owned();
    if text.is_empty() {
        return Err("the model gave no summary; try it again".into());
    }
    if let Some(usage) = &mut message.usage {
        usage.cost = usage.cost.or_else(|| price.map(|p| p.cost(usage)));
    }
    Ok((text, message.usage))
}
