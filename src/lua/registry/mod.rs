//! What extensions have registered: tools, commands, event handlers, providers, renderers, keys,
//! themes. Each entry knows the code it came from.
//!
//! While an extension is reloaded, the entries of its new code lie beside the old ones and are not seen; `swap` puts them
//! in the place of the old ones, `drop_staged` takes them out again.

mod entry;

pub(super) use entry::{Command, Key, Mentions, Provider, Renderer, Subscription, Theme, Tool};

use crate::backend::KeyDoes;
use entry::Entry;
use mlua::Function;
use std::collections::HashSet;
use std::rc::Rc;

/// A refused registration. `Display` begins with the name that documents use for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    #[error("BadRegistration: {what}: {problem}")]
    Bad { what: &'static str, problem: String },
    #[error("DuplicateTool: a tool named `{name}` is there already, from {owner}")]
    DuplicateTool { name: String, owner: String },
    #[error("DuplicateCommand: a command named `{name}` is there already, from {owner}")]
    DuplicateCommand { name: String, owner: String },
    #[error("DuplicateProvider: a provider named `{name}` is there already, from {owner}")]
    DuplicateProvider { name: String, owner: String },
}

/// An extension that is being reloaded.
struct Staged {
    old: Rc<str>,
    new: Rc<str>,
}

/// In registration order throughout.
#[derive(Default)]
pub(super) struct Registry {
    tools: Vec<Tool>,
    commands: Vec<Command>,
    renderers: Vec<Renderer>,
    mentions: Vec<Mentions>,
    keys: Vec<Key>,
    themes: Vec<Theme>,
    subscriptions: Vec<Subscription>,
    providers: Vec<Provider>,
    last_id: i64,
    staged: Option<Staged>,
}

impl Registry {
    pub fn add_tool(&mut self, tool: Tool) -> Result<(), RegistrationError> {
        if let Some(first) = self.tools.iter().find(|t| t.decl.name == tool.decl.name && self.meet(*t, &tool)) {
            return Err(RegistrationError::DuplicateTool {
                name: tool.decl.name.clone(),
                owner: first.extension.to_string(),
            });
        }
        self.tools.push(tool);
        Ok(())
    }

    pub fn add_command(&mut self, command: Command) -> Result<(), RegistrationError> {
        let same = |c: &&Command| c.decl.name == command.decl.name && self.meet(*c, &command);
        if let Some(first) = self.commands.iter().find(same) {
            return Err(RegistrationError::DuplicateCommand {
                name: command.decl.name.clone(),
                owner: first.extension.to_string(),
            });
        }
        self.commands.push(command);
        Ok(())
    }

    pub fn add_provider(&mut self, provider: Provider) -> Result<(), RegistrationError> {
        let same = |p: &&Provider| p.decl.name == provider.decl.name && self.meet(*p, &provider);
        if let Some(first) = self.providers.iter().find(same) {
            return Err(RegistrationError::DuplicateProvider {
                name: provider.decl.name.clone(),
                owner: first.extension.to_string(),
            });
        }
        self.providers.push(provider);
        Ok(())
    }

    /// Of several renderers of a tool the first stays; an extension may replace its own.
    pub fn add_renderer(&mut self, renderer: Renderer) -> Result<(), RegistrationError> {
        let own = |r: &Renderer| r.tool == renderer.tool && Rc::ptr_eq(&r.extension, &renderer.extension);
        let same = |r: &&Renderer| r.tool == renderer.tool && !own(r) && self.meet(*r, &renderer);
        if let Some(first) = self.renderers.iter().find(same) {
            let problem = format!("`{}` has a renderer already, from {}", renderer.tool, first.extension);
            return Err(RegistrationError::Bad { what: "register_renderer", problem });
        }
        self.renderers.retain(|r| !own(r));
        self.renderers.push(renderer);
        Ok(())
    }

