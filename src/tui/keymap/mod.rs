//! Keys → actions, as data: the keymap in the binary, and the user's over it.
//!
//! A binding is a sequence of one or more keys in a context. A user's file that cannot be read, names an action that
//! doesn't exist, binds a key twice, one that begins a sequence or one that terminals cannot send gives complaints;
//! whatever is sound in it counts.

mod doubt;
mod extension;
mod load;
mod spoken;
mod table;

pub use extension::{Does, Extra, Refused, check};
pub use load::KeymapError;
pub use spoken::spoken;
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
    /// A question that is answered by typing or by choosing from a list.
    Form,
    /// What is searched for in the transcript is being typed.
    Search,
    /// The transcript has the keys.
    Transcript,
    /// The list of jobs has them.
    Jobs,
}

impl Context {
    pub const ALL: [Context; 9] = [
        Context::Global,
        Context::Main,
        Context::Picker,
        Context::Completion,
        Context::Dialog,
        Context::Form,
        Context::Search,
        Context::Transcript,
        Context::Jobs,
    ];

    /// The table's name in keymap.toml.
    pub fn name(self) -> &'static str {
        match self {
            Context::Global => "global",
            Context::Main => "main",
            Context::Picker => "picker",
            Context::Completion => "completion",
            Context::Dialog => "dialog",
            Context::Form => "form",
            Context::Search => "search",
            Context::Transcript => "transcript",
            Context::Jobs => "jobs",
        }
    }

    /// Where else to look, in order.
    fn fallbacks(self) -> &'static [Context] {
        match self {
            Context::Completion => &[Context::Completion, Context::Main, Context::Global],
            Context::Main => &[Context::Main, Context::Global],
            Context::Picker => &[Context::Picker, Context::Global],
            Context::Dialog => &[Context::Dialog, Context::Global],
            Context::Form => &[Context::Form, Context::Picker, Context::Global],
            Context::Search => &[Context::Search, Context::Global],
            Context::Transcript => &[Context::Transcript, Context::Main, Context::Global],
            Context::Jobs => &[Context::Jobs, Context::Main, Context::Global],
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
    /// It is the user's.
    own: bool,
}

/// What keys mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    Action(Action),
    /// A key of an extension, by its place in `Keymap::extra`.
    Extra(usize),
    /// The beginning of a sequence.
    Prefix,
    Nothing,
}

/// All bindings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
    /// Those of extensions, and those that they could not have.
    extra: Vec<Extra>,
    refused: Vec<Refused>,
    /// What is wrong with the user's file.
    complaints: Vec<KeymapError>,
}

impl Keymap {
    /// What these keys, pressed one after the other, mean in a context.
    pub fn look_up(&self, context: Context, keys: &[Key]) -> Lookup {
        for place in context.fallbacks() {
            let extra = || self.extra.iter().filter(|e| e.context == *place);
            if let Some(at) = self.extra.iter().position(|e| e.context == *place && e.keys == keys) {
                return Lookup::Extra(at);
            }
            let here = || self.bindings.iter().filter(|b| b.context == *place);
            if let Some(binding) = here().find(|b| b.keys == keys) {
                return binding.action.map_or(Lookup::Nothing, Lookup::Action);
            }
            let begins = |longer: &[Key]| longer.len() > keys.len() && longer.starts_with(keys);
            let bound = here().filter(|b| b.action.is_some()).map(|b| &b.keys);
            if bound.chain(extra().map(|e| &e.keys)).any(|longer| begins(longer)) {
                return Lookup::Prefix;
            }
        }
        Lookup::Nothing
    }

    /// The keys of an action, as written (`ctrl-x m`), in the order of the files.
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        self.names(|b| b.action == Some(action))
    }

    /// Those that it has in a context itself.
    pub fn keys_in(&self, context: Context, action: Action) -> Vec<String> {
        self.names(|b| b.action == Some(action) && b.context == context)
    }

    fn names(&self, is: impl Fn(&Binding) -> bool) -> Vec<String> {
        let bound = self.bindings.iter().filter(|b| is(b));
        let mut names = vec![];
        for name in bound.map(|b| written(&b.keys)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
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
    fn the_first_key_in_the_file_is_the_first_that_is_shown() {
        let map = Keymap::shipped();
        assert_eq!(map.keys_of(Action::Newline), ["shift-enter", "alt-enter", "ctrl-j"]);
        assert_eq!(map.keys_of(Action::CursorDown)[0], "down");
    }

    #[test]
    fn sequences_and_fallbacks() {
        let map = Keymap::shipped();
        assert_eq!(map.look_up(Context::Main, &keys("ctrl-x")), Lookup::Prefix);
        assert_eq!(map.look_up(Context::Main, &keys("ctrl-x m")), Lookup::Action(Action::ToggleMouse));
        assert_eq!(map.look_up(Context::Main, &keys("ctrl-x y")), Lookup::Nothing);
        assert_eq!(map.look_up(Context::Picker, &keys("ctrl-l")), Lookup::Action(Action::Redraw));
        assert_eq!(map.look_up(Context::Completion, &keys("ctrl-c")), Lookup::Action(Action::Cancel));
        assert_eq!(map.look_up(Context::Picker, &keys("ctrl-x")), Lookup::Nothing);
    }
}
