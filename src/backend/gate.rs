//! What is asked before a call runs: hooks of extensions, and the user where a hook says so.

use super::{
    Answer, Approval, Asker, Decision, Extensions, ToolHook, Wish, mode::CurrentMode, rules::Rules, runtime::News,
};
use crate::agent::{Gate, GateCall, Verdict};
use crate::job::{Job, JobEvent};
use crate::util::{ids, time};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

/// A question on its way to the runtime.
pub struct Question {
    pub approval: Approval,
    /// What "always" would allow.
    pub rules: Vec<String>,
    pub answer: oneshot::Sender<Answer>,
}

/// The gate of one session's turns.
pub struct SessionGate {
    pub extensions: Arc<dyn Extensions>,
    pub rules: Arc<Rules>,
    pub mode: CurrentMode,
    pub questions: UnboundedSender<News>,
    /// Whose calls these are.
    pub asker: Asker,
    pub session_id: String,
    /// The job of a child, which waits while the user is asked.
    pub job: Option<Arc<Job>>,
    /// Somebody is there to be asked.
    pub interactive: bool,
    pub order: Order,
}

/// Questions are put in the order of the calls, however long each takes to be thought about: a check's questions wait until
/// the one before has put its own, or has none.
#[derive(Default)]
pub struct Order(Mutex<Option<oneshot::Receiver<()>>>);

/// A place in the order. Whoever lets go of `put` lets the next one on.
struct Place {
    before: Option<oneshot::Receiver<()>>,
    put: Option<oneshot::Sender<()>>,
}

impl Order {
    fn next(&self) -> Place {
        let (put, next) = oneshot::channel();
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(next);
        Place { before, put: Some(put) }
    }
}

impl Place {
    async fn come(&mut self) {
        if let Some(before) = &mut self.before {
            // Letting go is the news. Who is given up meanwhile still waits for it.
            let _ = before.await;
        }
        self.before = None;
    }
}

impl Gate for SessionGate {
    fn check(&self, call: GateCall) -> BoxFuture<'static, Verdict> {
        let GateCall { call_id, name, input, title, cwd, readonly } = call;
        let decision = self.extensions.tool_call(ToolHook {
            call_id: call_id.clone(),
            name: name.clone(),
            input,
            agent: self.asker.job_id.clone().unwrap_or_else(|| "main".into()),
            session_id: self.session_id.clone(),
            cwd,
            mode: self.mode.get(),
            readonly,
            granted: self.rules.granted(),
        });
        let desk = Desk {
            call_id,
            rules: self.rules.clone(),
            questions: self.questions.clone(),
            asker: self.asker.clone(),
            job: self.job.clone(),
            interactive: self.interactive,
        };
        let mut place = self.order.next();
        async move {
            match decision.await {
                (_, Decision::Block { reason }) => Verdict::Refuse(reason),
                (input, Decision::Run { questions, bounds }) => {
                    if !questions.is_empty() {
                        place.come().await;
                    }
                    for mut wish in questions {
                        if wish.reason.is_empty() {
                            wish.reason.clone_from(&title);
                        }
                        if let Err(why) = desk.settle(wish, &name, &input, &mut place).await {
                            return Verdict::Refuse(why);
                        }
                    }
                    Verdict::Run { input, bounds }
                }
            }
        }
        .boxed()
    }
}

impl Drop for Place {
    /// Who has nothing to ask holds up nobody, and lets nobody pass who has to wait.
    fn drop(&mut self) {
        if let (Some(before), Some(put)) = (self.before.take(), self.put.take())
            && let Ok(tokio) = tokio::runtime::Handle::try_current()
        {
            tokio.spawn(async move {
                let _ = before.await;
                drop(put);
            });
        }
    }
}

/// Where a call's questions are put.
struct Desk {
    call_id: String,
    rules: Arc<Rules>,
    questions: UnboundedSender<News>,
    asker: Asker,
    job: Option<Arc<Job>>,
    interactive: bool,
}

impl Desk {
    /// Asks, unless the user has allowed it for good. The error is what the model is told.
    async fn settle(&self, wish: Wish, name: &str, input: &Value, place: &mut Place) -> Result<(), String> {
        if self.rules.allow(&wish.rules) {
            return Ok(());
        }
        if !self.interactive {
            return Err(unattended(name, &wish));
        }
        let rules = wish.rules.clone();
        let approval =
            Approval { call_id: Some(self.call_id.clone()), ..approval(self.asker.clone(), name, input, wish) };
        match self.ask(approval, rules, place).await {
            Ok(Answer::Once | Answer::Session | Answer::Project) => Ok(()),
            Ok(Answer::No | Answer::NoAndInterrupt) => Err(format!("the user did not allow {name}")),
            Err(_) => Err(format!("{name} was not allowed: nobody answered")),
        }
    }

    async fn ask(
        &self,
        approval: Approval,
        rules: Vec<String>,
        place: &mut Place,
    ) -> Result<Answer, oneshot::error::RecvError> {
        let (answer, given) = oneshot::channel();
        let _open = Unanswered::new(self, &approval);
        let _ = self.questions.send(News::Question(Question { approval, rules, answer }));
        drop(place.put.take());
        given.await
    }
}

/// A question that waits. With its end, by an answer or because nobody wants one any more, it is withdrawn and its job
/// goes on.
struct Unanswered<'a> {
    desk: &'a Desk,
    approval_id: String,
}

impl<'a> Unanswered<'a> {
    fn new(desk: &'a Desk, approval: &Approval) -> Self {
        let approval_id = approval.id.clone();
        if let Some(job) = &desk.job {
            let (tool_name, reason) = (approval.tool_name.clone(), approval.reason.clone());
            job.asks(JobEvent::Question { approval_id: approval_id.clone(), tool_name, reason });
        }
        Unanswered { desk, approval_id }
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if let Some(job) = &self.desk.job {
            job.asks_no_more();
        }
        let _ = self.desk.questions.send(News::Withdrawn(std::mem::take(&mut self.approval_id)));
    }
}

/// What the model is told where nobody can be asked.
fn unattended(name: &str, wish: &Wish) -> String {
    let rules = wish.rules.join("\", \"");
    format!(
        "{name} was not run: it needs the approval of the user, and nobody is there to be asked ({}). A rule of \
         [permissions] (allow = [\"{rules}\"]) or --mode auto would allow it.",
        wish.reason
    )
}

fn approval(asker: Asker, name: &str, input: &Value, wish: Wish) -> Approval {
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(str::to_owned);
    Approval {
        id: ids::fresh(),
        call_id: None,
        asker,
        tool_name: name.to_owned(),
        input: input.clone(),
        reason: wish.reason,
        rule: wish.rules.join(", "),
        diff: wish.diff.or_else(|| text("diff")),
        command: wish.command.or_else(|| text("command")),
        created_at: time::now(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn who_asks_nothing_lets_nobody_pass_who_has_to_wait() {
        let order = Order::default();
        let (mut first, second, mut third) = (order.next(), order.next(), order.next());
        drop(second);
        tokio::task::yield_now().await;
        let mut third = std::pin::pin!(third.come());
        assert!(third.as_mut().now_or_never().is_none(), "the first has not put its question");
        first.come().await;
        drop(first);
        third.await;
    }
}
