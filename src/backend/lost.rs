//! A session whose lock was lost: another process may have it, and nothing of it is written here any more.
//!
//! Whatever looks, stops or leads away goes on; all else is refused with one reason, before it does anything. That
//! includes what could write later: commands and keys of extensions, and loading their code.

use super::Command;
use std::path::Path;

impl Command {
    /// Whether it is refused once the lock is lost. `own` is the session's file.
    pub fn needs_lock(&self, own: Option<&Path>) -> bool {
        match self {
            Command::Prompt { .. }
            | Command::Steer { .. }
            | Command::FollowUp { .. }
            | Command::Send { .. }
            | Command::SetModel { .. }
            | Command::SetThinking { .. }
            | Command::Rename { .. }
            | Command::Shell { .. }
            | Command::RunCommand { .. }
            | Command::Press { .. }
            | Command::Fork { .. }
            | Command::ForkByScript { .. }
            | Command::ForkAt { .. }
            | Command::ForkSource { .. }
            | Command::Trace { .. }
            | Command::Branch { .. }
            | Command::Label { .. }
            | Command::Compact { .. }
            | Command::AppendCustom { .. }
            | Command::ActiveTools { set: Some(_) }
            | Command::MessageJob { .. }
            | Command::TellChild { .. }
            | Command::Reload { .. }
            | Command::EnableExtension { .. }
            | Command::Idle => true,
            Command::RenameSession { path, .. } | Command::DeleteSession { path } => own == Some(path),
            Command::TakeBack { .. }
            | Command::SetMode { .. }
            | Command::Abort
            | Command::CancelTools { .. }
            | Command::BackgroundTools { .. }
            | Command::StopJob { .. }
            | Command::StopAllJobs
            | Command::Approve { .. }
            | Command::Answer { .. }
            | Command::Trust { .. }
            | Command::New
            | Command::Open { .. }
            | Command::Reclaim { .. }
            | Command::Release { .. }
            | Command::Retire
            | Command::Shutdown => false,
            Command::Complete { .. }
            | Command::ListMentions
            | Command::Tree
            | Command::ListSessions { .. }
            | Command::PreviewSession { .. }
            | Command::SearchSessions { .. }
            | Command::ListChildren { .. }
            | Command::WatchChild { .. }
            | Command::UnwatchChild { .. }
            | Command::ListModels
            | Command::FindModels
            | Command::ListKeys
            | Command::Login { .. }
            | Command::Logout { .. }
            | Command::ListFiles
            | Command::PeekFile { .. }
            | Command::ListSymbols
            | Command::ListTools
            | Command::ListExtensions
            | Command::ListPaths { .. }
            | Command::Export { .. }
            | Command::Import { .. }
            | Command::Entries
            | Command::State
            | Command::Snapshot
            | Command::Changes { .. }
            | Command::ReadItem { .. }
            | Command::Finished
            | Command::Join(_)
            | Command::Refresh(_)
            | Command::ActiveTools { set: None } => false,
        }
    }
}
