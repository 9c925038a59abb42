//! The session that is open: its file, its history, and what faces see of it.

use super::{
    BackendError, Code, Item, OpenMode, Phase, Session, SessionTarget, StartSession,
    branch::{self, Elsewhere},
    changes::Changes,
    history::History,
    shared::Shared,
};
use crate::agent::Entry;
use crate::conversation::Thinking;
use crate::provider::{ModelSpec, Resolved};
use crate::session::{self, EntryKind, FindError, LoadError, Loaded, Log, OpenError};
use crate::util::time;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

/// One life of a session.
pub struct Open {
    pub log: Log,
    /// What the model gets.
    pub history: History,
    /// What is shown.
    pub items: Vec<Arc<Item>>,
    /// Everything else that faces see; its transcript stays empty.
    pub state: Session,
    pub model: Resolved,
    /// Entries that wait for the first prompt: a session without one leaves no file.
    pub early: Vec<session::Entry>,
    /// The session's own model, if there is none of this name (yet).
    pub missing: Option<String>,
    /// Ids of the messages of `history` that are summaries.
    pub summaries: Vec<String>,
    /// Ids of messages of which the user was told that the model takes none of their pictures.
    pub unseen: HashSet<String>,
    /// For the user, when it opens.
    pub warnings: Vec<String>,
    pub changes: Changes,
    /// The answer that streams, and its place among the items.
    reserved: Option<(String, usize)>,
    /// Where its entries are while it has no file.
    pub elsewhere: Elsewhere,
}

impl Open {
    /// The session that a run starts with.
    pub fn start(shared: &Shared, start: &StartSession, explicit: &Explicit) -> Result<Open, BackendError> {
        match start {
            StartSession::New => Open::create(shared, explicit),
            StartSession::Continue => match shared.store.newest(&shared.cwd) {
                Some(path) => Open::existing(shared, path, OpenMode::Write, None, explicit),
                None => Open::create(shared, explicit),
            },
            StartSession::Resume(target) | StartSession::TakeOver(target) => {
                Open::target(shared, target, OpenMode::Write, explicit)
            }
            StartSession::ReadOnly(target) => Open::target(shared, target, OpenMode::ReadOnly, explicit),
            StartSession::Fork { target, entry_id } => {
                let path = Open::path(shared, target)?;
                Open::existing(shared, path, OpenMode::Fork, entry_id.as_deref(), explicit)
            }
        }
    }

    pub fn target(
        shared: &Shared,
        target: &SessionTarget,
        mode: OpenMode,
        explicit: &Explicit,
    ) -> Result<Open, BackendError> {
        Open::existing(shared, Open::path(shared, target)?, mode, None, explicit)
    }

    /// The file of a session.
    pub fn path(shared: &Shared, target: &SessionTarget) -> Result<PathBuf, BackendError> {
        match target {
            SessionTarget::Path(path) => Ok(path.clone()),
            SessionTarget::Id(id) => shared.store.find(id).map_err(find_error),
        }
    }

    /// A fresh session with the run's model.
    pub fn create(shared: &Shared, explicit: &Explicit) -> Result<Open, BackendError> {
        let log = if shared.no_session { Log::ephemeral(&shared.cwd) } else { Log::create(&shared.store, &shared.cwd) };
        let (model, thinking, warnings) = explicit.choose(shared, None, None)?;
        let mut open = Open::new(shared, log, None, model, thinking, warnings);
        open.record_model();
        Ok(open)
    }

    /// A copy of a session, up to an entry or whole.
    pub fn fork(
        shared: &Shared,
        path: &Path,
        entry_id: Option<&str>,
        explicit: &Explicit,
    ) -> Result<Open, BackendError> {
        let (log, loaded) = Log::fork(&shared.store, path, entry_id, &shared.cwd).map_err(load_error)?;
        let (model, thinking, warnings) = explicit.choose(shared, None, None)?;
        let mut open = Open::new(shared, log, Some(&loaded), model, thinking, warnings);
        open.elsewhere = Elsewhere::Origin(path.to_owned(), entry_id.map(str::to_owned));
        Ok(open)
    }

