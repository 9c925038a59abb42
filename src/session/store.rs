//! Where sessions lie, and what can be done with those that aren't open.

use super::{
    Durability, Entry, EntryKind, FindError, Header, LoadError, Loaded, Lock, LockError, Log, OpenError, Summary,
    copy::{self, Copied, Seed},
    file::{self, Growing},
    find, index, load,
    repository::Repositories,
    search::Query,
};
use std::{
    collections::HashMap,
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// Which sessions a listing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those whose cwd is this one.
    Here,
    /// Those of the same git repository; outside of one, those of this folder.
    Repository,
    All,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the session cannot be {verb}: {error}")]
    Io { verb: &'static str, error: io::Error },
    #[error("{0} is no session file of panto's")]
    NotASession(PathBuf),
    #[error("no session `{0}` in the trash: `panto sessions restore` lists what is there")]
    NotInTrash(String),
    #[error("{0} is there already: it is not written over")]
    InTheWay(PathBuf),
}

/// A repaired copy of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    pub path: PathBuf,
    /// What became of the lines.
    pub copied: Copied,
    /// Messages that a model gets when the copy is gone on with.
    pub messages: usize,
}

/// The sessions of a data folder. Cheap to clone; makes nothing until something is written.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    /// Sessions lie in the root itself, and not in a folder for each working directory.
    flat: bool,
    /// Where this process takes requests.
    socket: Option<PathBuf>,
}

impl Store {
    /// `data` is `Paths::data`.
    pub fn new(data: &Path) -> Store {
        let root = data.join("sessions");
        Store { root: std::path::absolute(&root).unwrap_or(root), flat: false, socket: None }
    }

