//! What is asked before a call runs: hooks of extensions, and the user where a hook says so.

use super::{
    Answer, Approval, Asker, Decision, Extensions, ToolHook, Wish,
    line::{Line, Place},
    mode::CurrentMode,
    rules::Rules,
    runtime::News,
};
use crate::agent::{Gate, GateCall, Verdict};
use crate::job::{Job, JobEvent, State};
use crate::util::{ids, time};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;
use std::sync::Arc;
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
    pub line: Line,
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
        let place = self.line.join();
        async move {
            let (decision, mut place) = (decision.await, Some(place));
            match decision {
                (_, Decision::Block { reason }) => Verdict::Refuse(reason),
                (input, Decision::Run { questions, bounds }) => {
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
    async fn settle(&self, wish: Wish, name: &str, input: &Value, place: &mut Option<Place>) -> Result<(), String> {
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

    /// Puts the question when it is its turn, and lets the next one.
    async fn ask(
        &self,
        approval: Approval,
        rules: Vec<String>,
        place: &mut Option<Place>,
    ) -> Result<Answer, oneshot::error::RecvError> {
        let (answer, given) = oneshot::channel();
        if let Some(place) = &place {
            place.first().await;
        }
        if let Some(job) = &self.job {
            let (approval_id, tool_name) = (approval.id.clone(), approval.tool_name.clone());
            job.set_state(State::Waiting, None);
            job.tell(JobEvent::Question { approval_id, tool_name, reason: approval.reason.clone() });
        }
        let _ = self.questions.send(News::Question(Question { approval, rules, answer }));
        *place = None;
        let given = given.await;
        if let Some(job) = &self.job {
            job.set_state(State::Running, None);
        }
        given
    }
}

/// What the model is told where nobody can be asked.
fn unattended(name: &str, wish: &Wish) -> String {
    let rules = wish.rules.join("\", \"");
    format!(
        "{name} was not run: {}. That needs the approval of the user, and nobody is there to be asked. A rule of \
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
