//! keymap.toml → bindings, with complaints that name file, line and the nearest action.

use super::doubt::{self, Doubt};
use super::{Binding, Context, Keymap, written};
use crate::tui::action::Action;
use crate::tui::input::Key;
use std::borrow::Cow;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

const SHIPPED: &str = include_str!("../../../assets/keymap.toml");
/// What the parser says of a key that stands there already; all else that it says makes the file unreadable.
const TWICE: &str = "duplicate key";

/// Something wrong with a keymap; the rest of the file counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct KeymapError {
    pub file: String,
    pub line: Option<usize>,
    pub what: String,
    /// It is right in a terminal that speaks the keyboard protocol.
    pub by_terminal: bool,
}

impl Keymap {
    /// The keymap in the binary.
    pub fn shipped() -> Keymap {
        let mut map = Keymap::default();
        let errors = map.add(SHIPPED, "keymap.toml");
        debug_assert_eq!(errors, [], "the shipped keymap is sound");
        map
    }

    /// The shipped keymap with the user's over it; `complaints` says what is wrong with that. A file that isn't there is
    /// fine.
    pub fn with_user(path: &Path) -> Keymap {
        let mut map = Keymap::shipped();
        let file = path.display().to_string();
        map.complaints = match std::fs::read_to_string(path) {
            Ok(text) => map.add_own(&text, &file),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => vec![],
            Err(e) => {
                let what = format!("cannot be read: {e}");
                vec![KeymapError { file, line: None, what, by_terminal: false }]
            }
        };
        map
    }

    /// What is wrong with the user's keymap, by line.
    pub fn complaints(&self) -> &[KeymapError] {
        &self.complaints
    }

    /// Adds the bindings of a file; what is wrong with it comes back.
    pub fn add(&mut self, text: &str, file: &str) -> Vec<KeymapError> {
        self.add_of(text, file, false)
    }

    /// Adds those of the user, which count more than those of extensions.
    pub fn add_own(&mut self, text: &str, file: &str) -> Vec<KeymapError> {
        self.add_of(text, file, true)
    }

    fn add_of(&mut self, text: &str, file: &str, own: bool) -> Vec<KeymapError> {
        let mut source = Source { text, file, own, errors: vec![] };
        let (root, faults) = DeTable::parse_recoverable(text);
        match faults.iter().find(|fault| fault.message() != TWICE) {
            Some(fault) => source.complain(at(fault), fault.message().to_owned()),
            None => {
                faults.iter().for_each(|fault| source.complain_twice(fault));
                let tables = in_order(root.get_ref()).into_iter();
                tables.for_each(|(name, table)| self.add_table(name, table, &mut source));
            }
        }
        self.find_conflicts(&mut source);
        source.errors.sort_by_key(|error| error.line);
        source.errors
    }

    fn add_table(&mut self, name: &Spanned<Cow<str>>, table: &Spanned<DeValue>, source: &mut Source) {
        let context = Context::ALL.into_iter().find(|c| c.name() == name.get_ref().as_ref());
        let (Some(context), DeValue::Table(rows)) = (context, table.get_ref()) else {
            let known = Context::ALL.map(|c| format!("[{}]", c.name())).join(" ");
            let near = crate::config::nearest(name.get_ref(), &Context::ALL.map(Context::name));
            let near = near.map(|near| format!("did you mean [{near}]? ")).unwrap_or_default();
            return source.complain(
                Some(name.span().start),
                format!("`{}` is no part of a keymap; {near}there are {known}", name.get_ref()),
            );
        };
        let mut before: Vec<(Binding, usize)> = vec![];
        for (keys, action) in in_order(rows) {
            let at = keys.span().start;
            match binding(context, keys.get_ref(), action.get_ref()) {
                Ok(binding) => {
                    source.doubt(at, keys.get_ref(), &binding);
                    source.compare(at, &binding, &before);
                    before.push((binding.clone(), at));
                    self.bind(Binding { own: source.own, ..binding });
                }
                Err(what) => source.complain(Some(at), what),
            }
        }
    }

