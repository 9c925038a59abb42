//! Everything a person (or a client) can do to a session.

use super::{Face, Response, SessionSummary};
use crate::config::Mode;
use crate::conversation::{Part, Thinking};
use crate::session::Point;
use crate::util::secret::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};

/// Which sessions a listing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Those whose cwd is this one.
    Here,
    /// Those of the same git repository.
    Repository,
    All,
}

impl From<Scope> for crate::session::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Here => crate::session::Scope::Here,
            Scope::Repository => crate::session::Scope::Repository,
            Scope::All => crate::session::Scope::All,
        }
    }
}

/// A session by id (whole or a unique beginning), or by file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionTarget {
    Id(String),
    Path(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenMode {
    /// For writing; `session_locked` when another process has it.
    Write,
    ReadOnly,
    /// For writing; whoever else has it lets go of it first.
    TakeOver,
    /// A new session with its history.
    Fork,
}

/// How what is left behind is summed up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchSummary {
    /// What matters most in it.
    pub focus: Option<String>,
}

/// The answer to an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Once,
    /// Always, for this session.
    Session,
    /// Always, for this project.
    Project,
    No,
    NoAndInterrupt,
}

/// What a script's text becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendAs {
    /// Needs phase idle, else `busy`.
    Prompt,
    /// With nothing under way these two are prompts.
    Steer,
    FollowUp,
    /// It begins a turn as soon as nothing is under way, beside the user's queue; the next turn takes it in any case.
    /// The reply comes when a turn has it.
    WhenIdle,
    /// The next turn takes it, whoever begins that. The reply comes then.
    WithNext,
}

