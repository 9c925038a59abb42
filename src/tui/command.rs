//! The slash commands that are built in: one table for the list behind `/`, the palette and the README.

use super::action::Action;

macro_rules! builtins {
    ($($name:ident = $word:literal, $args:literal, $doc:literal;)*) => {
        /// A built-in slash command.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Builtin { $($name),* }

        impl Builtin {
            pub const ALL: &'static [Builtin] = &[$(Builtin::$name),*];

            /// Without the slash.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$name => $word),* }
            }

            /// What may follow the name.
            pub fn args(self) -> &'static str {
                match self { $(Builtin::$name => $args),* }
            }

            pub fn doc(self) -> &'static str {
                match self { $(Builtin::$name => $doc),* }
            }
        }
    };
}

builtins! {
    New = "new", "", "a fresh session";
    Resume = "resume", "", "open another session";
    Fork = "fork", "", "go on in a copy of this session";
    Tree = "tree", "", "all branches of this session: go to another point, label, fork";
    Back = "back", "", "back to the branch that was left last";
    Compact = "compact", "[FOCUS]", "sum up what is old, so that the window has room";
    Name = "name", "TEXT", "name this session";
    Model = "model", "[PROVIDER:MODEL]", "choose a model";
    Login = "login", "[PROVIDER]", "keep an API key; it is checked first and shown nowhere";
    Logout = "logout", "[PROVIDER]", "forget a kept API key";
    Thinking = "thinking", "[LEVEL]", "choose how much the model thinks";
    Mode = "mode", "[MODE]", "choose what runs without asking: plan ask workspace auto";
    Jobs = "jobs", "", "agents and other jobs: open one, stop it, talk to it";
    Theme = "theme", "[NAME]", "choose a theme";
    Tools = "tools", "", "the tools that models are offered";
    Extensions = "extensions", "", "extensions: their state, rights and errors; switch, reload";
    Reload = "reload", "[NAME]", "run the code of extensions anew";
    Export = "export", "[PATH]", "write the transcript to a file (.md .html .jsonl)";
    Import = "import", "[--again] PATH", "make a session of a file of pi or Claude Code, or of each in a folder";
    Copy = "copy", "", "copy the last answer";
    Keys = "keys", "", "all keys";
    Help = "help", "", "what can be done";
    Settings = "settings", "[NAME]", "all settings, where each comes from, and to change them";
    Usage = "usage", "", "tokens and cost of this session";
    Trust = "trust", "", "trust this folder, or not";
    Quit = "quit", "", "quit";
}

impl Builtin {
    /// Whether the path of something that is there follows the name.
    pub fn takes_path(self) -> bool {
        self == Builtin::Import
    }

    /// The action that does the same, whose key is this command's as well.
    pub fn action(self) -> Option<Action> {
        Some(match self {
            Builtin::Resume => Action::Sessions,
            Builtin::Tree => Action::Tree,
            Builtin::Back => Action::Back,
            Builtin::Model => Action::Models,
            Builtin::Thinking => Action::ThinkingLevels,
            Builtin::Mode => Action::Modes,
            Builtin::Jobs => Action::Jobs,
            Builtin::Theme => Action::Themes,
            Builtin::Settings => Action::Settings,
            Builtin::Keys => Action::Keys,
            Builtin::Help => Action::Palette,
            Builtin::Quit => Action::Quit,
            _ => return None,
        })
    }

    pub fn named(name: &str) -> Option<Builtin> {
        Builtin::ALL.iter().copied().find(|b| b.name() == name)
    }
}

/// `/name and arguments` → (`name`, `and arguments`). None for a text that only begins with a slash, as a path does.
pub fn parse(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, args) = rest.split_at(end);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'));
    is_name.then(|| (name, args.trim()))
}

/// The README's table of commands.
pub fn table_markdown() -> String {
    let usage = |b: &Builtin| match b.args() {
        "" => format!("/{}", b.name()),
        args => format!("/{} {args}", b.name()),
    };
    let rows = Builtin::ALL.iter().map(|b| format!("| `{}` | {} |\n", usage(b), b.doc()));
    format!("| command | does |\n|---|---|\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_command() {
        assert_eq!(parse("/name Green Kettle "), Some(("name", "Green Kettle")));
        assert_eq!(parse("/quit"), Some(("quit", "")));
        assert_eq!(parse("/etc/hosts is broken"), None);
        assert_eq!(parse("/"), None);
        assert_eq!(parse("/ x"), None);
        assert_eq!(parse("no"), None);
    }
}
