//! Requests of a face: what each command does.

use super::{
    Answer, BackendError, Code, Command, Event, Level, Reply, Request, SendAs,
    input::How,
    keys, lists,
    noted::{self, Noted},
    runtime::{News, Runtime},
};
use crate::conversation::Part;
use crate::session::{self, EntryKind, Receipt};
use tokio::sync::oneshot;

pub type Answered = Result<Reply, BackendError>;

/// An answer and who gets it; none: that is another's matter.
type Dispatched = (Option<Answered>, Option<oneshot::Sender<Answered>>);

fn when_written(noted: Result<Noted, BackendError>, reply: oneshot::Sender<Answered>) -> Dispatched {
    noted::answer(noted, reply);
    (None, None)
}

fn done(result: Result<(), BackendError>) -> Option<Answered> {
    Some(result.map(|()| Reply::Done))
}

impl Runtime {
    /// Does what a face asks. What takes long is answered by a task of its own.
    pub fn obey(&mut self, Request { command, reply }: Request) {
        if command.needs_lock(self.open.log.path())
            && let Err(why) = self.intact()
        {
            let _ = reply.send(Err(why));
            return;
        }
        let (answer, reply) = self.dispatch(command, reply);
        if let (Some(answer), Some(reply)) = (answer, reply) {
            let _ = reply.send(answer);
        }
    }