/// A wish. What it gives back is said beside it; where nothing is said it is `Reply::Done`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Starts a turn; needs phase idle, else `busy`. Replies when the turn has *started*.
    Prompt {
        text: String,
        images: Vec<Part>,
    },
    /// Reaches the model after the running tools, before its next request; needs a turn or a compaction.
    Steer {
        text: String,
    },
    /// A turn of its own after this one.
    FollowUp {
        text: String,
    },
    /// Takes queued follow-ups (else steering) back, or one queued text: `Reply::Returned`, empty when it is queued no
    /// more.
    TakeBack {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Ends the turn. `Reply::Returned` with the queued texts.
    Abort,
    /// Cancels one running call, or all of them and a compaction; the turn goes on.
    CancelTools {
        /// The model's id of the call, also a child's, or the id of its item, which no other call has.
        call_id: Option<String>,
    },
    /// Lets one call of the turn that runs, or all of them, go on in the background: the turn goes on, each is a job, and its
    /// result comes as a follow-up.
    BackgroundTools {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
    },
    SetModel {
        model: String,
    },
    SetThinking {
        level: Thinking,
    },
    /// What runs without asking; counts for the next call, also during a turn.
    SetMode {
        mode: Mode,
    },
    Rename {
        name: String,
    },
    /// Runs a shell line of the user's. With `to_model` the command and its output go to the model with the next prompt.
    Shell {
        line: String,
        to_model: bool,
    },
    /// Runs a command that an extension registered, by name without the slash.
    RunCommand {
        name: String,
        args: String,
    },
    /// Answers an approval. `no_and_interrupt` also stops who asks: the agent, or the turn; `Reply::Returned` then, if
    /// texts were queued for that.
    Approve {
        approval_id: String,
        answer: Answer,
    },
    /// Answers a question of an extension.
    Answer {
        ask_id: String,
        response: Response,
    },
    /// What may follow the name of an extension's command: `Reply::Completions`.
    Complete {
        name: String,
        prefix: String,
    },
    /// What extensions let one mention behind an `@`: `Reply::Completions`.
    ListMentions,
    /// Calls the function of a key that an extension binds.
    Press {
        function: i64,
    },
    /// Answers the trust question of this folder.
    Trust {
        trust: bool,
    },
    /// A fresh session in the same folder. The old one is closed. Sends `Event::SessionOpened`.
    New,
    /// Opens another session instead of this one. Sends `Event::SessionOpened`.
    Open {
        target: SessionTarget,
        mode: OpenMode,
    },
    /// A new session with this one's history. Sends `Event::SessionOpened`.
    Fork {
        entry_id: Option<String>,
    },
    /// A script's fork: in the place of this session, as `Fork`, or beside it where a server has this one. `Reply::Text` with its id.
    ForkByScript {
        entry_id: Option<String>,
        name: Option<String>,
    },
    /// A new session with what leads to a point of this one. Sends `Event::SessionOpened`. `Reply::Branched`.
    ForkAt {
        to: Point,
    },
    /// Goes to another point of this session: what is said next follows there. Needs phase idle; `not_found` where there
    /// is no such entry. With `summary` the model sums up what is left behind first (phase `branch_summary`, `Abort` stops
    /// it and nothing has changed), if there is anything. Sends `Event::SessionBranched`. `Reply::Branched`, when it is done.
    Branch {
        to: Point,
        summary: Option<BranchSummary>,
    },
    /// All branches of this session: `Reply::Tree`.
    Tree,
    /// Where a fork from a point would end, with nothing under way: `Reply::Traced`; else `busy`.
    Trace {
        to: Point,
    },
    /// Names an entry of this session; an empty label takes the name away.
    Label {
        entry_id: String,
        label: String,
    },
    /// Ends a job and those that it has started.
    StopJob {
        job_id: String,
    },
    /// Ends all jobs, those in the background as well. The turn goes on.
    StopAllJobs,
    /// Says something to a running agent: it reaches its model with the next request. `not_found` when it is over.
    MessageJob {
        job_id: String,
        text: String,
    },
    /// Begins to tell the face of what happens in a child, by the id of the child's session; everything first, as
    /// `Event::ChildOpened`. `face`: who wants it, the session's first face where nothing is said.
    WatchChild {
        child_id: String,
        #[serde(skip)]
        face: Option<Face>,
    },
    /// No more of it.
    UnwatchChild {
        child_id: String,
        #[serde(skip)]
        face: Option<Face>,
    },
    /// Says something to a child: it reaches the model with its next request; a child that has ended is resumed with it.
    TellChild {
        child_id: String,
        text: String,
    },
    /// `Reply::Sessions`, newest activity first. `query` matches name, id, path and contents.
    ListSessions {
        scope: Scope,
        query: Option<String>,
    },
    /// The last exchange of a session, and where it says the first word of `query` that it says: `Reply::Preview`.
    PreviewSession {
        path: PathBuf,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    RenameSession {
        path: PathBuf,
        name: String,
    },
    /// Moves the file to the trash folder.
    DeleteSession {
        path: PathBuf,
    },
    /// `Reply::Models`.
    ListModels,
    /// Asks the servers of this machine for their models first, which takes moments: `Reply::Models`. A server that does not
    /// run is a row without a model.
    FindModels,
    /// `Reply::Keys`: whose keys are there.
    ListKeys,
    /// Checks a key with its server and keeps it: `Reply::Text`.
    Login {
        provider: String,
        key: Secret,
    },
    /// Forgets a kept key: `Reply::Text`.
    Logout {
        provider: String,
    },
    /// Files below the cwd, ignore-aware, relative: `Reply::Files`.
    ListFiles,
    /// Lines of a file below the cwd, around one (from 1) or from the first: `Reply::Excerpt`.
    PeekFile {
        path: PathBuf,
        line: Option<u32>,
    },
    /// Definitions in the files below the cwd: `Reply::Symbols`.
    ListSymbols,
    /// All tools with where they come from: `Reply::Tools`.
    ListTools,
    /// Extensions with their state: `Reply::Extensions`.
    ListExtensions,
    /// Runs the code of one extension anew, or of all: what fails leaves its old code in place. `Reply::Text` says in a
    /// line what was done; an error that one extension made is told as a notice.
    Reload {
        name: Option<String>,
    },
    /// Switches an extension on or off, from now on and in later runs. `Reply::Text`.
    EnableExtension {
        name: String,
        on: bool,
    },
    /// Writes a transcript to a file (Markdown by default, by the ending .md .html .jsonl): `Reply::Text` with the path.
    Export {
        path: Option<PathBuf>,
        /// The file of another session than the one that is open.
        session: Option<PathBuf>,
    },
    /// Makes a session of a file, or of each in a folder, that another program wrote; with `again` also of what was
    /// imported before. `Reply::Text` says what has come, a line for each thing worth knowing.
    Import {
        path: PathBuf,
        again: bool,
    },
    /// Which of these sessions hold each word of the query in what is shown of them or was said: `Reply::Found`. A face
    /// asks for a few at a time, so that a search over many streams and ends when nobody wants it any more.
    SearchSessions {
        query: String,
        among: Vec<Arc<SessionSummary>>,
    },
    /// The sessions of agents that a session started: `Reply::Sessions`, the oldest first.
    ListChildren {
        /// Its file; none: the open session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
    },
    /// Paths that begin so, `~` and folders with their slash: `Reply::Completions`.
    ListPaths {
        prefix: String,
    },
    /// Puts a summary in the place of what came before the recent messages; `focus` says what matters in it. Needs phase
    /// idle. `Reply::Text` with what was done, when it is done.
    Compact {
        focus: Option<String>,
    },
    /// A text of a script's. `session_id`: the session that it is for, `not_found` where another is open; a client names
    /// its session in any case.
    Send {
        text: String,
        how: SendAs,
        #[serde(skip)]
        session_id: Option<String>,
    },
    /// Keeps state of an extension in the session: `Reply::Text` with the id of the entry.
    AppendCustom {
        name: String,
        data: Value,
    },
    /// The entries of the active branch: `Reply::Entries`.
    Entries,
    /// The session as it is now, without the transcript: `Reply::State`.
    State,
    /// The session as it is now, whole: `Reply::State`.
    Snapshot,
    /// What has changed since a revision: `Reply::Changes`. `invalid_request` when the epoch is over or the revision too
    /// long ago.
    Changes {
        epoch: u64,
        revision: u64,
    },
    /// An item with all that a call has put out, as far as it was kept: `Reply::Item`.
    ReadItem {
        item_id: String,
    },
    /// Answers when the turn (compaction, summary) that runs is over; at once when none does.
    Finished,
    /// Another face begins to look: it is told everything first. What it does not take is dropped with it.
    #[serde(skip)]
    Join(Face),
    /// Tells a face everything once more, at its place among what it hears.
    #[serde(skip)]
    Refresh(Face),
    /// `Reply::State` without the transcript, when all that was said is in the file; `busy` if something is under way,
    /// `invalid_request` if there is no file yet.
    Idle,
    /// Another process takes the session over: stops the turn, writes, lets go of the file; it is read-only from then
    /// on. `by` names who, for the people who look.
    Release {
        by: String,
    },
    /// What a copy of this session is made of: `Reply::ForkSource`, or `busy`.
    ForkSource {
        entry_id: Option<String>,
    },
    /// A session that is shown read-only is opened for writing, in its own place: `session_locked` when another process
    /// has it, unless that is asked to let go of it. Nothing is done where it is open for writing already.
    Reclaim {
        take_over: bool,
    },
    /// Closes the session if nothing is under way, else `busy`.
    Retire,
    /// The tools that the session's turns are offered: `Reply::Names`. With `set` no others, from the next turn on.
    ActiveTools {
        set: Option<Vec<String>>,
    },
    /// Stops turns, flushes, closes. The last command; its error says what could not be saved.
    Shutdown,
}
