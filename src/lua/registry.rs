//! What extensions have registered: tools, commands, event handlers. Each entry knows the extension it came from.

use crate::backend::CommandDecl;
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

    /// Returns the id to unsubscribe by.
    pub fn subscribe(&mut self, event: String, handler: Function, extension: Rc<str>) -> i64 {
        self.last_id += 1;
        self.subscriptions.push(Subscription { id: self.last_id, event, handler, extension });
        self.last_id
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
    }
}
