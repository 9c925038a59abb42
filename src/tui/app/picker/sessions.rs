//! What the session picker knows beside its rows: scope, order, preview, and which sessions hold the query in their text.

use super::{Item, Pick};
use crate::backend::{FilePreview, Scope, SessionSummary};
use crate::tui::app::words;
use crate::util::time;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Activity,
    Created,
    Name,
    Size,
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Order::Activity => "last activity",
            Order::Created => "created",
            Order::Name => "name",
            Order::Size => "size",
        }
    }

    fn next(self) -> Order {
        match self {
            Order::Activity => Order::Created,
            Order::Created => Order::Name,
            Order::Name => Order::Size,
            Order::Size => Order::Activity,
        }
    }
}

#[derive(Debug)]
pub struct Sessions {
    pub scope: Scope,
    order: Order,
    rows: Vec<Arc<SessionSummary>>,
    /// Sessions whose contents hold the query.
    found: HashSet<PathBuf>,
    pub with_preview: bool,
    /// Of the session at this path.
    preview: Option<(PathBuf, FilePreview)>,
    /// Id of the session that is open here.
    here: Option<String>,
}

impl Sessions {
    pub fn new(scope: Scope, here: Option<String>) -> Sessions {
        Sessions {
            scope,
            order: Order::Activity,
            rows: vec![],
            found: HashSet::new(),
            with_preview: true,
            preview: None,
            here,
        }
    }

    pub fn title(&self) -> String {
        let scope = match self.scope {
            Scope::Here => "this folder",
            Scope::Repository => "this repository",
            Scope::All => "all",
        };
        format!("sessions · {scope} · by {}", self.order.name())
    }

    pub fn next_scope(&mut self) {
        self.scope = match self.scope {
            Scope::Here => Scope::Repository,
            Scope::Repository => Scope::All,
            Scope::All => Scope::Here,
        };
    }

    pub fn next_order(&mut self) {
        self.order = self.order.next();
    }

    pub fn set_rows(&mut self, rows: Vec<SessionSummary>) {
        self.rows = rows.into_iter().map(Arc::new).collect();
    }

    pub fn set_found(&mut self, rows: &[SessionSummary]) {
        self.found = rows.iter().map(|row| row.path.clone()).collect();
    }

    pub fn holds(&self, path: &Path) -> bool {
        self.found.contains(path)
    }

    pub fn set_preview(&mut self, path: PathBuf, preview: FilePreview) {
        self.preview = Some((path, preview));
    }

    pub fn preview_of(&self, path: &Path) -> Option<&FilePreview> {
        self.preview.as_ref().filter(|(p, _)| p == path).map(|(_, preview)| preview)
    }

    /// The rows in the chosen order.
    pub fn items(&mut self) -> Vec<Item<Pick>> {
        match self.order {
            Order::Activity => self.rows.sort_by_key(|s| std::cmp::Reverse(s.updated)),
            Order::Created => self.rows.sort_by_key(|s| std::cmp::Reverse(s.created)),
            Order::Name => self.rows.sort_by_key(|s| (s.name.is_none(), label(s).to_lowercase())),
            Order::Size => self.rows.sort_by_key(|s| std::cmp::Reverse(s.size)),
        }
        self.rows.iter().map(|s| self.item(s)).collect()
    }

    fn item(&self, session: &Arc<SessionSummary>) -> Item<Pick> {
        let mut item = Item::new(Pick::Session(session.clone()), label(session), self.detail(session));
        item.also = vec![session.id.clone(), session.path.display().to_string(), session.cwd.display().to_string()];
        item.also.extend(session.first_prompt.as_deref().map(words::one_line));
        item
    }

    fn detail(&self, s: &SessionSummary) -> String {
        let mut parts = self.state(s);
        parts.extend([time::age(s.updated), counted(s.messages, "message"), size(s.size)]);
        parts.extend(s.model.as_deref().map(|m| m.split_once(':').map_or(m, |(_, model)| model).to_owned()));
        if self.scope != Scope::Here {
            parts.push(s.cwd.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default());
        }
        parts.join(" · ")
    }

    /// What is to be known before it is opened.
    fn state(&self, s: &SessionSummary) -> Vec<String> {
        let mut state = vec![];
        match s.locked_by {
            _ if self.here.as_deref() == Some(&s.id) => state.push("open here".into()),
            Some(pid) => state.push(format!("open elsewhere (pid {pid})")),
            None => {}
        }
        state.extend(s.damage.as_ref().map(|damage| format!("damaged: {damage}")));
        state.extend((!s.answered).then(|| "no answer yet".into()));
        state
    }
}

/// The name, else the first prompt.
fn label(s: &SessionSummary) -> String {
    let title = s.name.as_deref().or(s.first_prompt.as_deref()).map(words::one_line);
    title.filter(|t| !t.is_empty()).unwrap_or_else(|| "(no prompt)".into())
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes / 1024),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
