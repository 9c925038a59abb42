//! What the Lua thread keeps besides the state: the registry, the session as scripts see it, and the way out for
//! notices and diagnostics.

use super::face::Face;
use super::manifest::Need;
use super::pace::{Flood, Pace, Passage};
use super::registry::{Registry, Subscription};
use super::roster::Roster;
use super::scheduler::{Allowance, Owner};
use super::shown::{Held, place_key};
use super::tell::{self, Lines};
use crate::backend::{CommandDecl, Diagnostic, HookCall, KeyBinding, Level, Notice, Program, ProviderDecl, ThemeDecl};
use crate::lua::api::Api;
use crate::lua::api::agents::{Private, Started};
use crate::tool::ToolDecl;
use mlua::Lua;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// What other threads see of the registry.
#[derive(Default)]
pub(super) struct View {
    inner: Mutex<Seen>,
}

#[derive(Default, Clone)]
struct Seen {
    tools: Arc<Vec<ToolDecl>>,
    commands: Arc<Vec<CommandDecl>>,
    providers: Arc<Vec<ProviderDecl>>,
    /// Names of events that have handlers.
    events: Arc<HashSet<String>>,
    /// Tools whose calls somebody renders.
    renders: Arc<HashSet<String>>,
    /// Somebody says what may be written behind an `@`.
    mentions: bool,
    keys: Arc<Vec<KeyBinding>>,
    themes: Arc<Vec<ThemeDecl>>,
    /// Why no call may run.
    closed: Option<Arc<str>>,
    /// Nobody decides what may run, as the user wants it.
    unheld: bool,
}

impl View {
    fn get(&self) -> Seen {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, seen: Seen) {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = seen;
    }

    pub fn tools(&self) -> Arc<Vec<ToolDecl>> {
        self.get().tools
    }

    pub fn commands(&self) -> Arc<Vec<CommandDecl>> {
        self.get().commands
    }

    pub fn providers(&self) -> Arc<Vec<ProviderDecl>> {
        self.get().providers
    }

    pub fn completes(&self, command: &str) -> bool {
        self.get().commands.iter().any(|c| c.name == command && c.completes)
    }

    pub fn mentions(&self) -> bool {
        self.get().mentions
    }

    pub fn renders(&self, tool: &str) -> bool {
        self.get().renders.contains(tool)
    }

    pub fn keys(&self) -> Arc<Vec<KeyBinding>> {
        self.get().keys
    }

    pub fn themes(&self) -> Arc<Vec<ThemeDecl>> {
        self.get().themes
    }

    /// Why no call may run, if none may.
    pub fn closed(&self) -> Option<Arc<str>> {
        self.get().closed
    }

    /// Whether everything runs without asking, whatever the mode.
    pub fn unheld(&self) -> bool {
        self.get().unheld
    }

    /// Whether an event has handlers.
    pub fn listens(&self, event: &str) -> bool {
        self.get().events.contains(event)
    }
}

/// Errors that are remembered as shown.
const MOST_SHOWN: usize = 256;
/// What the main chunk of an extension does, for messages: this and the extension's name.
pub(super) const LOADING: &str = "loading of ";

/// Kinds of places on the screen.
pub(super) const STATUS: &str = "status";
pub(super) const WIDGET: &str = "widget";

pub(super) struct Host {
    pub api: Rc<Api>,
    pub registry: RefCell<Registry>,
    pub roster: RefCell<Roster>,
    pub view: Arc<View>,
    /// Names that extensions can't take for their commands, without the slash.
    pub builtin_commands: Vec<String>,
    /// Checks what is registered with the screen.
    pub face: Face,
    /// Places on the screen that extensions have taken: (extension, kind, name).
    taken: RefCell<Vec<(Rc<str>, &'static str, String)>>,
    /// How fast what scripts show may change.
    pub pace: Pace,
    pub held: RefCell<Option<Held>>,
    flood: RefCell<Flood>,
    /// As `Extensions::session_changed` told it.
    pub session: RefCell<Value>,
    /// Loads of extensions that ship, whose code was checked when it was built.
    pub shipped: RefCell<Vec<Rc<str>>>,
    /// Whether what the project brings counts.
    pub trusted: Cell<bool>,
    /// The program around the runtime; none where Lua runs by itself.
    pub program: RefCell<Option<Program>>,
    /// Jobs that extensions have started.
    pub jobs: RefCell<Started>,
    /// Tools that only agents of extensions have.
    pub private: RefCell<Private>,
    pub diagnostics: RefCell<Vec<Diagnostic>>,
    notices: RefCell<Outlet>,
    /// Events that handlers have yet to hear.
    pub lines: Lines,
    /// Errors of handlers that have been shown: whose code (this load of it), and the words.
    shown: RefCell<VecDeque<(Rc<str>, String)>>,
}

/// Where notices go; until somebody listens they are kept.
enum Outlet {
    Kept(Vec<Notice>),
    Open(UnboundedSender<Notice>),
}

impl Host {
    pub fn new(api: Rc<Api>, view: Arc<View>, builtin_commands: Vec<String>, face: Face) -> Rc<Self> {
        Rc::new(Host {
            api,
            registry: RefCell::default(),
            roster: RefCell::default(),
            view,
            builtin_commands,
            face,
            taken: RefCell::default(),
            pace: Pace::default(),
            held: RefCell::default(),
            flood: RefCell::default(),
            session: RefCell::default(),
            shipped: RefCell::default(),
            trusted: Cell::default(),
            program: RefCell::default(),
            jobs: RefCell::default(),
            private: RefCell::default(),
            diagnostics: RefCell::default(),
            notices: RefCell::new(Outlet::Kept(Vec::new())),
            lines: Lines::default(),
            shown: RefCell::default(),
        })
    }