    /// A key that is bound and begins a longer binding can never reach the longer one.
    fn find_conflicts(&self, source: &mut Source) {
        for short in self.bindings.iter().filter(|b| b.action.is_some()) {
            let hidden = self.bindings.iter().find(|long| {
                long.context == short.context
                    && long.action.is_some()
                    && long.keys.len() > short.keys.len()
                    && long.keys.starts_with(&short.keys)
            });
            if let Some(long) = hidden {
                let (context, short, long) = (short.context.name(), written(&short.keys), written(&long.keys));
                let at = source.text.find(&format!("\"{short}\"")).or_else(|| source.text.find(&format!("\"{long}\"")));
                source.complain(at, format!("in [{context}] `{short}` hides `{long}`: set one of them to \"none\""));
            }
        }
    }
}

/// The rows as they stand in the file: the first key of an action is the one that is shown.
fn in_order<'t, 'a>(rows: &'t DeTable<'a>) -> Vec<(&'t Spanned<Cow<'a, str>>, &'t Spanned<DeValue<'a>>)> {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by_key(|(keys, _)| keys.span().start);
    rows
}

fn binding(context: Context, keys: &str, action: &DeValue) -> Result<Binding, String> {
    let keys: Vec<Key> =
        keys.split_whitespace().map(str::parse).collect::<Result<_, _>>().map_err(|e| format!("{e}"))?;
    let DeValue::String(name) = action else {
        return Err(format!("`{}` needs the name of an action in quotes", written(&keys)));
    };
    if keys.is_empty() {
        return Err("a binding needs a key".into());
    }
    let action = match name.as_ref() {
        "none" => None,
        name => Some(Action::named(name).ok_or_else(|| unknown(name))?),
    };
    Ok(Binding { context, keys, action, own: false })
}

pub(super) fn unknown(name: &str) -> String {
    let near = Action::ALL.iter().map(|a| a.name()).min_by_key(|n| strsim::damerau_levenshtein(n, name));
    format!("`{name}` is not an action; the nearest is `{}`", near.unwrap_or_default())
}

/// The file at hand, and what is wrong with it.
struct Source<'a> {
    text: &'a str,
    file: &'a str,
    /// The user's.
    own: bool,
    errors: Vec<KeymapError>,
}

impl Source<'_> {
    fn complain(&mut self, at: Option<usize>, what: String) {
        self.push(at, what, false);
    }

    fn push(&mut self, at: Option<usize>, what: String, by_terminal: bool) {
        let line = at.map(|at| self.line(at));
        self.errors.push(KeymapError { file: self.file.to_owned(), line, what, by_terminal });
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text[..at.min(self.text.len())].matches('\n').count()
    }

    /// A key, or a part, that is written the same way a second time.
    fn complain_twice(&mut self, fault: &Error) {
        let name = fault.span().and_then(|span| self.text.get(span)).unwrap_or_default().trim_matches('"');
        self.complain(at(fault), format!("`{name}` stands here a second time; the first counts"));
    }

    /// The same key, written in another way, for something else.
    fn compare(&mut self, at: usize, binding: &Binding, before: &[(Binding, usize)]) {
        let same = |(other, _): &&(Binding, usize)| other.keys == binding.keys && other.action != binding.action;
        if let Some((other, place)) = before.iter().find(same) {
            let name = |b: &Binding| b.action.map_or("none", Action::name);
            let (context, keys, line) = (binding.context.name(), written(&binding.keys), self.line(*place));
            let (was, is) = (name(other), name(binding));
            self.complain(
                Some(at),
                format!(
                    "in [{context}] `{keys}` is `{was}` (line {line}) and `{is}`: one key, two actions; the last counts"
                ),
            );
        }
    }

    fn doubt(&mut self, at: usize, text: &str, binding: &Binding) {
        if !self.own || binding.action.is_none() {
            return;
        }
        match doubt::of(text, binding.context, &binding.keys) {
            Some(Doubt::Never(what)) => self.complain(Some(at), what),
            Some(Doubt::ByTerminal(what)) => self.push(Some(at), what, true),
            None => {}
        }
    }
}

fn at(fault: &Error) -> Option<usize> {
    fault.span().map(|span| span.start)
}