    /// The sessions of one folder: those of children, beside their parent's file.
    pub fn folder(folder: &Path) -> Store {
        Store { root: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()), flat: true, socket: None }
    }

    /// Has the locks of its sessions say where this process takes requests (`Holder::socket`).
    pub fn serving_at(self, socket: Option<PathBuf>) -> Store {
        Store { socket, ..self }
    }

    pub(super) fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// Opens a session for writing, as `Log::open` does.
    pub fn open(&self, path: &Path) -> Result<(Log, Loaded), OpenError> {
        Log::open_at(path, self.socket())
    }

    /// The file of a session by its id or a unique beginning of it.
    pub fn find(&self, id: &str) -> Result<PathBuf, FindError> {
        match self.flat {
            true => find::by_id_in(std::slice::from_ref(&self.root), id),
            false => find::by_id(&self.root, id),
        }
    }

    /// The session of this folder with the latest activity (`-c`); the header's cwd decides.
    pub fn newest(&self, cwd: &Path) -> Option<PathBuf> {
        find::newest(&self.root, cwd)
    }

    /// A session with an assistant message, by its whole id; none for others: extensions cannot resume them (contract
    /// R75).
    pub fn resolve(&self, id: &str) -> Option<Summary> {
        let path = self.find(id).ok().filter(|path| super::load::id_of(path) == Some(id))?;
        index::one(&path).filter(|summary| summary.answered)
    }

    /// Sessions, latest activity first. With `query` those where each of its words occurs in the name, id, path, first
    /// prompt or what was said, whatever the case.
    pub fn list(&self, scope: Scope, cwd: &Path, query: Option<&str>) -> Result<Vec<Summary>, FindError> {
        let unreadable = |error| FindError::Io { path: self.root.clone(), error };
        let mut found = match self.flat {
            true => index::names(&self.root).iter().filter_map(|path| index::one(path)).collect(),
            false => index::list(&self.root).map_err(unreadable)?,
        };
        let mut circle = Circle::new(scope, cwd);
        found.retain(|summary| circle.holds(&summary.cwd));
        if let Some(query) = query.and_then(Query::new) {
            found = query.filter(found);
        }
        found.sort_by(|a, b| (b.updated, &b.path).cmp(&(a.updated, &a.path)));
        Ok(found)
    }

    /// Whether a path is that of a session here, or of a child of one.
    pub fn holds(&self, path: &Path) -> Result<(), StoreError> {
        let inside = || Some(path.canonicalize().ok()?.starts_with(self.root.canonicalize().ok()?));
        if is_session(path) && inside() == Some(true) { Ok(()) } else { Err(StoreError::NotASession(path.to_owned())) }
    }

    /// Names a session that isn't open; that is no activity. An empty name takes the name away.
    pub fn rename(&self, path: &Path, name: &str) -> Result<(), StoreError> {
        let active = fs::metadata(path).and_then(|m| m.modified());
        let (mut log, _) = self.open(path).map_err(|error| match error {
            OpenError::Locked(holder) => StoreError::Lock(LockError::Locked(holder)),
            OpenError::Load(error) => StoreError::Load(error),
        })?;
        let named = EntryKind::SessionInfo { name: Some(name.to_owned()), labels: None };
        drop(log.append(vec![Entry::new(named)], Durability::Synced));
        let failed = |error| StoreError::Io { verb: "renamed", error: io::Error::other(error) };
        log.close_blocking().map_err(failed)?;
        file::keep_time(path, active);
        Ok(())
    }

    /// Moves a session and its children to the trash folder; gives where it lies now. Refused while it is open.
    pub fn delete(&self, path: &Path) -> Result<PathBuf, StoreError> {
        if !is_session(path) {
            return Err(StoreError::NotASession(path.to_owned()));
        }
        let failed = |error| StoreError::Io { verb: "deleted", error };
        fs::metadata(path).map_err(failed)?;
        let _lock = Lock::acquire(path, self.socket())?;
        let folder = path.parent().unwrap_or(&self.root);
        let name = path.file_name().unwrap_or_default();
        // Below the sessions folder, so that it is never on another disk.
        let target = self.trash().join(folder.file_name().unwrap_or_default()).join(name);
        carry(path, &target).map_err(failed)?;
        Ok(target)
    }

    fn trash(&self) -> PathBuf {
        self.root.join(".trash")
    }

    /// What lies in the trash, the latest activity first.
    pub fn trashed(&self) -> Result<Vec<Summary>, FindError> {
        let unreadable = |error| FindError::Io { path: self.trash(), error };
        let folders = index::folders(&self.trash()).map_err(unreadable)?;
        let mut found: Vec<Summary> =
            folders.iter().flat_map(|f| index::names(f)).filter_map(|path| index::one(&path)).collect();
        found.sort_by(|a, b| (b.updated, &b.path).cmp(&(a.updated, &a.path)));
        Ok(found)
    }

    /// Brings a session and its children back from the trash, by id, beginning of an id, or path; gives where it lies.
    pub fn restore(&self, id: &str) -> Result<PathBuf, StoreError> {
        let failed = |error| StoreError::Io { verb: "restored", error };
        let trash = self.trash();
        let path = match Path::new(id).starts_with(&trash) && Path::new(id).is_file() {
            true => PathBuf::from(id),
            false => match find::by_id_in(&index::folders(&trash).map_err(failed)?, id) {
                Err(FindError::Unknown(id)) => return Err(StoreError::NotInTrash(id)),
                found => found.map_err(|error| failed(io::Error::other(error)))?,
            },
        };
        let target = self.root.join(path.strip_prefix(&trash).unwrap_or(&path));
        if target.try_exists().map_err(failed)? {
            return Err(StoreError::InTheWay(target));
        }
        carry(&path, &target).map_err(failed)?;
        Ok(target)
    }

    /// Writes a copy without the bad lines, as a session of its own beside the old one, which stays.
    pub fn repair(&self, path: &Path) -> Result<Repaired, StoreError> {
        let failed = |error| StoreError::Io { verb: "repaired", error };
        let old = load(path)?.header;
        let mut header = Header::new(&old.cwd, Some(old.id));
        header.extra = old.extra;
        let target = path.with_file_name(file_name(&header.id));
        let mut copied = Copied::default();
        let fill = |out: &mut fs::File| {
            let mut out = BufWriter::new(out);
            copy::header(&header, &mut out)?;
            copied = Seed::new(path, None)?.copy(&mut out)?;
            out.flush()
        };
        Growing::create(&target, fill).and_then(|mut file| file.sync(&target)).map_err(failed)?;
        let messages = load(&target)?.history().len();
        Ok(Repaired { path: target, copied, messages })
    }

    /// Binds a session to another folder, because its project was moved: from now on it belongs there. Its id and all
    /// lines but the first stay, and so does the time of its latest activity. Refused while it is open. Gives where it lies now.
    pub fn rebind(&self, path: &Path, cwd: &Path) -> Result<PathBuf, StoreError> {
        let failed = |error| StoreError::Io { verb: "moved", error };
        let _lock = Lock::acquire(path, self.socket())?;
        let active = fs::metadata(path).and_then(|m| m.modified());
        let mut header = load(path)?.header;
        header.cwd = PathBuf::from(find::canonical(cwd).to_string_lossy().into_owned());
        let folder = if self.flat { self.root.clone() } else { self.root.join(find::folder_name(&header.cwd)) };
        let target = folder.join(path.file_name().unwrap_or_default());
        let fill = |out: &mut fs::File| {
            copy::header(&header, out)?;
            copy::rest(path, out)
        };
        if target == path {
            file::replace(path, fill).map_err(failed)?;
            // The index must see a change, even if the two folders' names are of one length.
            file::keep_time(path, active.map(|at| at + Duration::from_micros(1)));
            return Ok(target);
        }
        Growing::create(&target, fill).and_then(|mut file| file.sync(&target)).map_err(failed)?;
        let children = path.with_extension("");
        if children.is_dir() {
            fs::rename(&children, target.with_extension("")).map_err(failed)?;
        }
        fs::remove_file(path).map_err(failed)?;
        file::keep_time(&target, active);
        Ok(target)
    }

    /// Where the file of a new session goes.
    pub(super) fn path_for(&self, header: &Header) -> PathBuf {
        self.place(header, file_name(&header.id))
    }

    /// Where the file of a session goes that began when its header says.
    pub(super) fn path_at(&self, header: &Header) -> PathBuf {
        let began = header.timestamp.parse().unwrap_or_else(|_| jiff::Timestamp::now());
        self.place(header, file_name_at(&header.id, began))
    }

    fn place(&self, header: &Header, name: String) -> PathBuf {
        match self.flat {
            true => self.root.join(name),
            false => self.root.join(find::folder_name(&header.cwd)).join(name),
        }
    }
}

