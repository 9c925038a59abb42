//! What the session picker knows beside its rows: scope, order, preview, and which sessions hold the query in their text.

use super::{Item, Pick, search::Search};
use crate::backend::{FilePreview, Scope, SessionSummary};
use crate::tui::app::words;
use crate::tui::theme::Role;
use crate::util::time;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Children of children … that are shown.
const DEEPEST: usize = 5;

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

/// What a session is called: its name, else its first prompt, else its id.
pub fn title_of(session: &SessionSummary) -> &str {
    session.name.as_deref().or(session.first_prompt.as_deref()).unwrap_or(&session.id)
}

/// What a preview was asked for: a session, and the query where it was found by what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Previewed {
    pub path: PathBuf,
    pub query: Option<String>,
}

#[derive(Debug)]
pub struct Sessions {
    pub scope: Scope,
    order: Order,
    rows: Vec<Arc<SessionSummary>>,
    /// Children of those that are unfolded.
    children: HashMap<PathBuf, Vec<Arc<SessionSummary>>>,
    search: Search,
    pub with_preview: bool,
    preview: Option<(Previewed, FilePreview)>,
    /// Id of the session that is open here.
    here: Option<String>,
}

impl Sessions {
    pub fn new(scope: Scope, here: Option<String>) -> Sessions {
        Sessions {
            scope,
            order: Order::Activity,
            rows: vec![],
            children: HashMap::new(),
            search: Search::default(),
            with_preview: true,
            preview: None,
            here,
        }
    }

    /// `shown`: how many rows there are to see.
    pub fn title(&self, shown: usize) -> String {
        let scope = match self.scope {
            Scope::Here => "this folder",
            Scope::Repository => "this repository",
            Scope::All => "all",
        };
        let mut title = format!("sessions · {scope} · by {}", self.order.name());
        match shown >= self.rows.len() {
            true => title.push_str(&format!(" · {shown}")),
            false => title.push_str(&format!(" · {shown} of {}", self.rows.len())),
        }
        match self.search.rest() {
            0 => {}
            rest => title.push_str(&format!(" · {rest} still to search")),
        }
        title
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
        self.children.clear();
        self.end_search();
    }

    /// Shows the children of a session below it, or folds them again: whether they are wanted.
    pub fn unfold(&mut self, path: &Path) -> bool {
        self.children.remove(path).is_none()
    }

    pub fn set_children(&mut self, path: PathBuf, rows: Vec<SessionSummary>) {
        self.children.insert(path, rows.into_iter().map(Arc::new).collect());
    }

    pub fn search(&mut self) -> &mut Search {
        &mut self.search
    }

    /// A search of what was said begins: in the sessions that `seen` doesn't show already, in the order shown.
    pub fn begin_search(&mut self, seen: impl Fn(&Arc<SessionSummary>) -> bool) {
        self.search = Search::over(self.rows.iter().filter(|row| !seen(row)).cloned().collect());
    }

    /// What was found is forgotten.
    pub fn end_search(&mut self) {
        self.search = Search::default();
    }

    pub fn has_found(&self) -> bool {
        self.search.has_found()
    }

    pub fn holds(&self, path: &Path) -> bool {
        self.search.holds(path)
    }

    pub fn set_preview(&mut self, of: Previewed, preview: FilePreview) {
        self.preview = Some((of, preview));
    }

    pub fn preview_of(&self, path: &Path) -> Option<&FilePreview> {
        self.preview.as_ref().filter(|(of, _)| of.path == path).map(|(_, preview)| preview)
    }

    /// Whether exactly this is known.
    pub fn has_preview(&self, of: &Previewed) -> bool {
        self.preview.as_ref().is_some_and(|(known, _)| known == of)
    }

    /// The rows in the chosen order.
    pub fn items(&mut self) -> Vec<Item<Pick>> {
        match self.order {
            Order::Activity => self.rows.sort_by_key(|s| std::cmp::Reverse(s.updated)),
            Order::Created => self.rows.sort_by_key(|s| std::cmp::Reverse(s.created)),
            Order::Name => self.rows.sort_by_cached_key(|s| (s.name.is_none(), label(s).to_lowercase())),
            Order::Size => self.rows.sort_by_key(|s| std::cmp::Reverse(s.size)),
        }
        let mut items = Vec::with_capacity(self.rows.len());
        self.rows.iter().for_each(|s| self.put(s, 0, &mut items));
        items
    }

    /// A session, and below it its children if they are unfolded.
    fn put(&self, session: &Arc<SessionSummary>, depth: usize, items: &mut Vec<Item<Pick>>) {
        let branch = match depth {
            0 => String::new(),
            n => format!("{}└ ", "  ".repeat(n - 1)),
        };
        let label = format!("{branch}{}", label(session));
        let mut item = Item::new(Pick::Session(session.clone()), label, self.detail(session));
        if session.damage.is_some() || session.locked_by.is_some() && self.here.as_deref() != Some(&session.id) {
            item.tone = Role::Warning;
        }
        item.also_found_by(&session.id);
        item.also_found_by(&session.path.to_string_lossy());
        item.also_found_by(&session.cwd.to_string_lossy());
        if let Some(prompt) = &session.first_prompt {
            item.also_found_by(&words::one_line(prompt));
        }
        items.push(item);
        let children = self.children.get(&session.path).filter(|_| depth < DEEPEST);
        children.into_iter().flatten().for_each(|child| self.put(child, depth + 1, items));
    }

    /// Whether it was started by an agent of another session.
    pub fn is_child(&self, path: &Path) -> bool {
        self.children.values().flatten().any(|child| child.path == path)
    }

    fn detail(&self, s: &SessionSummary) -> String {
        let mut parts = self.state(s);
        parts.extend([time::age(s.updated), counted(s.messages, "message"), size(s.size)]);
        parts.extend(s.model.as_deref().map(|m| m.split_once(':').map_or(m, |(_, model)| model).to_owned()));
        parts.extend(s.branch.as_deref().map(words::one_line));
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
            Some(0) => state.push("open elsewhere".into()),
            Some(pid) => state.push(format!("open elsewhere (pid {pid})")),
            // One process holds several only as a server.
            None if s.held_here => state.push("open in the server".into()),
            None => {}
        }
        state.extend(s.damage.as_ref().map(|damage| format!("damaged: {damage}")));
        state.extend((!s.answered).then(|| "no answer yet".into()));
        let unfolded = || if self.children.contains_key(&s.path) { "▾ children" } else { "▸ children" };
        state.extend(s.has_children.then(|| unfolded().to_owned()));
        state
    }
}

/// What is known of a session, for the top of the preview.
pub fn facts(s: &SessionSummary) -> Vec<String> {
    let mut facts = vec![s.cwd.display().to_string()];
    facts.extend(s.branch.as_deref().map(|branch| format!("branch {}", words::one_line(branch))));
    let date = |at| time::stamp(at).chars().take(16).collect::<String>().replace('T', " ");
    let (created, updated) = (date(s.created), date(s.updated));
    facts.push(match created.get(..10) == updated.get(..10) {
        true => format!("{created} – {}", updated.get(11..).unwrap_or_default()),
        false => format!("{created} – {updated}"),
    });
    facts.extend(s.model.clone());
    facts.push(format!("{} · {}", counted(s.messages, "message"), size(s.size)));
    facts.extend(s.locked_by.filter(|pid| *pid > 0).map(|pid| format!("open in process {pid}")));
    facts.extend(s.damage.as_ref().map(|damage| format!("damaged: {damage}; `panto sessions repair` makes a copy")));
    facts
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
