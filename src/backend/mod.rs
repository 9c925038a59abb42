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
mod obey;
mod open;
mod program;
mod render;
mod runtime;
mod screen;
mod setup;
mod shared;
mod shell;
mod snapshot;
mod turns;
mod ui;

pub use command::{Answer, Command, OpenMode, Scope, SessionTarget};
pub use event::{Delta, DeltaKind, Event, Level, Notice};
pub use extensions::{CommandDecl, Decision, Diagnostic, Extensions, HookCall, ToolHook};
pub use link::{BackendError, Code, Link, Reply, Request};
pub use program::{NewAsk, Program};
pub use screen::{
    Ask, AskItem, AskKind, Completion, KeyBinding, KeyDoes, PaneName, Place, RenderCall, Rendered, Response,
    StatusItem, ThemeDecl, Widget,
};
pub use setup::{Decide, Setup, StartSession, Trust, start};
pub use snapshot::{
    Approval, Asker, ContentPart, FilePreview, Item, ItemBody, ModelListing, Phase, Retry, Session, SessionSummary,
    ToolStatus, TrustQuestion,
};