/// Moves a session's file with those of its children.
fn carry(path: &Path, target: &Path) -> io::Result<()> {
    super::file::make_folder(target)?;
    fs::rename(path, target)?;
    let children = path.with_extension("");
    match children.is_dir() {
        true => fs::rename(&children, target.with_extension("")),
        false => Ok(()),
    }
}

/// `20261129T161500Z_<id>.jsonl`, with the time of now.
fn file_name(id: &str) -> String {
    file_name_at(id, jiff::Timestamp::now())
}

fn file_name_at(id: &str, at: jiff::Timestamp) -> String {
    format!("{}_{id}.jsonl", at.strftime("%Y%m%dT%H%M%SZ"))
}

/// The folders that a scope means.
struct Circle {
    scope: Scope,
    cwd: PathBuf,
    repositories: Repositories,
    known: HashMap<PathBuf, bool>,
}

impl Circle {
    fn new(scope: Scope, cwd: &Path) -> Circle {
        Circle { scope, cwd: find::canonical(cwd), repositories: Repositories::default(), known: HashMap::new() }
    }

    fn holds(&mut self, cwd: &Path) -> bool {
        if let Some(known) = self.known.get(cwd) {
            return *known;
        }
        let here = find::same_folder(cwd, &self.cwd);
        let holds = match self.scope {
            Scope::All => true,
            Scope::Here => here,
            Scope::Repository => {
                here || self.repositories.of(&self.cwd).is_some_and(|ours| self.repositories.of(cwd) == Some(ours))
            }
        };
        self.known.insert(cwd.to_owned(), holds);
        holds
    }
}

/// A plain file that is named as sessions are.
fn is_session(path: &Path) -> bool {
    let plain = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
    plain && path.extension().is_some_and(|e| e == "jsonl") && load::id_of(path).is_some()
}