    /// Lua's own running time for a hook, command or the loading of an extension.
    pub fn callback_limit(&self) -> Duration {
        Duration::from_secs(self.api.options.lua.callback_timeout.max(1))
    }

    pub fn owner(&self, extension: &Rc<str>, doing: String) -> Owner {
        Owner {
            extension: extension.clone(),
            doing: doing.into(),
            call: None,
            job: None,
            allowance: Allowance::Total(self.callback_limit()),
            memory: None,
        }
    }

    /// The program around the runtime, for `what` (the name of the function that needs it).
    pub fn program(&self, what: &str) -> mlua::Result<Program> {
        let program = self.program.borrow().clone();
        program.ok_or_else(|| mlua::Error::runtime(format!("{what}: there is no session here")))
    }

    /// The program, for what needs a screen that somebody looks at.
    pub fn screen(&self, what: &str) -> mlua::Result<Program> {
        let program = self.program(what)?;
        match program.is_interactive() {
            true => Ok(program),
            false => Err(mlua::Error::runtime(format!("{what}: there is no screen here"))),
        }
    }

    /// Notes that an extension uses a place of the screen; an error when it has too many.
    pub fn claim(&self, extension: &Rc<str>, kind: &'static str, name: &str, most: usize) -> Result<(), String> {
        let mut taken = self.taken.borrow_mut();
        let mine = |(owner, of, _): &&(Rc<str>, &str, String)| Rc::ptr_eq(owner, extension) && *of == kind;
        if taken.iter().filter(mine).any(|(_, _, known)| known == name) {
            return Ok(());
        }
        if taken.iter().filter(mine).count() >= most {
            return Err(format!("{extension} has {most} already; use fewer names, or remove some by nil"));
        }
        taken.push((extension.clone(), kind, name.to_owned()));
        Ok(())
    }

    /// An extension gives a place of the screen back.
    pub fn release(&self, extension: &Rc<str>, kind: &'static str, name: &str) {
        let is =
            |(owner, of, known): &(Rc<str>, &str, String)| Rc::ptr_eq(owner, extension) && *of == kind && known == name;
        self.taken.borrow_mut().retain(|place| !is(place));
    }

    /// Takes all that the code of an extension has on the screen off it, but for what other code of it has taken.
    pub fn clear_ui(&self, extension: &Rc<str>) {
        let mut taken = self.taken.borrow_mut();
        let gone: Vec<_> = taken.extract_if(.., |(owner, _, _)| Rc::ptr_eq(owner, extension)).collect();
        let Some(program) = &*self.program.borrow() else { return };
        for (_, kind, name) in gone.into_iter().filter(|place| !taken.contains(place)) {
            self.pace.forget(&place_key(extension, kind, &name));
            match kind {
                STATUS => program.set_status(extension, &name, None),
                _ => program.set_widget(extension, &name, None),
            }
        }
    }

    /// The extension whose code runs now.
    pub fn extension(&self, lua: &Lua) -> Rc<str> {
        self.api.scheduler.current_owner(lua).map_or_else(|| "std".into(), |owner| owner.extension)
    }

    /// Why the running code may not do `what`, if it may not.
    pub fn refusal(&self, lua: &Lua, what: &str, needs: &[Need]) -> Option<String> {
        let owner = self.api.scheduler.current_owner(lua)?;
        self.roster.borrow().refusal(&owner.extension, what, needs)
    }

    /// Whether the running code is the main chunk of an extension.
    pub fn loads(&self, lua: &Lua) -> bool {
        let owner = self.api.scheduler.current_owner(lua);
        owner.is_some_and(|owner| owner.doing.trim_start_matches("a task of ").starts_with(LOADING))
    }

    /// The handlers of an event at this moment.
    pub fn handlers(&self, event: &str) -> Vec<Subscription> {
        self.registry.borrow().handlers(event)
    }

