//! Keys that extensions bind: over the shipped keymap, under the user's, and never the two that always get one out.

use super::{Context, Keymap, written};
use crate::backend::{KeyBinding, KeyDoes};
use crate::tui::action::Action;
use crate::tui::command;
use crate::tui::input::Key;

/// Whatever an extension does, these keys stay what they are.
const RESERVED: [&str; 3] = ["ctrl-c", "esc", "enter"];

/// What a key of an extension does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    Action(Action),
    /// A command line: `/name arguments`.
    Line(String),
    /// A function of the extension's.
    Function(i64),
}

/// A key that an extension has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extra {
    pub context: Context,
    pub keys: Vec<Key>,
    pub does: Does,
    pub extension: String,
    pub description: String,
}

impl Extra {
    /// As a keymap writes it.
    pub fn name(&self) -> String {
        written(&self.keys)
    }

    /// What it does, in words.
    pub fn words(&self) -> String {
        match (&self.does, self.description.as_str()) {
            (_, words) if !words.is_empty() => words.to_owned(),
            (Does::Action(action), _) => action.doc().to_owned(),
            (Does::Line(line), _) => line.clone(),
            (Does::Function(_), _) => format!("a function of {}", self.extension),
        }
    }
}

/// A key that an extension wanted and could not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub extension: String,
    pub keys: String,
    pub why: String,
}

/// What is wrong with a key that an extension binds, whatever else is bound.
///
/// # Errors
/// In words that name the field.
pub fn check(binding: &KeyBinding) -> Result<(), String> {
    read(binding).map(drop)
}

fn read(binding: &KeyBinding) -> Result<Extra, String> {
    let keys: Result<Vec<Key>, _> = binding.keys.split_whitespace().map(str::parse).collect();
    let keys = keys.map_err(|e| format!("`key`: {e}"))?;
    let first = keys.first().ok_or("`key` is empty; keys are written ctrl-x, alt-enter, \"ctrl-x g\"")?;
    if let Some(reserved) = keys.iter().map(Key::to_string).find(|key| RESERVED.contains(&key.as_str())) {
        return Err(format!(
            "`key`: {reserved} always does what it does, so that nobody is locked out; choose another key"
        ));
    }
    if first.typed().is_some() {
        return Err(format!("`key`: {first} is a letter that one types; put ctrl- or alt- before it"));
    }
    let context = Context::ALL.into_iter().find(|c| c.name() == binding.when);
    let known = || Context::ALL.map(Context::name).join(" ");
    let context = context.ok_or_else(|| format!("`when`: no context `{}`; there are {}", binding.when, known()))?;
    let does = match &binding.does {
        KeyDoes::Function(id) => Does::Function(*id),
        KeyDoes::Line(line) if command::parse(line).is_some() => Does::Line(line.clone()),
        KeyDoes::Line(line) => return Err(format!("`action`: `{line}` is no command line; they are written /name …")),
        KeyDoes::Action(name) => {
            Does::Action(Action::named(name).ok_or_else(|| format!("`action`: {}", super::load::unknown(name)))?)
        }
    };
    let (extension, description) = (binding.extension.clone(), binding.description.clone());
    Ok(Extra { context, keys, does, extension, description })
}

impl Keymap {
    /// Binds what extensions want, in their order, in place of what they had; `refused` says what they did not get.
    pub fn set_extra(&mut self, bindings: &[KeyBinding]) {
        self.extra.clear();
        self.refused.clear();
        for binding in bindings {
            match read(binding).and_then(|extra| self.room_for(&extra).map(|()| extra)) {
                Ok(extra) => self.extra.push(extra),
                Err(why) => {
                    self.refused.push(Refused { extension: binding.extension.clone(), keys: binding.keys.clone(), why })
                }
            }
        }
    }

    /// Keys of a built-in action that an extension has in its place.
    pub fn taken(&self, action: Action) -> impl Iterator<Item = &Extra> {
        let mut bound = self.bindings.iter().filter(move |b| b.action == Some(action));
        let has = move |e: &Extra, b: &super::Binding| b.context == e.context && b.keys == e.keys;
        let bound: Vec<_> = bound.by_ref().collect();
        self.extra.iter().filter(move |e| bound.iter().any(|b| has(e, b)))
    }

