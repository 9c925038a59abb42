use super::*;
use tokio::sync::mpsc;

fn start(parent: Option<std::sync::Arc<Job>>) -> Start {
    Start { kind: Kind::Agent, name: "n".into(), parent, session_id: None, model: None, wake: None }
}

fn jobs(parallel: usize, depth: usize) -> (Jobs, mpsc::UnboundedReceiver<Change>) {
    let (changes, heard) = mpsc::unbounded_channel();
    (Jobs::new(parallel, depth, changes), heard)
}

fn done(text: &str) -> Settled {
    Settled::Completed { text: text.into(), calls: None }
}

#[test]
fn r73_a_result_is_settled_once_and_gone_after_close() {
    let (jobs, _heard) = jobs(1, 1);
    let job = jobs.start(start(None)).expect("started");
    assert_eq!(job.result(), None);
    job.settle(done("one"));
    job.settle(Settled::Failed { error: "late".into() });
    job.request_cancel();
    assert_eq!(job.result().as_deref(), Some(&done("one")));
    assert_eq!(job.next_event(), Some(JobEvent::status("completed", None)));
    job.close();
    job.close();
    assert_eq!((job.result(), job.next_event()), (None, None));
}

#[test]
fn r73_a_request_to_cancel_settles_at_once_and_reaches_the_children() {
    let (jobs, _heard) = jobs(1, 2);
    let job = jobs.start(start(None)).expect("started");
    let child = jobs.start(start(Some(job.clone()))).expect("started");
    job.request_cancel();
    assert_eq!(job.result().as_deref(), Some(&Settled::Cancelled));
    assert!(child.cancel.is_cancelled());
}

#[tokio::test]
async fn a06_agents_end_somewhere_and_those_of_one_depth_wait_for_each_other() {
    let (jobs, _heard) = jobs(1, 2);
    let first = jobs.start(start(None)).expect("started");
    let second = jobs.start(start(None)).expect("started");
    let child = jobs.start(start(Some(first.clone()))).expect("one deeper");
    assert!(jobs.start(start(Some(child.clone()))).err().expect("too deep").to_string().contains("max_depth"));
    let permit = jobs.admit(&first).await.expect("free");
    assert!(jobs.admit(&child).await.is_some(), "a parent does not stand in its child's way");
    assert!(futures_util::FutureExt::now_or_never(jobs.admit(&second)).is_none());
    drop(permit);
    assert!(jobs.admit(&second).await.is_some());
}

#[test]
fn work_of_an_extension_is_no_generation_and_what_is_over_can_be_forgotten() {
    let (jobs, _heard) = jobs(1, 1);
    let task = jobs.start(Start { kind: Kind::Task, ..start(None) }).expect("started");
    let agent = jobs.start(start(Some(task.clone()))).expect("the first generation");
    assert_eq!(agent.view().parent.as_deref(), Some(task.id()));
    assert!(jobs.start(start(Some(agent.clone()))).is_err(), "the second one");
    agent.settle(done("x"));
    assert_eq!(jobs.forget(), [agent.id()]);
    let left: Vec<String> = jobs.views().into_iter().map(|view| view.id).collect();
    assert_eq!(left, [task.id()]);
}

#[test]
fn a_job_waits_until_its_last_question_is_answered() {
    let (jobs, _heard) = jobs(1, 1);
    let job = jobs.start(start(None)).expect("started");
    job.set_state(State::Running, None);
    let ask = |id: &str| JobEvent::Question { approval_id: id.into(), tool_name: "t".into(), reason: "r".into() };
    job.asks(ask("one"));
    job.asks(ask("two"));
    job.asks_no_more();
    assert_eq!(job.view().state, State::Waiting, "the other one waits");
    job.asks_no_more();
    assert_eq!(job.view().state, State::Running);
    let told: Vec<JobEvent> = std::iter::from_fn(|| job.next_event()).collect();
    let status = |name| JobEvent::status(name, None);
    assert_eq!(told, [status("running"), status("waiting"), ask("one"), ask("two"), status("running")]);
}

#[tokio::test]
async fn who_waits_is_woken_by_events_the_result_and_the_end() {
    let (jobs, _heard) = jobs(1, 1);
    let job = jobs.start(start(None)).expect("started");
    let other = job.clone();
    let waits = tokio::spawn(async move { (other.event().await, other.settled().await, other.event().await) });
    tokio::task::yield_now().await;
    job.tell(JobEvent::Text { text: "a".into() });
    tokio::task::yield_now().await;
    job.close();
    let (event, result, last) = waits.await.expect("ends");
    assert_eq!(event, Some(JobEvent::Text { text: "a".into() }));
    assert_eq!((result, last), (None, None));
}

#[test]
fn t31_what_is_over_is_a_line_in_the_list_and_changes_are_told_in_order() {
    let (jobs, mut heard) = jobs(1, 1);
    for n in 0..60 {
        let job = jobs.start(start(None)).expect("started");
        job.progress(format!("step {n}"));
        job.settle(done("x"));
    }
    assert_eq!(jobs.views().len(), 50);
    let names: Vec<&str> = std::iter::from_fn(|| heard.try_recv().ok())
        .take(4)
        .map(|change| match change {
            Change::Started(_) => "started",
            Change::Updated(_) => "updated",
            Change::Finished(_) => "finished",
        })
        .collect();
    assert_eq!(names, ["started", "updated", "finished", "started"]);
}
