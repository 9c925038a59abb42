//! The program without a face: takes a `Command`, gives `Event`s and a `Snapshot` with a revision.
//!
//! The full-screen program, `panto -p`, the RPC mode and the socket server are faces on a `Link`. Names and shapes of
//! events and items are those of protocol.md, so that a remote session looks exactly like a local one.

mod command;
mod event;
mod extensions;
mod gate;
mod items;
mod link;
mod lists;
mod live;
mod member;
mod obey;
mod open;
mod program;
mod reload;
mod runtime;
mod scripted;
mod setup;
mod shared;
mod shell;
mod snapshot;
mod turns;

pub use command::{Answer, Command, OpenMode, Scope, SessionTarget};
pub use event::{Delta, DeltaKind, Event, Level, Notice};
pub use extensions::{CommandDecl, Decision, Diagnostic, Extensions, HookCall, ToolHook};
pub use link::{BackendError, Code, Link, Reply, Request};
pub use member::{ExtensionList, ExtensionState, ExtensionStatus, Reloaded};
pub use program::Program;
pub use scripted::{ProviderDecl, ScriptedEvent, offer_providers};
pub use setup::{Decide, Setup, StartSession, Trust, start};
pub use snapshot::{
    Approval, Asker, ContentPart, FilePreview, Item, ItemBody, ModelListing, Phase, Retry, Session, SessionSummary,
    ToolStatus, TrustQuestion,
};
