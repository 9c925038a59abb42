//! Sessions on disk: one append-only JSONL file a conversation, a lock beside it, and a listing of them all.
//!
//! `entry` is a line of the file, `load` turns a file (however damaged) into the active branch, `repair` makes a history
//! that every provider accepts, `Log` is the open file with its owner thread, `Store` knows where sessions lie, lists,
//! finds, renames and deletes them, `export` writes them for people. Used by `backend` and `cli`. All of `Store`, `load`
//! and `export` is plain blocking I/O: call it off the runtime's threads. Nothing is ever re-serialised: a fork or a
//! repaired copy carries the raw lines, so what this version does not know survives byte for byte.

mod branch;
mod copy;
pub mod entry;
pub mod export;
mod file;
mod find;
mod holder;
pub mod import;
mod index;
mod lines;
mod load;
mod lock;
mod log;
mod parallel;
pub mod pictures;
mod plain;
mod preview;
mod receipt;
pub mod repair;
mod repository;
mod search;
mod shell;
mod store;
mod summary;
mod tree;
mod writer;

pub use copy::Copied;
pub use entry::{Entry, EntryKind, Header, Labels};
pub use export::Format;
pub use find::{FindError, header};
pub use holder::Holder;
pub use index::one as summary;
pub(crate) use load::id_of;
pub use load::{LoadError, Loaded, branch_message, load, load_up_to, numbered, summary_message, usage_of};
pub use lock::{Lock, LockError, holder};
pub use log::{CloseError, Log, OpenError, link};
pub use plain::plain;
pub use preview::preview;
pub use receipt::{Ack, Durability, Receipt, Status};
pub use search::Query;
pub use shell::ShellLine;
pub use store::{Repaired, Scope, Store, StoreError};
pub use summary::Summary;
pub use tree::{Node, Outline, Point, Tree, Way};