    /// The same for themes.
    pub fn add_theme(&mut self, theme: Theme) -> Result<(), RegistrationError> {
        let own = |t: &Theme| t.decl.name == theme.decl.name && Rc::ptr_eq(&t.extension, &theme.extension);
        let same = |t: &&Theme| t.decl.name == theme.decl.name && !own(t) && self.meet(*t, &theme);
        if let Some(first) = self.themes.iter().find(same) {
            let problem = format!("there is a theme `{}` already, from {}", theme.decl.name, first.extension);
            return Err(RegistrationError::Bad { what: "register_theme", problem });
        }
        self.themes.retain(|t| !own(t));
        self.themes.push(theme);
        Ok(())
    }

    /// Gives a tool of the extension's own another description. Whether there is such a tool.
    pub fn describe_tool(&mut self, name: &str, extension: &Rc<str>, description: &str) -> bool {
        let own = self.tools.iter_mut().find(|t| t.decl.name == name && Rc::ptr_eq(&t.extension, extension));
        own.map(|tool| tool.decl.description = description.to_owned()).is_some()
    }

    /// An extension may replace its own.
    pub fn add_mentions(&mut self, mentions: Mentions) {
        self.mentions.retain(|m| !Rc::ptr_eq(&m.extension, &mentions.extension));
        self.mentions.push(mentions);
    }

    pub fn mentions(&self) -> impl Iterator<Item = &Mentions> {
        self.mentions.iter().filter(|m| self.is_live(*m))
    }

    /// Binds a key; an extension may bind its own anew. Who wins among several is the keymap's to say.
    pub fn bind(&mut self, key: Key) {
        let same = |k: &Key| k.binding.keys == key.binding.keys && k.binding.when == key.binding.when;
        self.keys.retain(|k| !(same(k) && Rc::ptr_eq(&k.extension, &key.extension)));
        self.keys.push(key);
    }