    /// `entry_id`: where a fork ends.
    fn existing(
        shared: &Shared,
        path: PathBuf,
        mode: OpenMode,
        entry_id: Option<&str>,
        explicit: &Explicit,
    ) -> Result<Open, BackendError> {
        let mut read_only = false;
        let (log, loaded) = match mode {
            OpenMode::Write | OpenMode::TakeOver if !shared.no_session => {
                shared.store.open(&path).map_err(open_error)?
            }
            OpenMode::Fork if !shared.no_session => {
                Log::fork(&shared.store, &path, entry_id, &shared.cwd).map_err(load_error)?
            }
            OpenMode::ReadOnly => {
                read_only = true;
                let loaded = session::load(&path).map_err(load_error)?;
                (Log::read_only(&loaded), loaded)
            }
            OpenMode::Write | OpenMode::TakeOver | OpenMode::Fork => {
                (Log::ephemeral(&shared.cwd), session::load(&path).map_err(load_error)?)
            }
        };
        let (model, thinking, mut warnings) =
            explicit.choose(shared, loaded.model.as_deref(), loaded.thinking.as_deref())?;
        warnings.extend(missing_key(shared, &model));
        warnings.extend(loaded.warnings.iter().map(|w| format!("{}: {w}", loaded.path.display())));
        if !loaded.warnings.is_empty() && loaded.header.version <= session::entry::VERSION {
            warnings.push(format!("`panto sessions repair {}` writes a repaired copy", loaded.header.id));
        }
        if loaded.newer_elsewhere && mode != OpenMode::Fork {
            warnings.push("newer messages are on another branch: /back goes there".into());
        }
        if !loaded.header.cwd.as_os_str().is_empty() && !loaded.header.cwd.exists() {
            let (old, now) = (loaded.header.cwd.display(), shared.cwd.display());
            warnings.push(format!(
                "the session's folder {old} is gone: tools work in {now}; `panto sessions rebind {}` binds it to {now}",
                loaded.header.id
            ));
        }
        let changed = loaded.model.as_deref() != Some(&model.spec.reference.to_string())
            || loaded.thinking.as_deref().is_some_and(|l| l != thinking.name());
        let mut open = Open::new(shared, log, Some(&loaded), model, thinking, warnings);
        open.state.read_only = read_only;
        open.state.locked &= !read_only;
        if read_only && !loaded.header.id.is_empty() {
            // It is that session, though nothing is written to its file.
            open.state.id.clone_from(&loaded.header.id);
        }
        if mode == OpenMode::Fork && !shared.no_session {
            open.elsewhere = Elsewhere::Origin(path, entry_id.map(str::to_owned));
        }
        if changed && !read_only {
            open.record_model();
        }
        Ok(open)
    }

    fn new(
        shared: &Shared,
        log: Log,
        loaded: Option<&Loaded>,
        model: Resolved,
        thinking: Thinking,
        warnings: Vec<String>,
    ) -> Open {
        let now = time::now();
        let history = loaded.map(Loaded::history).unwrap_or_default();
        let state = Session {
            id: log.id().to_owned(),
            name: loaded.and_then(|l| l.name.clone()),
            cwd: shared.cwd.clone(),
            created_at: loaded.map_or_else(|| now.clone(), |l| l.header.timestamp.clone()),
            updated_at: loaded.and_then(|l| l.branch.last()).map_or(now, |e| e.timestamp.clone()),
            phase: Phase::Idle,
            model: model.spec.reference.to_string(),
            thinking,
            thinking_levels: model.spec.thinking.clone(),
            context_window: model.spec.context,
            context_used: loaded.map_or(0, |l| branch::used(&l.branch, &history)),
            attached: true,
            locked: log.path().is_some(),
            read_only: false,
            epoch: shared.next_epoch(),
            revision: 0,
            transcript: vec![],
            queued_steer: vec![],
            queued_steer_count: 0,
            follow_ups: vec![],
            jobs: vec![],
            approvals: vec![],
            usage: loaded.map(|l| l.usage).unwrap_or_default(),
            spent: 0.0,
            asks: vec![],
            status_items: vec![],
            widgets: vec![],
            not_saved: None,
            retry: None,
            mode: shared.mode.get(),
            unheld: shared.extensions.unheld(),
            busy_since: None,
        };
        let history = history.into_iter().map(|(id, m)| Entry { id, message: Arc::new(m) }).collect();
        let own = loaded.and_then(|l| l.model.clone()).filter(|own| *own != state.model);
        let missing = own.filter(|own| shared.providers.resolve(own).is_err());
        let history = History::new(history);
        let entries = loaded.map_or(&[][..], |l| &l.branch);
        let items = branch::shown(entries);
        let summaries = entries.iter().filter(|e| branch::is_compaction(e)).map(|e| e.id.clone()).collect();
        let elsewhere = if log.path().is_none() { Elsewhere::Memory(entries.to_vec()) } else { Elsewhere::Nowhere };
        Open {
            log,
            history,
            items,
            state,
            model,
            early: vec![],
            missing,
            summaries,
            unseen: HashSet::new(),
            warnings,
            changes: Changes::default(),
            reserved: None,
            elsewhere,
        }
    }

    /// Writes the model and level down with the next prompt.
    pub fn record_model(&mut self) {
        self.early.retain(|e| !matches!(e.kind, EntryKind::ModelChange { .. } | EntryKind::ThinkingChange { .. }));
        let model = self.state.model.clone();
        self.early.push(session::Entry::new(EntryKind::ModelChange { model }));
        let level = self.state.thinking.name().to_owned();
        self.early.push(session::Entry::new(EntryKind::ThinkingChange { level }));
    }

