//! What extensions have registered: tools, commands, event handlers, renderers, keys, themes. Each entry knows the extension it came from.

use crate::backend::{CommandDecl, KeyBinding, ThemeDecl};
use crate::tool::ToolDecl;
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
}

#[derive(Clone)]
pub(super) struct Tool {
    pub decl: ToolDecl,
    /// Bytes that a call may add to the state's memory.
    pub max_memory: Option<usize>,
    pub handler: Function,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub(super) struct Command {
    pub decl: CommandDecl,
    pub handler: Function,
    /// Gives what may follow its name.
    pub complete: Option<Function>,
    pub extension: Rc<str>,
}

/// Says what calls of a tool look like.
#[derive(Clone)]
pub(super) struct Renderer {
    pub tool: String,
    pub function: Function,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub(super) struct Key {
    pub binding: KeyBinding,
    /// What it calls, if that is what it does.
    pub function: Option<Function>,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub(super) struct Theme {
    pub decl: ThemeDecl,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub(super) struct Subscription {
    pub id: i64,
    pub event: String,
    pub handler: Function,
    pub extension: Rc<str>,
}

/// In registration order throughout.
#[derive(Default)]
pub(super) struct Registry {
    pub tools: Vec<Tool>,
    pub commands: Vec<Command>,
    pub renderers: Vec<Renderer>,
    pub keys: Vec<Key>,
    pub themes: Vec<Theme>,
    subscriptions: Vec<Subscription>,
    last_id: i64,
}

impl Registry {
    pub fn add_tool(&mut self, tool: Tool) -> Result<(), RegistrationError> {
        if let Some(first) = self.tool(&tool.decl.name) {
            return Err(RegistrationError::DuplicateTool {
                name: tool.decl.name.clone(),
                owner: first.extension.to_string(),
            });
        }
        self.tools.push(tool);
        Ok(())
    }

    pub fn add_command(&mut self, command: Command) -> Result<(), RegistrationError> {
        if let Some(first) = self.command(&command.decl.name) {
            return Err(RegistrationError::DuplicateCommand {
                name: command.decl.name.clone(),
                owner: first.extension.to_string(),
            });
        }
        self.commands.push(command);
        Ok(())
    }

    /// Of several renderers of a tool the first stays; an extension may replace its own.
    pub fn add_renderer(&mut self, renderer: Renderer) -> Result<(), RegistrationError> {
        if let Some(first) = self.renderer(&renderer.tool).filter(|r| r.extension != renderer.extension) {
            let problem = format!("`{}` has a renderer already, from {}", renderer.tool, first.extension);
            return Err(RegistrationError::Bad { what: "register_renderer", problem });
        }
        self.renderers.retain(|r| r.tool != renderer.tool);
        self.renderers.push(renderer);
        Ok(())
    }

    /// The same for themes.
    pub fn add_theme(&mut self, theme: Theme) -> Result<(), RegistrationError> {
        let name = &theme.decl.name;
        if let Some(first) = self.themes.iter().find(|t| t.decl.name == *name && t.extension != theme.extension) {
            let problem = format!("there is a theme `{name}` already, from {}", first.extension);
            return Err(RegistrationError::Bad { what: "register_theme", problem });
        }
        self.themes.retain(|t| t.decl.name != theme.decl.name);
        self.themes.push(theme);
        Ok(())
    }

    /// Binds a key; an extension may bind its own anew. Who wins among several is the keymap's to say.
    pub fn bind(&mut self, key: Key) {
        let place = |k: &Key| (k.extension.clone(), k.binding.keys.clone(), k.binding.when.clone());
        self.keys.retain(|k| place(k) != place(&key));
        self.keys.push(key);
    }

    pub fn renderer(&self, tool: &str) -> Option<&Renderer> {
        self.renderers.iter().find(|r| r.tool == tool)
    }

    /// The key that calls this function.
    pub fn key(&self, function: i64) -> Option<&Key> {
        self.keys.iter().find(|k| k.binding.does == crate::backend::KeyDoes::Function(function))
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

    /// Whether there was such a subscription.
    pub fn unsubscribe(&mut self, id: i64) -> bool {
        let before = self.subscriptions.len();
        self.subscriptions.retain(|s| s.id != id);
        self.subscriptions.len() < before
    }

    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|t| t.decl.name == name)
    }

    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|c| c.decl.name == name)
    }

    /// The handlers of an event at this moment: what is added or removed while they run counts the next time.
    pub fn handlers(&self, event: &str) -> Vec<Subscription> {
        self.subscriptions.iter().filter(|s| s.event == event).cloned().collect()
    }

    /// Events that have handlers.
    pub fn events(&self) -> HashSet<String> {
        self.subscriptions.iter().map(|s| s.event.clone()).collect()
    }

    /// Takes out all that an extension has registered.
    pub fn remove_extension(&mut self, extension: &str) {
        self.tools.retain(|t| &*t.extension != extension);
        self.commands.retain(|c| &*c.extension != extension);
        self.subscriptions.retain(|s| &*s.extension != extension);
        self.renderers.retain(|r| &*r.extension != extension);
        self.keys.retain(|k| &*k.extension != extension);
        self.themes.retain(|t| &*t.extension != extension);
    }
}