    pub fn extra(&self) -> &[Extra] {
        &self.extra
    }

    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// Whether nobody who counts more has the key.
    fn room_for(&self, extra: &Extra) -> Result<(), String> {
        let Extra { context, keys, .. } = extra;
        let own = |b: &&super::Binding| b.own && b.keys == *keys && context.fallbacks().contains(&b.context);
        if self.bindings.iter().any(|b| own(&b)) {
            return Err("your keymap.toml has this key".into());
        }
        if let Some(other) = self.extra.iter().find(|e| e.context == *context && e.keys == *keys) {
            return Err(format!("{} has it already", other.extension));
        }
        let bound = self.bindings.iter().filter(|b| b.action.is_some()).map(|b| (b.context, &b.keys));
        let all = bound.chain(self.extra.iter().map(|e| (e.context, &e.keys))).filter(|(c, _)| c == context);
        for (_, other) in all.filter(|(_, other)| other.len() != keys.len()) {
            if other.starts_with(keys) || keys.starts_with(other) {
                return Err(format!("it and `{}` would hide one another", written(other)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lookup;
    use super::*;

    fn bind(keys: &str, action: &str) -> KeyBinding {
        let (extension, when) = ("x".to_owned(), "main".to_owned());
        let does = if action.starts_with('/') { KeyDoes::Line(action.into()) } else { KeyDoes::Action(action.into()) };
        KeyBinding { extension, keys: keys.into(), when, does, description: String::new() }
    }

    fn look(map: &Keymap, keys: &str) -> Lookup {
        let keys: Vec<Key> = keys.split(' ').map(|k| k.parse().expect("a key")).collect();
        map.look_up(Context::Main, &keys)
    }

    #[test]
    fn an_extension_has_what_the_user_does_not() {
        let mut map = Keymap::shipped();
        map.add_own("[main]\n\"ctrl-o\" = \"redraw\"\n\"f5\" = \"none\"\n", "k.toml");
        let wanted = [bind("ctrl-t", "/name x"), bind("ctrl-o", "quit"), bind("f5", "quit"), bind("ctrl-x g", "keys")];
        map.set_extra(&wanted);
        assert_eq!(look(&map, "ctrl-t"), Lookup::Extra(0), "over the shipped keymap");
        assert_eq!(look(&map, "ctrl-x g"), Lookup::Extra(1));
        assert_eq!(look(&map, "ctrl-x"), Lookup::Prefix);
        assert_eq!(look(&map, "ctrl-o"), Lookup::Action(Action::Redraw), "under the user's");
        let refused: Vec<_> = map.refused().iter().map(|r| (r.keys.as_str(), r.why.as_str())).collect();
        assert_eq!(refused, [("ctrl-o", "your keymap.toml has this key"), ("f5", "your keymap.toml has this key")]);
        map.set_extra(&[]);
        assert_eq!(look(&map, "ctrl-t"), Lookup::Action(Action::CycleThinking));
    }

    #[test]
    fn the_first_of_two_extensions_has_it_and_sequences_stay_reachable() {
        let mut map = Keymap::shipped();
        map.set_extra(&[bind("f6", "quit"), bind("f6", "keys"), bind("ctrl-x", "quit"), bind("ctrl-t g", "quit")]);
        let why: Vec<_> = map.refused().iter().map(|r| r.why.as_str()).collect();
        assert_eq!(why[0], "x has it already");
        assert!(why[1].contains("ctrl-x m") && why[2].contains("ctrl-t"), "{why:?}");
    }

    #[test]
    fn what_no_extension_can_have_is_said() {
        let wrong = |keys, action: &str| check(&bind(keys, action)).unwrap_err();
        assert!(wrong("ctrl-c", "quit").contains("ctrl-c always does"));
        assert!(wrong("ctrl-x esc", "quit").contains("esc always does"));
        assert!(wrong("a", "quit").contains("letter"));
        assert!(wrong("hyper-x", "quit").contains("`hyper-x` is not a key"));
        assert!(wrong("f5", "qiut").contains("the nearest is `quit`"));
        assert!(wrong("f5", "/").contains("is no command line"));
        let elsewhere = KeyBinding { when: "mian".into(), ..bind("f5", "quit") };
        assert!(check(&elsewhere).unwrap_err().contains("no context `mian`; there are global main"));
    }
}