#[cfg(test)]
mod tests {
    use super::super::Lookup;
    use super::*;

    fn user(text: &str) -> (Keymap, Vec<String>) {
        let mut map = Keymap::shipped();
        let errors = map.add_own(text, "k.toml");
        (map, errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_shipped_one_is_sound() {
        let mut map = Keymap::default();
        assert_eq!(map.add(SHIPPED, "keymap.toml"), []);
    }

    #[test]
    fn the_user_overrides_by_key() {
        let (map, errors) = user("[main]\n\"ctrl-t\" = \"quit\"\n\"ctrl-o\" = \"none\"\n");
        assert_eq!(errors, Vec::<String>::new());
        let at = |k: &str| map.look_up(Context::Main, &[k.parse().unwrap()]);
        assert_eq!(at("ctrl-t"), Lookup::Action(Action::Quit));
        assert_eq!(at("ctrl-o"), Lookup::Nothing);
        assert_eq!(at("ctrl-p"), Lookup::Action(Action::Palette));
    }

    #[test]
    fn complaints_name_file_line_and_the_nearest() {
        let (map, errors) = user("[main]\n\"ctrl-t\" = \"qiut\"\n\"ctrl-q\" = \"quit\"\n[nowhere]\n");
        assert_eq!(errors.len(), 2);
        assert!(errors[0].starts_with("k.toml:2:") && errors[0].contains("`quit`"), "{}", errors[0]);
        assert!(errors[1].starts_with("k.toml:4:") && errors[1].contains("[main]"), "{}", errors[1]);
        let quit = map.look_up(Context::Main, &["ctrl-q".parse().unwrap()]);
        assert_eq!(quit, Lookup::Action(Action::Quit), "the sound rows count");
    }

    #[test]
    fn what_is_not_toml_is_said_with_its_line() {
        let (map, errors) = user("\n\nthis is not [toml");
        assert!(errors[0].starts_with("k.toml:3:"), "{}", errors[0]);
        assert_eq!(map, Keymap::shipped());
    }

    #[test]
    fn a_key_that_hides_a_sequence_is_a_conflict() {
        let (_, errors) = user("[main]\n\"ctrl-x\" = \"quit\"\n");
        assert_eq!(errors.len(), 1);
        assert!(errors[0].starts_with("k.toml:2:") && errors[0].contains("ctrl-x m"), "{}", errors[0]);
    }

    #[test]
    fn bad_keys_and_values() {
        let (_, errors) = user("[main]\n\"hyper-x\" = \"quit\"\n\"ctrl-q\" = 3\n\"\" = \"quit\"\n");
        assert_eq!(errors.len(), 3, "{errors:?}");
    }

    #[test]
    fn one_key_for_two_actions_is_a_conflict_however_it_is_written() {
        let (map, errors) = user("[main]\n\"ctrl-t\" = \"quit\"\n\"ctrl-q\" = \"quit\"\n\"ctrl-T\" = \"redraw\"\n");
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with("k.toml:4: in [main] `ctrl-t` is `quit` (line 2) and `redraw`"), "{}", errors[0]);
        assert_eq!(map.look_up(Context::Main, &["ctrl-t".parse().unwrap()]), Lookup::Action(Action::Redraw));
        let (map, errors) = user("[main]\n\"ctrl-t\" = \"quit\"\n\"ctrl-t\" = \"redraw\"\n\"ctrl-q\" = \"quit\"\n");
        assert_eq!(errors, ["k.toml:3: `ctrl-t` stands here a second time; the first counts"]);
        assert_eq!(map.look_up(Context::Main, &["ctrl-t".parse().unwrap()]), Lookup::Action(Action::Quit));
        assert_eq!(map.look_up(Context::Main, &["ctrl-q".parse().unwrap()]), Lookup::Action(Action::Quit));
    }

    #[test]
    fn an_unknown_part_names_the_nearest() {
        let (_, errors) = user("[mian]\n\"ctrl-q\" = \"quit\"\n");
        assert!(errors[0].contains("did you mean [main]?"), "{}", errors[0]);
    }
}
