//! The one picker: a query, rows that it filters, and what is picked. What the rows are is the `Kind`.

mod extensions;
mod list;
mod search;
mod sessions;
mod settings;
mod tree;

pub use extensions::{details, item};
pub use list::{Hit, Item, List};
pub use sessions::{Order, Previewed, Sessions, facts, title_of};
pub use settings::{setting_details, setting_item};
pub use tree::{Stop, Tree, View};

use super::line::Line;
use crate::backend::{ExtensionState, JobView, ModelListing, SessionSummary};
use crate::config::{self, SettingRow};
use crate::conversation::Thinking;
use crate::tui::action::Action;
use crate::tui::keymap::Does;
use std::sync::Arc;

/// What a row stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Pick {
    Session(Arc<SessionSummary>),
    /// `provider:model`.
    Model(String),
    /// A key is asked for, of this provider.
    Login(String),
    /// The kept key of this provider is forgotten.
    Logout(String),
    Thinking(Thinking),
    /// What runs without asking.
    Mode(config::Mode),
    Extension(Arc<ExtensionState>),
    /// A theme's name, or `auto`.
    Theme(String),
    Action(Action),
    /// A slash command, without the slash.
    Command(String),
    Prompt(String),
    /// A text that waits.
    Queued(String),
    /// A point of the session.
    Entry(Stop),
    /// What a key of an extension does.
    Key(Does),
    Job(Arc<JobView>),
    /// An agent of an earlier run.
    Child {
        id: String,
        name: String,
    },
    /// `provider:model`, for this session and for later ones.
    DefaultModel(String),
    Setting(Arc<SettingRow>),
    /// A setting by its key, on the settings page.
    SettingOf(String),
    /// A value of a setting, as one types it.
    Value(String),
    /// Only to be read.
    Fact,
}

/// What is picked from.
#[derive(Debug)]
pub enum Kind {
    Sessions(Box<Sessions>),
    Models,
    /// Providers, to log in or `out`.
    Logins {
        out: bool,
    },
    Thinking,
    Modes,
    /// With the choice to go back to: themes are tried on while one moves through them.
    Themes {
        before: String,
    },
    Palette(Box<Offered>),
    Keys,
    Prompts,
    Jobs,
    Queue,
    Tree(Tree),
    Tools,
    /// The settings. `at`: the one to be marked when they come.
    Settings {
        at: Option<String>,
    },
    /// What a setting may be; then it goes back to the settings that this query had found.
    Choices {
        setting: Arc<SettingRow>,
        query: String,
    },
    Extensions {
        /// Bytes of the whole Lua state.
        memory: u64,
    },
}

/// What the palette has been told beside what is known at once.
#[derive(Debug, Default)]
pub struct Offered {
    pub models: Vec<ModelListing>,
    pub sessions: Vec<Arc<SessionSummary>>,
    pub settings: Vec<SettingRow>,
}

/// What the keys do in the picker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    Filter,
    /// A new name for the selected session.
    Rename(Line),
    /// The file that the selected session is written to; its ending says as what.
    Export(Line),
    /// A value of the selected setting.
    Value(Line),
    /// "Delete it?": Enter or y does, everything else doesn't.
    Delete,
}

#[derive(Debug)]
pub struct Picker {
    pub kind: Kind,
    pub list: List<Pick>,
    pub query: Line,
    pub mode: Mode,
    /// The rows are still on their way.
    pub loading: bool,
}

impl Picker {
    pub fn new(kind: Kind, items: Vec<Item<Pick>>) -> Picker {
        Picker { kind, list: List::new(items), query: Line::default(), mode: Mode::Filter, loading: false }
    }

    /// A picker whose rows are still to come.
    pub fn loading(kind: Kind) -> Picker {
        Picker { loading: true, ..Picker::new(kind, vec![]) }
    }