    pub fn renderers(&self) -> impl Iterator<Item = &Renderer> {
        self.renderers.iter().filter(|r| self.is_live(*r))
    }

    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(|k| self.is_live(*k))
    }

    pub fn themes(&self) -> impl Iterator<Item = &Theme> {
        self.themes.iter().filter(|t| self.is_live(*t))
    }

    pub fn renderer(&self, tool: &str) -> Option<&Renderer> {
        self.renderers().find(|r| r.tool == tool)
    }

    /// The key that calls this function.
    pub fn key(&self, function: i64) -> Option<&Key> {
        self.keys().find(|k| k.binding.does == KeyDoes::Function(function))
    }

    /// An id that was never given before.
    pub fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Returns the id to unsubscribe by.
    pub fn subscribe(&mut self, event: String, handler: Function, extension: Rc<str>) -> i64 {
        let id = self.next_id();
        self.subscriptions.push(Subscription { id, event, handler, extension });
        id
    }

    /// Whether the extension had such a subscription; those of others stay.
    pub fn unsubscribe(&mut self, id: i64, extension: &Rc<str>) -> bool {
        let before = self.subscriptions.len();
        self.subscriptions.retain(|s| s.id != id || !Rc::ptr_eq(&s.extension, extension));
        self.subscriptions.len() < before
    }

    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|t| self.is_live(*t))
    }

    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().filter(|c| self.is_live(*c))
    }

    pub fn subscriptions(&self) -> impl Iterator<Item = &Subscription> {
        self.subscriptions.iter().filter(|s| self.is_live(*s))
    }

    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.providers.iter().filter(|p| self.is_live(*p))
    }

    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools().find(|t| t.decl.name == name)
    }

    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands().find(|c| c.decl.name == name)
    }

    /// The handlers of an event at this moment: what is added or removed while they run counts the next time.
    pub fn handlers(&self, event: &str) -> Vec<Subscription> {
        self.subscriptions().filter(|s| s.event == event).cloned().collect()
    }

    /// Events that have handlers.
    pub fn events(&self) -> HashSet<String> {
        self.subscriptions().map(|s| s.event.clone()).collect()
    }

    /// Functions that the code of an extension has left here.
    pub fn functions(&self, extension: &Rc<str>) -> Vec<Function> {
        let tools = self.tools.iter().filter(|t| Rc::ptr_eq(&t.extension, extension)).map(|t| &t.handler);
        let commands = self.commands.iter().filter(|c| Rc::ptr_eq(&c.extension, extension)).map(|c| &c.handler);
        let handlers = self.subscriptions.iter().filter(|s| Rc::ptr_eq(&s.extension, extension)).map(|s| &s.handler);
        let renderers = self.renderers.iter().filter(|r| Rc::ptr_eq(&r.extension, extension)).map(|r| &r.function);
        let keys = self.keys.iter().filter(|k| Rc::ptr_eq(&k.extension, extension)).filter_map(|k| k.function.as_ref());
        let mentions = self.mentions.iter().filter(|m| Rc::ptr_eq(&m.extension, extension)).map(|m| &m.function);
        tools.chain(commands).chain(handlers).chain(renderers).chain(keys).chain(mentions).cloned().collect()
    }

    /// From now on what `new` registers is put aside, and may bear the names of what `old` has registered.
    pub fn stage(&mut self, old: &Rc<str>, new: &Rc<str>) {
        self.staged = Some(Staged { old: old.clone(), new: new.clone() });
    }

    /// Puts what is staged into the place of the old.
    pub fn swap(&mut self) {
        let Some(staged) = self.staged.take() else { return };
        swap(&mut self.tools, &staged);
        swap(&mut self.commands, &staged);
        swap(&mut self.subscriptions, &staged);
        swap(&mut self.providers, &staged);
        swap(&mut self.renderers, &staged);
        swap(&mut self.mentions, &staged);
        swap(&mut self.keys, &staged);
        swap(&mut self.themes, &staged);
    }

    /// Takes out what is staged.
    pub fn drop_staged(&mut self) {
        if let Some(staged) = self.staged.take() {
            self.remove(&staged.new);
        }
    }

    /// Takes out all that the code of an extension has registered.
    pub fn remove(&mut self, extension: &Rc<str>) {
        self.tools.retain(|t| !Rc::ptr_eq(&t.extension, extension));
        self.commands.retain(|c| !Rc::ptr_eq(&c.extension, extension));
        self.subscriptions.retain(|s| !Rc::ptr_eq(&s.extension, extension));
        self.providers.retain(|p| !Rc::ptr_eq(&p.extension, extension));
        self.renderers.retain(|r| !Rc::ptr_eq(&r.extension, extension));
        self.mentions.retain(|m| !Rc::ptr_eq(&m.extension, extension));
        self.keys.retain(|k| !Rc::ptr_eq(&k.extension, extension));
        self.themes.retain(|t| !Rc::ptr_eq(&t.extension, extension));
    }

    fn is_live(&self, entry: &impl Entry) -> bool {
        self.staged.as_ref().is_none_or(|s| !Rc::ptr_eq(entry.extension(), &s.new))
    }

    /// Whether both would be there at the same time: the new code of an extension doesn't meet its old one.
    fn meet(&self, first: &impl Entry, second: &impl Entry) -> bool {
        let replaces = |s: &Staged| Rc::ptr_eq(first.extension(), &s.old) && Rc::ptr_eq(second.extension(), &s.new);
        !self.staged.as_ref().is_some_and(replaces)
    }
}

fn swap<T: Entry>(list: &mut Vec<T>, staged: &Staged) {
    let new: Vec<T> = list.extract_if(.., |e| Rc::ptr_eq(e.extension(), &staged.new)).collect();
    let is_old = |e: &T| Rc::ptr_eq(e.extension(), &staged.old);
    let at = list.iter().position(is_old).unwrap_or(list.len());
    list.retain(|e| !is_old(e));
    list.splice(at..at, new);
}
