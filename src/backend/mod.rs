//! The program without a face: takes a `Command`, gives `Event`s and a `Snapshot` with a revision.
//!
//! The full-screen program, `panto -p`, the RPC mode and the socket server are faces on a `Link`. Names and shapes of
//! events and items are those of protocol.md, so that a remote session looks exactly like a local one.

mod aside;
mod branch;
mod branching;
mod carry;
mod changes;
mod child;
mod children;
mod command;
mod compaction;
mod crew;
mod event;
mod extensions;
mod faces;
mod finding;
mod gate;
mod handover;
mod history;
pub mod hooks;
mod hosting;
mod input;
mod items;
mod jobs;
mod keys;
mod left;
mod lifecycle;
mod link;
mod lists;
mod live;
mod lookup;
mod lost;
mod member;
mod mode;
mod noted;
mod obey;
mod open;
mod opening;
mod outputs;
mod pending;
mod program;
mod reload;
mod render;
mod rules;
mod runtime;
mod screen;
mod scripted;
mod scripting;
mod setup;
mod shared;
mod shell;
mod snapshot;
mod spent;
mod stop;
mod turns;
mod ui;
mod whole;

pub use crate::agent::{Entry, Limits};
pub use crate::config::Mode;
pub use crate::job::{CallMade, Job, JobEvent, Kind as JobKind, Settled, State as JobState, View as JobView, Wake};
pub use crate::provider::ToolChoice;
pub use crate::session::{Node, Outline, Point};
pub use child::{Child, ChildStore, ChildTranscript, Conversation, Kept, ModelChoice, Refused, Run};
pub use command::{Answer, BranchSummary, Command, OpenMode, Scope, SendAs, SessionTarget};
pub use event::{Delta, DeltaKind, Event, Level, Notice};
pub use extensions::{CommandDecl, Decision, Diagnostic, Extensions, HookCall, ToolHook, Wish};
pub use faces::Face;
pub use handover::{Handover, TakeOver};
pub use hosting::{ForkWanted, Hosting, OpenBeside};
pub use link::{BackendError, ChangedItems, Code, Link, Reply, Request};
pub use lists::listing as model_listing;
pub use member::{ExtensionList, ExtensionState, ExtensionStatus, Reloaded};
pub use program::{CallSite, Declared, NewAgent, NewAsk, Program, ProviderLine, System, ToolOrigin};
pub use screen::{
    Ask, AskItem, AskKind, Completion, KeyBinding, KeyDoes, PaneName, Place, RenderCall, Rendered, Response,
    StatusItem, ThemeDecl, Widget,
};
pub use scripted::{ProviderDecl, ScriptedEvent, offer_providers};
pub use setup::{Decide, Setup, StartSession, Trust, start};
pub use snapshot::{
    Approval, Asker, ContentPart, Excerpt, FilePreview, Item, ItemBody, KeyState, ModelListing, Phase, Retry, Session,
    SessionSummary, SymbolRow, ToolStatus, TrustQuestion,
};
