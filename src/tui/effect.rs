//! What an update wants done outside the state. The loop does it; answers come back as messages.

use super::app::editor::Draft;
use super::app::picker::Previewed;
use crate::backend::{Command, Point, SessionTarget};
use crate::config::Change;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub enum Effect {
    /// A command for the backend, and what its reply is for.
    Send(Command, Purpose),
    /// Into the clipboard.
    Copy(String),
    /// Into that of whoever sits at the terminal (OSC 52): the machine's own did not take it.
    CopyByTerminal(String),
    /// Pictures by their paths; what was pasted if they are none.
    ReadImages {
        paths: Vec<PathBuf>,
        pasted: String,
    },
    /// The picture in the clipboard.
    PasteImage,
    /// Into the prompt history.
    Remember(String),
    /// The settings, as the files, the environment and the flags give them now.
    ReadSettings,
    /// One key of the user's config.toml.
    ChangeSetting {
        key: String,
        change: Change,
    },
    /// The question of the first run was answered.
    Welcomed,
    /// Find out the git branch of a folder.
    ReadBranch(PathBuf),
    Mouse(bool),
    UseKeyboardProtocol,
    AskBackground,
    Redraw,
    Suspend,
    /// The whole transcript on the normal screen, until a key is pressed.
    Dump,
    /// The user's editor has the terminal.
    Edit(Errand),
    /// The exit code.
    Quit(i32),
}

/// A text for the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    pub text: String,
    pub of: EditOf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditOf {
    /// What is written comes back into the editor.
    Draft,
    /// To look at.
    Transcript,
}

/// What a reply is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// What was sent, so that a refusal loses nothing; `again`: it was tried the other way before.
    Prompt {
        draft: Draft,
        again: bool,
    },
    Steer {
        draft: Draft,
        again: bool,
    },
    /// A line (follow-up, shell, command) that goes back into the editor when it is refused.
    Line(Draft),
    /// A command of an extension. It ran: what went wrong in it does not bring the line back.
    Ran(Draft),
    /// Texts that return into the editor.
    Return,
    /// A queued text that is not to be said.
    Discarded,
    /// The rows of the session picker.
    Sessions,
    /// The sessions whose contents hold this query.
    Found(String),
    Preview(Previewed),
    /// A session was renamed or deleted: list again.
    Relist,
    /// The nodes of the tree.
    Tree,
    /// A label was given: look at the tree again.
    Labelled,
    /// The session stands elsewhere; a prompt that is to be edited goes into the editor.
    Branch(Point),
    /// The same, in a new session.
    Forked,
    /// The session goes on in a copy; the line that asked for it.
    Copied(Draft),
    Models,
    /// The same once the servers of this machine were asked.
    FoundModels,
    /// The servers of this machine, for the question of the first run.
    Servers,
    /// What the palette offers beside commands and actions.
    PaletteModels,
    PaletteSessions,
    /// What the setting `model` may be.
    ModelChoices,
    /// The rows of the login picker; `out`: of those that can be logged out.
    Logins {
        out: bool,
    },
    /// A key was sent for this provider.
    LoggedIn(String),
    LoggedOut,
    Files,
    /// What extensions let one mention.
    Mentions,
    /// Definitions in files.
    Symbols,
    /// Lines of the file of this row of a list.
    Peek(String),
    /// What may follow the name of an extension's command.
    Completions {
        name: String,
        prefix: String,
    },
    Tools,
    Extensions,
    /// A reload or a switch of extensions: the reply is a line to show.
    Told,
    /// The line that asked for it.
    Exported(Draft),
    /// A session of the picker, and the name that was typed; `tries`: how often a name that panto proposed was taken.
    ExportedRow {
        session: PathBuf,
        name: String,
        tries: Option<u32>,
    },
    /// The line that asked for it.
    Imported(Draft),
    /// A child is looked into.
    Watch(String),
    /// Agents of earlier runs, for the list of jobs.
    EarlierChildren,
    /// The children of the session at this path.
    Children(PathBuf),
    Open(SessionTarget),
    /// Only a refusal matters.
    Change,
}

pub type Effects = Vec<Effect>;

/// A command of which only a refusal matters.
pub fn change(command: Command) -> Effects {
    vec![Effect::Send(command, Purpose::Change)]
}