    /// Makes a change of the registry visible to other threads.
    pub fn publish(&self) {
        let registry = self.registry.borrow();
        let before = self.view.get();
        let now = Seen {
            tools: Arc::new(registry.tools().map(|t| t.decl.clone()).collect()),
            commands: Arc::new(registry.commands().map(|c| c.decl.clone()).collect()),
            providers: Arc::new(registry.providers().map(|p| p.decl.clone()).collect()),
            events: Arc::new(registry.events()),
            renders: Arc::new(registry.renderers().map(|r| r.tool.clone()).collect()),
            mentions: registry.mentions().next().is_some(),
            keys: Arc::new(registry.keys().map(|k| k.binding.clone()).collect()),
            themes: Arc::new(registry.themes().map(|t| t.decl.clone()).collect()),
            closed: before.closed.clone(),
            unheld: before.unheld,
        };
        let same = before.commands == now.commands && before.keys == now.keys && before.themes == now.themes;
        self.view.set(now);
        if let (false, Some(program)) = (same, &*self.program.borrow()) {
            program.registered();
        }
    }

    /// Why no call may run from now on; none: they may. `unheld`: nobody decides which.
    pub fn guard(&self, closed: Option<String>, unheld: bool) {
        self.view.set(Seen { closed: closed.map(Arc::from), unheld, ..self.view.get() });
    }

    /// Something that the running code does can't be meant so. Said once; while an extension is loaded, with what else
    /// is wrong then.
    pub fn warn(&self, lua: &Lua, told: String) {
        let extension = self.extension(lua);
        if self.keep(&extension, &told) && !self.loads(lua) {
            self.notify(Level::Warning, format!("{extension}: {told}"));
        }
    }

    /// Keeps what is wrong, and has it shown where extensions are loaded.
    pub fn diagnose(&self, extension: &str, message: impl Into<String>) {
        self.keep(extension, &message.into());
    }

    /// True if it is new.
    fn keep(&self, extension: &str, message: &str) -> bool {
        let diagnostic = Diagnostic { extension: extension.into(), message: message.into() };
        let mut diagnostics = self.diagnostics.borrow_mut();
        if !diagnostics.contains(&diagnostic) {
            tracing::warn!("{}: {}", diagnostic.extension, diagnostic.message);
            self.roster.borrow_mut().note_error(extension, &diagnostic.message);
            diagnostics.push(diagnostic);
            return true;
        }
        false
    }

    /// A notice of the running code's. Handlers of `notice` hear of it, but not of what they say themselves.
    pub fn announce(self: &Rc<Self>, lua: &Lua, level: Level, text: String) {
        let passage = self.flood.borrow_mut().one_more();
        if passage == Passage::First {
            let host = self.clone();
            tokio::task::spawn_local(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let held = host.flood.borrow_mut().over();
                host.notify(Level::Warning, format!("… {held} more notices of extensions"));
            });
        }
        if passage != Passage::Told {
            return;
        }
        if !self.runs_for(lua, "notice") {
            let data = serde_json::json!({"level": level, "text": text});
            tell::tell_soon(lua, self, HookCall { event: "notice", data });
        }
        self.notify(level, text);
    }

    /// Whether the running code is a handler of the event, or a task of one.
    pub fn runs_for(&self, lua: &Lua, event: &str) -> bool {
        let owner = self.api.scheduler.current_owner(lua);
        owner.is_some_and(|o| o.doing.trim_start_matches("a task of ").strip_prefix("handler of ") == Some(event))
    }

    pub fn notify(&self, level: Level, text: String) {
        let notice = Notice { level, text };
        match &mut *self.notices.borrow_mut() {
            Outlet::Kept(list) => list.push(notice),
            Outlet::Open(sender) => drop(sender.send(notice)),
        }
    }

    /// Shows an error of a handler, once however often it happens; of the same code loaded anew, once more.
    pub fn notify_error(&self, extension: &Rc<str>, text: String) {
        tracing::warn!("{text}");
        let mut shown = self.shown.borrow_mut();
        if shown.iter().any(|(of, known)| Rc::ptr_eq(of, extension) && *known == text) {
            return;
        }
        if shown.len() == MOST_SHOWN {
            shown.pop_front();
        }
        shown.push_back((extension.clone(), text.clone()));
        drop(shown);
        self.notify(Level::Error, text);
    }

    /// What has been shown of an extension's code that is gone may be shown again.
    pub fn forget_shown(&self, extension: &Rc<str>) {
        self.shown.borrow_mut().retain(|(of, _)| !Rc::ptr_eq(of, extension));
    }

    pub fn open_notices(&self, sender: UnboundedSender<Notice>) {
        if let Outlet::Kept(list) = self.notices.replace(Outlet::Open(sender.clone())) {
            list.into_iter().for_each(|notice| drop(sender.send(notice)));
        }
    }
}
