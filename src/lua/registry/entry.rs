//! What can be registered: a thing, and the code that it is of.
//!
//! Two runs of the same extension have the same name; they are told apart by where the name lies (`Rc::ptr_eq`).

use crate::backend::{CommandDecl, KeyBinding, ProviderDecl, ThemeDecl};
use crate::tool::ToolDecl;
use mlua::Function;
use std::rc::Rc;

#[derive(Clone)]
pub struct Tool {
    pub decl: ToolDecl,
    /// Bytes that a call may add to the state's memory.
    pub max_memory: Option<usize>,
    pub handler: Function,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub struct Command {
    pub decl: CommandDecl,
    pub handler: Function,
    /// Gives what may follow its name.
    pub complete: Option<Function>,
    pub extension: Rc<str>,
}

/// Says what calls of a tool look like.
#[derive(Clone)]
pub struct Renderer {
    pub tool: String,
    pub function: Function,
    pub extension: Rc<str>,
}

/// Gives what may be written behind an `@`.
#[derive(Clone)]
pub struct Mentions {
    pub function: Function,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub struct Key {
    pub binding: KeyBinding,
    /// What it calls, if that is what it does.
    pub function: Option<Function>,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub struct Theme {
    pub decl: ThemeDecl,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub struct Subscription {
    pub id: i64,
    pub event: String,
    pub handler: Function,
    pub extension: Rc<str>,
}

#[derive(Clone)]
pub struct Provider {
    pub decl: ProviderDecl,
    /// Speaks for it, where no server does.
    pub stream: Option<Function>,
    pub extension: Rc<str>,
}

/// Something that an extension has registered.
pub trait Entry {
    fn extension(&self) -> &Rc<str>;
}

impl Entry for Tool {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Command {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Subscription {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Provider {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Renderer {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Mentions {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Key {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}

impl Entry for Theme {
    fn extension(&self) -> &Rc<str> {
        &self.extension
    }
}
