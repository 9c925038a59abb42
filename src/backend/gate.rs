//! What is asked before a call runs: hooks of extensions, and the user where a hook says so.

use super::{Answer, Approval, Asker, Decision, Extensions, ToolHook, runtime::News};
use crate::agent::{Gate, GateCall, Verdict};
use crate::job::{Job, JobEvent, State};
use crate::util::{atomic, ids, time};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

/// A question on its way to the runtime.
pub struct Question {
    pub approval: Approval,
    pub answer: oneshot::Sender<Answer>,
}

/// Rules that the user has allowed for good: for the session, or for the project (kept outside of it, by its path).
#[derive(Debug, Default)]
pub struct Rules {
    file: PathBuf,
    project: String,
    allowed: Mutex<Vec<String>>,
}

impl Rules {
    /// Those of a project, from `<data>/approvals.json`; a missing or damaged file holds none.
    pub fn load(file: PathBuf, project: &Path) -> Self {
        let project = project.display().to_string();
        let allowed = read(&file).remove(&project).unwrap_or_default();
        Rules { file, project, allowed: Mutex::new(allowed) }
    }

    fn allows(&self, rule: &str) -> bool {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|r| r == rule)
    }

    /// Adds a rule; for the project it is also written down. An error is for the user: the rule holds for the session.
    pub fn add(&self, rule: &str, for_project: bool) -> std::io::Result<()> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).push(rule.to_owned());
        if !for_project {
            return Ok(());
        }
        let mut all = read(&self.file);
        let rules = all.entry(self.project.clone()).or_default();
        rules.push(rule.to_owned());
        rules.dedup();
        atomic::write(&self.file, &serde_json::to_vec_pretty(&all)?, Some(0o600))
    }
}

fn read(file: &Path) -> BTreeMap<String, Vec<String>> {
    std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// The gate of one session's turns.
pub struct SessionGate {
    pub extensions: Arc<dyn Extensions>,
    pub rules: Arc<Rules>,
    pub questions: UnboundedSender<News>,
    /// Whose calls these are.
    pub asker: Asker,
    /// The job of a child, which waits while the user is asked.
    pub job: Option<Arc<Job>>,
}

impl Gate for SessionGate {
    fn check(&self, call: GateCall) -> BoxFuture<'static, Verdict> {
        let GateCall { call_id, name, input, title } = call;
        let hook = ToolHook { call_id: call_id.clone(), name: name.clone(), input };
        let decision = self.extensions.tool_call(hook);
        let (rules, questions) = (self.rules.clone(), self.questions.clone());
        let (asker, job) = (self.asker.clone(), self.job.clone());
        async move {
            match decision.await {
                (input, Decision::Allow) => Verdict::Run(input),
                (_, Decision::Block { reason }) => Verdict::Refuse(reason),
                (input, Decision::Ask { rule, .. }) if rules.allows(&rule) => Verdict::Run(input),
                (input, Decision::Ask { reason, rule }) => {
                    let reason = if reason.is_empty() { title } else { reason };
                    let approval = approval(asker, &name, &input, reason, rule);
                    let approval = Approval { call_id: Some(call_id), ..approval };
                    ask(questions, job, approval, name, input).await
                }
            }
        }
        .boxed()
    }
}

async fn ask(
    questions: UnboundedSender<News>,
    job: Option<Arc<Job>>,
    approval: Approval,
    name: String,
    input: Value,
) -> Verdict {
    let (answer, given) = oneshot::channel();
    if let Some(job) = &job {
        let (approval_id, tool_name) = (approval.id.clone(), approval.tool_name.clone());
        job.set_state(State::Waiting, None);
        job.tell(JobEvent::Question { approval_id, tool_name, reason: approval.reason.clone() });
    }
    let _ = questions.send(News::Question(Question { approval, answer }));
    let given = given.await;
    if let Some(job) = &job {
        job.set_state(State::Running, None);
    }
    match given {
        Ok(Answer::Once | Answer::Session | Answer::Project) => Verdict::Run(input),
        Ok(Answer::No | Answer::NoAndInterrupt) => Verdict::Refuse(format!("the user did not allow {name}")),
        Err(_) => Verdict::Refuse(format!("{name} was not allowed: nobody answered")),
    }
}

fn approval(asker: Asker, name: &str, input: &Value, reason: String, rule: String) -> Approval {
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(str::to_owned);
    Approval {
        id: ids::fresh(),
        call_id: None,
        asker,
        tool_name: name.to_owned(),
        input: input.clone(),
        reason,
        rule,
        diff: text("diff"),
        command: text("command"),
        created_at: time::now(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projects_rules_outlive_the_session_and_others_do_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("approvals.json");
        let rules = Rules::load(file.clone(), Path::new("/a"));
        rules.add("std.shell(ls)", false).expect("no file is needed");
        rules.add("std.shell(make *)", true).expect("written");
        assert!(rules.allows("std.shell(ls)") && rules.allows("std.shell(make *)"));
        let again = Rules::load(file.clone(), Path::new("/a"));
        assert!(!again.allows("std.shell(ls)") && again.allows("std.shell(make *)"));
        assert!(!Rules::load(file.clone(), Path::new("/b")).allows("std.shell(make *)"));
        std::fs::write(&file, "{cut").expect("written");
        assert!(!Rules::load(file, Path::new("/a")).allows("std.shell(make *)"));
    }
}