    pub fn set_model(&mut self, model: Resolved, thinking: Thinking) {
        self.missing = None;
        self.state.model = model.spec.reference.to_string();
        self.state.thinking = thinking;
        self.state.thinking_levels = model.spec.thinking.clone();
        self.state.context_window = model.spec.context;
        self.model = model;
        self.record_model();
    }

    /// More is known of its model.
    pub fn renew(&mut self, spec: ModelSpec) {
        self.state.thinking = self.state.thinking.clamp_to(&spec.thinking);
        self.state.thinking_levels = spec.thinking.clone();
        self.state.context_window = spec.context;
        self.model.spec = spec;
    }

    /// Everything, transcript included.
    pub fn snapshot(&self, live: Option<Item>) -> Session {
        let mut whole = self.state.clone();
        whole.transcript = self.items.clone();
        if let Some(live) = live {
            let at = self.place_of(&live.id);
            whole.transcript.insert(at, Arc::new(live));
        }
        whole
    }

    /// An item is not what it was.
    pub fn touch(&mut self, item_id: &str) {
        self.state.revision += 1;
        self.changes.touch(item_id, self.state.revision);
    }

    /// An item is gone.
    pub fn remove(&mut self, item_id: &str) {
        self.state.revision += 1;
        self.changes.remove(item_id, self.state.revision);
        self.items.retain(|item| item.id != item_id);
    }

    /// An answer begins: its item stands here, whatever comes meanwhile.
    pub fn reserve(&mut self, item_id: &str) {
        self.reserved = Some((item_id.to_owned(), self.items.len()));
        self.touch(item_id);
    }

    /// Where an item that isn't there yet belongs.
    fn place_of(&self, item_id: &str) -> usize {
        let reserved = self.reserved.as_ref().filter(|(id, _)| id == item_id);
        reserved.map_or(self.items.len(), |(_, at)| (*at).min(self.items.len()))
    }

    /// Puts an item into the transcript, or in the place of an older state of it.
    pub fn put(&mut self, item: Arc<Item>) {
        self.touch(&item.id);
        match self.items.iter_mut().rev().find(|i| i.id == item.id) {
            Some(old) => *old = item,
            None => self.items.insert(self.place_of(&item.id), item),
        }
    }
}

/// What the command line said of model and level.
#[derive(Debug, Clone, Default)]
pub struct Explicit {
    pub model: Option<String>,
    pub thinking: Option<Thinking>,
}

impl Explicit {
    /// The model and level to use, and what the user should know: an explicit choice, else the session's own, else the
    /// run's default.
    fn choose(
        &self,
        shared: &Shared,
        saved_model: Option<&str>,
        saved_level: Option<&str>,
    ) -> Result<(Resolved, Thinking, Vec<String>), BackendError> {
        let mut warnings = vec![];
        let model = match (&self.model, saved_model) {
            (Some(name), _) => shared.resolve(name)?,
            (None, Some(saved)) => match shared.providers.resolve(saved) {
                Ok(model) => model,
                Err(why) => {
                    let model = shared.default_model(&mut warnings)?;
                    let now = &model.spec.reference;
                    warnings.push(format!(
                        "the session's model {saved} is missing ({why}); {now} goes on instead: /model changes it"
                    ));
                    model
                }
            },
            (None, None) => shared.default_model(&mut warnings)?,
        };
        let wanted = saved_level.and_then(|l| l.parse().ok()).unwrap_or(shared.options.thinking);
        let thinking = match self.thinking {
            Some(level) => level_of(&model, level)?,
            None => wanted.clamp_to(&model.spec.thinking),
        };
        Ok((model, thinking, warnings))
    }
}

/// What the model of a session that is opened lacks before it can be asked.
fn missing_key(shared: &Shared, model: &Resolved) -> Option<String> {
    let reference = &model.spec.reference;
    let missing = shared.providers.missing(&reference.provider)?;
    Some(format!("{reference} cannot be asked yet: {missing}; /model changes to another"))
}

/// The level, if the model has it.
pub fn level_of(model: &Resolved, level: Thinking) -> Result<Thinking, BackendError> {
    if model.spec.thinking.contains(&level) {
        return Ok(level);
    }
    let r = &model.spec.reference;
    let message = format!("Thinking level {level} is not supported by {}/{}", r.provider, r.model);
    Err(BackendError::new(Code::InvalidRequest, message))
}

fn find_error(e: FindError) -> BackendError {
    let code = if matches!(e, FindError::Io { .. }) { Code::SessionUnreadable } else { Code::NotFound };
    BackendError::new(code, e.to_string())
}

fn load_error(e: LoadError) -> BackendError {
    BackendError::new(Code::SessionUnreadable, e.to_string())
}

fn open_error(e: OpenError) -> BackendError {
    match e {
        OpenError::Locked(_) => BackendError::new(Code::SessionLocked, e.to_string()),
        OpenError::Load(e) => load_error(e),
    }
}
