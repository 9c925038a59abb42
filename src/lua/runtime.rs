//! The thread named `lua`: builds the state, then takes messages until nobody is left to send any.

use super::api::{self, Api};
use super::face::Face;
use super::host::{Host, View};
use super::loader::Loader;
use super::message::Message;
use super::pulse::Pulse;
use super::scheduler::Scheduler;
use super::{calls, dispatch, faced, message_of, packages::Packages, refuse, rocks, speak, state, tell};
use crate::config::Options;
use crate::util::paths::Paths;
use mlua::Lua;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// What a runtime is started with.
#[derive(Debug, Clone)]
pub struct Config {
    pub options: Arc<Options>,
    pub paths: Paths,
    pub cwd: PathBuf,
    pub sources: Sources,
    /// Names of commands that extensions can't take, without the slash.
    pub builtin_commands: Vec<String>,
    /// What the screen says of keys and themes.
    pub face: Face,
}

/// Where Lua comes from, besides the folders and `[extensions] paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The tools that ship.
    pub shipped: bool,
    /// Nothing of the user's and the project's (`--no-extensions`); `extra` is loaded all the same.
    pub no_extensions: bool,
    /// `--extension`: files or folders, relative to the working directory.
    pub extra: Vec<PathBuf>,
    /// Lua packages; none: only Lua's own search paths.
    pub rocks: Option<rocks::Setup>,
}

impl Default for Sources {
    fn default() -> Self {
        Sources { shipped: true, no_extensions: false, extra: Vec::new(), rocks: None }
    }
}

/// How long the end waits for work on the disk.
const PATIENCE: Duration = Duration::from_millis(500);

/// The body of the thread.
pub(super) fn run(config: Config, view: Arc<View>, pulse: Arc<Pulse>, messages: mpsc::UnboundedReceiver<Message>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!("panto: the Lua thread can't start: {error}"),
    };
    let local = tokio::task::LocalSet::new();
    let stopped = local.block_on(&runtime, serve(config, view, pulse, messages));
    // What still runs ends here, and its processes with it; only then is the stop answered.
    drop(local);
    // Work on the disk can't be ended, only waited for: long enough for what is nearly done, and no longer.
    runtime.shutdown_timeout(PATIENCE);
    if let Some(reply) = stopped {
        let _ = reply.send(());
    }
}

async fn serve(
    config: Config,
    view: Arc<View>,
    pulse: Arc<Pulse>,
    mut messages: mpsc::UnboundedReceiver<Message>,
) -> Option<oneshot::Sender<()>> {
    let runtime = match Runtime::build(config, view, &pulse).await {
        Ok(runtime) => Rc::new(runtime),
        Err(error) => {
            return refuse::all(messages, &format!("Lua can't start: {}", message_of(&error))).await;
        }
    };
    while let Some(message) = messages.recv().await {
        match message {
            Message::Stop { patience, reply } => {
                let _ = tokio::time::timeout(patience, runtime.host.lines.told()).await;
                return Some(reply);
            }
            other => runtime.take(other),
        }
    }
    None
}

struct Runtime {
    lua: Lua,
    host: Rc<Host>,
    loader: Loader,
    packages: Rc<Packages>,
}

impl Runtime {
    async fn build(config: Config, view: Arc<View>, pulse: &Pulse) -> mlua::Result<Self> {
        let lua = state::create(config.options.lua.memory_mb.saturating_mul(1 << 20))?;
        if let Some(setup) = &config.sources.rocks {
            rocks::extend_search_paths(&lua, &setup.tree)?;
        }
        let limit = Duration::from_secs(config.options.lua.callback_timeout.max(1));
        let scheduler = Scheduler::new(&lua, limit)?;
        let _ = pulse.running.set(scheduler.running.clone());
        let api = Rc::new(Api {
            scheduler: scheduler.clone(),
            processes: api::process::processes(&config.options, &config.paths),
            cwd: config.cwd,
            options: config.options,
            paths: config.paths,
        });
        let host = Host::new(api, view, config.builtin_commands, config.face);
        api::install(&lua, &host)?;
        scheduler.load_luv(&lua)?;
        tokio::task::spawn_local(scheduler.pump());
        let shipped = config.sources.shipped;
        let packages = Packages::new(&host, config.sources.rocks.clone());
        let loader = Loader::new(&lua, host.clone(), config.sources, packages.clone())?;
        if shipped {
            loader.load_shipped(&lua).await;
        }
        Ok(Runtime { lua, host, loader, packages })
    }