    pub fn title(&self) -> String {
        match &self.kind {
            Kind::Sessions(sessions) => sessions.title(self.list.len()),
            Kind::Models => "models".into(),
            Kind::Logins { out: false } => "whose API key?".into(),
            Kind::Logins { out: true } => "forget whose API key?".into(),
            Kind::Thinking => "thinking".into(),
            Kind::Modes => "mode".into(),
            Kind::Themes { .. } => "themes".into(),
            Kind::Palette(_) => "commands".into(),
            Kind::Keys => "keys".into(),
            Kind::Prompts => "prompt history".into(),
            Kind::Jobs => "jobs".into(),
            Kind::Queue => "queued".into(),
            Kind::Tree(tree) => tree.title(),
            Kind::Tools => "tools".into(),
            Kind::Settings { .. } => "settings".into(),
            Kind::Choices { setting, .. } => setting.key.clone(),
            Kind::Extensions { memory: 0 } => "extensions".into(),
            Kind::Extensions { memory } => format!("extensions · {} in all", extensions::size(*memory)),
        }
    }

    /// Rows have come (or come anew); the query and the selection stay. In the place of a row that has gone the next one
    /// is marked.
    pub fn fill(&mut self, items: Vec<Item<Pick>>) {
        let before = (self.list.selected_pick().cloned(), self.list.selected());
        self.list = List::new(items);
        self.loading = false;
        self.filter_around(before);
    }

    /// More rows match than before; the selection stays.
    pub fn refilter(&mut self) {
        let before = (self.list.selected_pick().cloned(), self.list.selected());
        self.filter_around(before);
    }

    fn filter_around(&mut self, (before, row): (Option<Pick>, usize)) {
        self.filter();
        if let Some(before) = before {
            self.list.select(row);
            self.list.select_where(|pick| same(pick, &before));
        }
    }

    pub fn filter(&mut self) {
        match &self.kind {
            Kind::Sessions(s) if s.has_found() => {
                self.list
                    .filter_with(self.query.text(), |pick| matches!(pick, Pick::Session(row) if s.holds(&row.path)));
            }
            Kind::Tree(tree) => {
                let before = self.stop().map(|stop| stop.at);
                let query = self.query.text();
                self.list = tree.list(query);
                let row = before.map(|at| match query.trim().is_empty() {
                    true => tree.row_near(&self.list, at),
                    false => tree.row_nearest(&self.list, at),
                });
                row.into_iter().for_each(|row| self.list.select(row));
            }
            _ => self.list.filter(self.query.text()),
        }
    }

    /// The sessions of the rows that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &Arc<SessionSummary>> {
        self.list.rows().filter_map(|(item, _)| match &item.pick {
            Pick::Session(session) => Some(session),
            _ => None,
        })
    }

    pub fn session(&self) -> Option<&Arc<SessionSummary>> {
        match self.list.selected_pick() {
            Some(Pick::Session(session)) => Some(session),
            _ => None,
        }
    }

    pub fn extension(&self) -> Option<&Arc<ExtensionState>> {
        match self.list.selected_pick() {
            Some(Pick::Extension(extension)) => Some(extension),
            _ => None,
        }
    }

    pub fn setting(&self) -> Option<&Arc<SettingRow>> {
        match (&self.kind, self.list.selected_pick()) {
            (Kind::Choices { setting, .. }, _) => Some(setting),
            (_, Some(Pick::Setting(setting))) => Some(setting),
            _ => None,
        }
    }

    pub fn stop(&self) -> Option<&Stop> {
        match self.list.selected_pick() {
            Some(Pick::Entry(stop)) => Some(stop),
            _ => None,
        }
    }

    pub fn tree(&self) -> Option<&Tree> {
        if let Kind::Tree(tree) = &self.kind { Some(tree) } else { None }
    }

    pub fn tree_mut(&mut self) -> Option<&mut Tree> {
        if let Kind::Tree(tree) = &mut self.kind { Some(tree) } else { None }
    }

    pub fn sessions(&self) -> Option<&Sessions> {
        if let Kind::Sessions(sessions) = &self.kind { Some(sessions) } else { None }
    }

    pub fn sessions_mut(&mut self) -> Option<&mut Sessions> {
        if let Kind::Sessions(sessions) = &mut self.kind { Some(sessions) } else { None }
    }
}

/// The same thing, although its row may say something else by now.
fn same(a: &Pick, b: &Pick) -> bool {
    match (a, b) {
        (Pick::Session(a), Pick::Session(b)) => a.path == b.path,
        (Pick::Extension(a), Pick::Extension(b)) => a.name == b.name,
        (Pick::Job(a), Pick::Job(b)) => a.id == b.id,
        (Pick::Setting(a), Pick::Setting(b)) => a.key == b.key,
        _ => a == b,
    }
}