    fn dispatch(&mut self, command: Command, reply: oneshot::Sender<Answered>) -> Dispatched {
        let answer = match command {
            Command::Prompt { text, images } => done(self.prompt(text, images)),
            Command::Steer { text } => done(self.steer(text)),
            Command::FollowUp { text } => done(self.follow_up(text)),
            Command::TakeBack { text } => Some(Ok(Reply::Returned(self.take_back(text.as_deref())))),
            Command::Abort => Some(Ok(Reply::Returned(self.abort()))),
            Command::CancelTools { call_id } => done(self.cancel_tools(call_id)),
            Command::BackgroundTools { call_id } => done(self.background_tools(call_id)),
            Command::SetModel { model } => return when_written(self.set_model(&model), reply),
            Command::SetThinking { level } => return when_written(self.set_thinking(level), reply),
            Command::SetMode { mode } => done(self.set_mode(mode)),
            Command::Rename { name } => return when_written(self.idle_or_turn_rename(name), reply),
            Command::Shell { line, to_model } => done(self.shell(line, to_model)),
            Command::Approve { approval_id, answer } => Some(self.approve(&approval_id, answer)),
            Command::Answer { ask_id, response } => done(self.answer(&ask_id, response)),
            Command::Press { function } => {
                self.press(function);
                Some(Ok(Reply::Done))
            }
            Command::Complete { name, prefix } => {
                let completed = self.shared.extensions.complete(&name, &prefix);
                tokio::spawn(async move { reply.send(Ok(Reply::Completions(completed.await))) });
                return (None, None);
            }
            Command::ListMentions => {
                let listed = self.shared.extensions.mentions();
                tokio::spawn(async move { reply.send(Ok(Reply::Completions(listed.await))) });
                return (None, None);
            }
            Command::Trust { trust } => done(self.trust(trust)),
            Command::New => {
                self.new_session(reply);
                return (None, None);
            }
            Command::Open { target, mode } => {
                self.open_session(target, mode, reply);
                return (None, None);
            }
            Command::Fork { entry_id } => {
                self.fork(entry_id, reply);
                return (None, None);
            }
            Command::ForkByScript { entry_id, name } => {
                self.fork_by_script(entry_id, name, reply);
                return (None, None);
            }
            Command::Branch { to, summary } => {
                self.branch(to, summary, reply);
                return (None, None);
            }
            Command::ForkAt { to } => {
                self.fork_at(to, reply);
                return (None, None);
            }
            Command::Trace { to } => {
                self.trace(to, reply);
                return (None, None);
            }
            Command::Tree => {
                self.outline(reply);
                return (None, None);
            }
            Command::Label { entry_id, label } => {
                self.label(entry_id, label, reply);
                return (None, None);
            }
            Command::ForkSource { entry_id } => {
                self.fork_source(entry_id, reply);
                return (None, None);
            }
            Command::Reclaim { take_over } => {
                self.reclaim(take_over, reply);
                return (None, None);
            }
            Command::StopJob { job_id } => done(self.job(&job_id).map(|job| job.request_cancel())),
            Command::StopAllJobs => {
                self.shared.crew.jobs.cancel(true);
                Some(Ok(Reply::Done))
            }
            Command::MessageJob { job_id, text } => done(self.message_job(&job_id, text)),
            Command::WatchChild { child_id, face } => {
                self.watch_child(child_id, face, reply);
                return (None, None);
            }
            Command::UnwatchChild { child_id, face } => {
                self.unwatch_child(&child_id, face);
                Some(Ok(Reply::Done))
            }
            Command::TellChild { child_id, text } => {
                self.tell_child(child_id, text, reply);
                return (None, None);
            }
            Command::ListModels => Some(Ok(Reply::Models(lists::models(&self.shared)))),
            Command::ListKeys => Some(Ok(Reply::Keys(keys::list(&self.shared)))),
            Command::FindModels => {
                let (shared, news) = (self.shared.clone(), self.news.clone());
                tokio::spawn(async move {
                    let found = keys::find_models(&shared).await;
                    let _ = news.send(News::ModelsFound);
                    let _ = reply.send(Ok(Reply::Models(found)));
                });
                return (None, None);
            }
            Command::Login { provider, key } => {
                let shared = self.shared.clone();
                tokio::spawn(async move { reply.send(keys::login(&shared, &provider, &key).await) });
                return (None, None);
            }
            Command::Logout { provider } => {
                let shared = self.shared.clone();
                tokio::spawn(async move { reply.send(keys::logout(&shared, &provider).await) });
                return (None, None);
            }
            Command::ListTools => Some(Ok(Reply::Tools(lists::tools(&self.shared)))),
            Command::ListExtensions => {
                let list = self.shared.extensions.list();
                tokio::spawn(async move {
                    let _ = reply.send(Ok(Reply::Extensions(list.await)));
                });
                return (None, None);
            }
            Command::Reload { name } => {
                self.reload(name.as_deref(), reply);
                return (None, None);
            }
            Command::EnableExtension { name, on } => {
                self.enable(&name, on, reply);
                return (None, None);
            }
            Command::Send { text, how, session_id } => match (self.is_meant(session_id.as_deref()), how) {
                (Ok(()), SendAs::WhenIdle | SendAs::WithNext) => {
                    self.send_aside(text, how, reply);
                    return (None, None);
                }
                (meant, how) => done(meant.and_then(|()| self.send(text, how))),
            },
            Command::AppendCustom { name, data } => return when_written(self.append_custom(name, data), reply),
            Command::ActiveTools { set } => Some(self.active_tools(set).map(Reply::Names)),
            Command::Join(face) => {
                self.join(face);
                Some(Ok(Reply::Done))
            }
            Command::Refresh(face) => {
                face.tell(Event::SessionOpened(self.whole().into()));
                Some(Ok(Reply::Done))
            }
            Command::Idle => {
                self.at_a_stand(reply);
                return (None, None);
            }
            Command::Finished => {
                if self.is_at_work() {
                    self.finish.push(reply);
                } else {
                    let _ = reply.send(Ok(Reply::Done));
                }
                return (None, None);
            }
            Command::Snapshot => Some(Ok(Reply::State(Box::new(self.whole())))),
            Command::Changes { epoch, revision } => Some(self.changes(epoch, revision)),
            Command::ReadItem { item_id } => {
                self.read_item(&item_id, reply);
                return (None, None);
            }
            Command::State => Some(Ok(Reply::State(Box::new(self.open.state.clone())))),
            Command::Entries => {
                self.entries(reply);
                return (None, None);
            }
            Command::Compact { focus } => match self.compact(focus) {
                Ok(()) => {
                    self.compacting_for(reply);
                    return (None, None);
                }
                Err(why) => Some(Err(why)),
            },
            Command::RunCommand { name, args } => {
                let (shared, mut loaded) = (self.shared.clone(), self.shared.loaded.subscribe());
                let news = self.news.clone();
                self.errands.spawn(async move {
                    // It comes with its extension.
                    let _ = loaded.wait_for(|loaded| *loaded).await;
                    let run = shared.extensions.run_command(&name, &args);
                    let failed = |why| BackendError::new(Code::InvalidRequest, why);
                    let ended = run.await.map(|()| Reply::Done).map_err(failed);
                    let _ = news.send(News::CommandEnded(ended, reply));
                });
                return (None, None);
            }
            command => {
                lists::spawn(&self.shared, &self.open, command, reply);
                return (None, None);
            }
        };
        (answer, Some(reply))
    }

