//! Keys → actions, as data: the keymap in the binary, and the user's over it.
//!
//! A binding is a sequence of one or more keys in a context. A user's file that cannot be read, names an action that
//! doesn't exist or binds a key that begins a sequence gives notices; whatever is sound in it counts.

mod load;
mod table;

pub use load::KeymapError;
pub use table::table_markdown;

use super::action::Action;
use super::input::Key;

/// Where the keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Looked at when the context at hand has no binding.
    Global,
    Main,
    Picker,
    Completion,
    Dialog,
}

impl Context {
    pub const ALL: [Context; 5] =
        [Context::Global, Context::Main, Context::Picker, Context::Completion, Context::Dialog];

    /// The table's name in keymap.toml.
    pub fn name(self) -> &'static str {
        match self {
            Context::Global => "global",
            Context::Main => "main",
            Context::Picker => "picker",
            Context::Completion => "completion",
            Context::Dialog => "dialog",
        }
    }

    /// Where else to look, in order.
    fn fallbacks(self) -> &'static [Context] {
        match self {
            Context::Completion => &[Context::Completion, Context::Main, Context::Global],
            Context::Main => &[Context::Main, Context::Global],
            Context::Picker => &[Context::Picker, Context::Global],
            Context::Dialog => &[Context::Dialog, Context::Global],
            Context::Global => &[Context::Global],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Binding {
    context: Context,
    keys: Vec<Key>,
    /// None: the user took the key away.
    action: Option<Action>,
}

/// What keys mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    Action(Action),
    /// The beginning of a sequence.
    Prefix,
    Nothing,
}

/// All bindings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    /// What these keys, pressed one after the other, mean in a context.
    pub fn look_up(&self, context: Context, keys: &[Key]) -> Lookup {
        for place in context.fallbacks() {
            let here = || self.bindings.iter().filter(|b| b.context == *place);
            if let Some(binding) = here().find(|b| b.keys == keys) {
                return binding.action.map_or(Lookup::Nothing, Lookup::Action);
            }
            if here().any(|b| b.action.is_some() && b.keys.len() > keys.len() && b.keys.starts_with(keys)) {
                return Lookup::Prefix;
            }
        }
        Lookup::Nothing
    }

    /// The keys of an action, as written (`ctrl-x m`), in the order of the files.
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        let bound = self.bindings.iter().filter(|b| b.action == Some(action));
        let mut names: Vec<_> = bound.map(|b| written(&b.keys)).collect();
        names.dedup();
        names
    }

    fn bind(&mut self, binding: Binding) {
        match self.bindings.iter_mut().find(|b| b.context == binding.context && b.keys == binding.keys) {
            Some(old) => *old = binding,
            None => self.bindings.push(binding),
        }
    }
}

fn written(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.split(' ').map(|k| k.parse().expect("a key")).collect()
    }

    #[test]
    fn sequences_and_fallbacks() {
        let map = Keymap::shipped();
        assert_eq!(map.look_up(Context::Main, &keys("ctrl-x")), Lookup::Prefix);
        assert_eq!(map.look_up(Context::Main, &keys("ctrl-x m")), Lookup::Action(Action::ToggleMouse));
        assert_eq!(map.look_up(Context::Main, &keys("ctrl-x q")), Lookup::Nothing);
        assert_eq!(map.look_up(Context::Picker, &keys("ctrl-l")), Lookup::Action(Action::Redraw));
        assert_eq!(map.look_up(Context::Completion, &keys("ctrl-c")), Lookup::Action(Action::Cancel));
        assert_eq!(map.look_up(Context::Picker, &keys("ctrl-x")), Lookup::Nothing);
    }
}