    /// Starts what a message asks for; nothing is waited for here.
    fn take(self: &Rc<Self>, message: Message) {
        match message {
            Message::Load { trusted, reply } => {
                let this = self.clone();
                tokio::task::spawn_local(async move {
                    // What ships and is there already hears that the folder is trusted now.
                    let told = if trusted && !this.host.trusted.get() { this.loader.unchanged().await } else { vec![] };
                    let _ = reply.send(this.loader.load(&this.lua, Some(trusted)).await);
                    this.tell_fresh(told);
                    if this.packages.complete(&this.host).await {
                        // That took its time: whether the folder is trusted may be another matter by now.
                        let failed = this.loader.load(&this.lua, None).await;
                        if let Ok(program) = this.host.program("panto.rocks") {
                            program.extensions_changed(failed);
                        }
                    }
                });
            }
            Message::Reload { name, reply } => {
                let this = self.clone();
                tokio::task::spawn_local(async move {
                    let (done, fresh) = this.loader.reload(&this.lua, name.as_deref()).await;
                    this.tell_fresh(fresh);
                    let _ = reply.send(done);
                });
            }
            Message::Enable { name, on, reply } => {
                let this = self.clone();
                tokio::task::spawn_local(async move {
                    let done = this.loader.enable(&this.lua, &name, on).await;
                    let _ = reply.send(done.map(|(done, _)| done));
                });
            }
            Message::List { reply } => {
                let this = self.clone();
                answer(reply, async move { this.loader.list(&this.lua).await })
            }
            Message::Stream { provider, request, events } => {
                let this = self.clone();
                tokio::task::spawn_local(async move {
                    speak::answer(&this.lua, &this.host, &provider, &request, events).await;
                });
            }
            Message::Command { name, args, reply } => {
                let this = self.clone();
                answer(reply, async move {
                    // It may be on its way.
                    if this.host.registry.borrow().command(&name).is_none() {
                        this.loader.settled().await;
                    }
                    dispatch::command(&this.lua, &this.host, &name, &args).await
                })
            }
            Message::ToolCall { hook, reply } => {
                let this = self.clone();
                answer(reply, async move { dispatch::tool_call(&this.lua, &this.host, hook).await })
            }
            Message::Batch { calls, updates, reply } => {
                // Started here and not in the task: batches begin in the order in which they came.
                let ended = calls::run(&self.lua, &self.host, calls, updates);
                answer(reply, ended);
            }
            Message::Render { call, reply } => {
                let this = self.clone();
                answer(reply, async move { faced::render(&this.lua, &this.host, *call).await })
            }
            Message::Press { function, reply } => {
                let this = self.clone();
                answer(reply, async move { faced::press(&this.lua, &this.host, function).await })
            }
            Message::Complete { name, prefix, reply } => {
                let this = self.clone();
                answer(reply, async move { faced::complete(&this.lua, &this.host, &name, &prefix).await })
            }
            Message::Mentions { reply } => {
                let this = self.clone();
                answer(reply, async move { faced::mentions(&this.lua, &this.host).await })
            }
            Message::Attach(program) => drop(self.host.program.replace(Some(program))),
            Message::Ask { hook, reply } => {
                let this = self.clone();
                answer(reply, async move { dispatch::change(&this.lua, &this.host, hook).await })
            }
            Message::Emit(hook) => tell::tell(&self.lua, &self.host, hook),
            Message::Session(info) => drop(self.host.session.replace(info)),
            Message::Notices(sender) => self.host.open_notices(sender),
            Message::Heard { reply } => {
                let this = self.clone();
                answer(reply, async move { this.host.lines.told().await })
            }
            Message::Ping { reply } | Message::Stop { reply, .. } => drop(reply.send(())),
        }
    }

    /// Tells code that has taken the place of older code so.
    fn tell_fresh(self: &Rc<Self>, fresh: Vec<Rc<str>>) {
        let this = self.clone();
        tokio::task::spawn_local(async move { dispatch::emit_reload(&this.lua, &this.host, &fresh).await });
    }
}

/// Works on an answer for as long as somebody waits for it; what it has started ends with it.
fn answer<T: 'static>(mut reply: oneshot::Sender<T>, work: impl Future<Output = T> + 'static) {
    tokio::task::spawn_local(async move {
        let answer = tokio::select! {
            answer = work => answer,
            () = reply.closed() => return,
        };
        let _ = reply.send(answer);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_does_not_wait_for_ever_for_work_on_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let extension = dir.path().join("x.lua");
        // Nobody ever opens the other end.
        let code = "local fifo = 'fifo'
            panto.process.run{argv={'mkfifo', fifo}}
            panto.task.timeout(0.1, function() panto.fs.append(fifo, 'x') end)";
        std::fs::write(&extension, code).unwrap();
        let config = Config {
            options: Arc::default(),
            paths: Paths { data: dir.path().join("data"), config: dir.path().join("config"), home: None },
            cwd: dir.path().into(),
            sources: Sources { shipped: false, extra: vec![extension], ..Sources::default() },
            builtin_commands: vec![],
            face: Face::default(),
        };
        let (messages, receiver) = mpsc::unbounded_channel();
        let body = move || run(config, Arc::default(), Arc::new(Pulse::new(Duration::from_secs(60))), receiver);
        std::thread::spawn(body);
        let (reply, loaded) = oneshot::channel();
        assert!(messages.send(Message::Load { trusted: true, reply }).is_ok());
        assert_eq!(loaded.blocking_recv().unwrap(), []);
        let (reply, stopped) = oneshot::channel();
        assert!(messages.send(Message::Stop { patience: Duration::ZERO, reply }).is_ok());
        stopped.blocking_recv().expect("it ends");
    }
}