    fn prompt(&mut self, text: String, images: Vec<Part>) -> Result<(), BackendError> {
        self.idle()?;
        if text.is_empty() && images.is_empty() {
            return Err(BackendError::new(Code::InvalidRequest, "the prompt is empty"));
        }
        self.speak(How::Prompt { images }, text);
        Ok(())
    }

    fn steer(&mut self, text: String) -> Result<(), BackendError> {
        self.writable()?;
        // What is said during a compaction that no turn has made begins a turn afterwards.
        if !self.is_in_turn() && self.compacting.is_none() {
            return Err(BackendError::new(Code::InvalidRequest, "no turn is running"));
        }
        self.speak(How::Steer, text);
        Ok(())
    }

    fn follow_up(&mut self, text: String) -> Result<(), BackendError> {
        self.writable()?;
        // With nothing under way it is a prompt.
        let how = if self.is_busy() { How::FollowUp } else { How::Prompt { images: vec![] } };
        self.speak(how, text);
        Ok(())
    }

    fn take_back(&mut self, one: Option<&str>) -> Vec<String> {
        let texts = match one {
            Some(text) => self.queue.take_one_back(text).into_iter().collect(),
            None => self.queue.take_back(),
        };
        self.changed();
        texts
    }

    fn idle_or_turn_rename(&mut self, name: String) -> Result<Noted, BackendError> {
        self.writable()?;
        lists::named(&name)?;
        Ok(Noted::done(self.rename(name)))
    }

    pub fn rename(&mut self, name: String) -> Receipt {
        self.open.state.name = Some(name.clone());
        let receipt = self.note(session::Entry::new(EntryKind::SessionInfo { name: Some(name), labels: None }));
        self.changed();
        receipt
    }

    /// `Reply::Returned` with texts that were queued, where the turn is stopped.
    fn approve(&mut self, id: &str, answer: Answer) -> Answered {
        let Some(n) = self.waiting.iter().position(|w| w.approval.id == id) else {
            return Err(BackendError::new(Code::NotFound, "that question was answered already"));
        };
        let waiting = self.waiting.remove(n);
        self.tell(Event::ApprovalClosed { approval_id: id.to_owned() });
        let kept = match answer {
            Answer::Session | Answer::Project => self.shared.rules.add(&waiting.rules, answer == Answer::Project),
            _ => Ok(()),
        };
        if let Err(why) = kept {
            self.notice(
                Level::Warning,
                format!("the rule holds for this session only, it could not be written: {why}"),
            );
        }
        let asker = waiting.approval.asker.job_id.clone();
        let _ = waiting.answer.send(answer);
        self.answer_known();
        let returned = if answer == Answer::NoAndInterrupt { self.interrupt(asker.as_deref()) } else { vec![] };
        self.changed();
        Ok(if returned.is_empty() { Reply::Done } else { Reply::Returned(returned) })
    }

    /// Stops who asked: an agent, or the turn. Gives back what was queued for that.
    fn interrupt(&mut self, job_id: Option<&str>) -> Vec<String> {
        let Some(job_id) = job_id else { return self.abort() };
        if let Some(job) = self.shared.crew.jobs.get(job_id) {
            job.request_cancel();
        }
        vec![]
    }

    /// Questions whose rules have been agreed to meanwhile need no answer any more.
    fn answer_known(&mut self) {
        while let Some(n) = self.waiting.iter().position(|w| self.shared.rules.allow(&w.rules)) {
            let known = self.waiting.remove(n);
            self.tell(Event::ApprovalClosed { approval_id: known.approval.id.clone() });
            let _ = known.answer.send(Answer::Once);
        }
    }

    fn trust(&mut self, trust: bool) -> Result<(), BackendError> {
        self.trust_answered = true;
        if let Err(why) = (self.shared.trust.decide)(trust) {
            self.notice(Level::Warning, format!("the answer holds for this run only, it could not be written: {why}"));
        }
        if !trust {
            return Ok(());
        }
        let settings = self.shared.trust.question.as_ref().is_some_and(|q| q.brings_settings());
        let pristine = self.turn.is_none() && self.open.items.is_empty() && self.open.log.is_empty();
        match (settings, pristine) {
            (true, true) if self.shared.hosted.is_none() => self.tell(Event::Restart),
            (true, _) => {
                self.notice(
                    Level::Info,
                    "the project's settings count from the next start on; its extensions are loaded now",
                );
                self.load_extensions(true);
            }
            (false, _) => self.load_extensions(true),
        }
        Ok(())
    }
}
