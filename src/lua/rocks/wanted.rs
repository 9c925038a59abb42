//! A rock that the configuration asks for, and the module that panto loads of it.

use super::Tree;
use std::fmt;
use std::path::PathBuf;

/// An entry of `[extensions] rocks`: `name version`, or `name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub name: String,
    pub version: Option<String>,
}

impl Wanted {
    /// The error says what an entry looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().map(str::to_owned);
        match (words.next(), words.next(), words.next()) {
            (Some(name), version, None) if plain(&name) && version.as_deref().is_none_or(plain) => {
                Ok(Wanted { name, version })
            }
            _ => Err(format!("[extensions] rocks: {text:?} is not `name version`")),
        }
    }

    pub fn installed(&self, tree: &Tree) -> bool {
        tree.has(self.short_name(), self.version.as_deref())
    }

    /// Without the user's name that luarocks allows before it.
    fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The Lua file that stands for the rock: the module of its name, with `_` or `.` for `-`, or of its name without
    /// `panto-` or `lua-`.
    pub fn main_file(&self, tree: &Tree) -> Option<PathBuf> {
        let share = tree.share();
        let names = modules(self.short_name());
        let files = names.iter().flat_map(|module| {
            let path = module.replace('.', "/");
            [share.join(format!("{path}.lua")), share.join(path).join("init.lua")]
        });
        files.into_iter().find(|file| file.is_file())
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} {version}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Neither an option of luarocks nor a path.
fn plain(word: &str) -> bool {
    !word.starts_with(['-', '.', '/']) && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+~".contains(c))
}

fn modules(rock: &str) -> Vec<String> {
    let short = ["panto-", "lua-"].iter().find_map(|prefix| rock.strip_prefix(prefix));
    let names = std::iter::once(rock).chain(short);
    names.flat_map(|name| [name.to_owned(), name.replace('-', "_"), name.replace('-', ".")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r32_entries() {
        let wanted = Wanted::parse("panto-subagents  0.1.0").unwrap();
        assert_eq!((wanted.name.as_str(), wanted.version.as_deref()), ("panto-subagents", Some("0.1.0")));
        assert_eq!(Wanted::parse("me/mine").unwrap().to_string(), "me/mine");
        for bad in ["", "a b c", "--force x", "x --tree=/", "/etc/passwd"] {
            assert!(Wanted::parse(bad).unwrap_err().contains("`name version`"), "{bad}");
        }
    }

    #[test]
    fn r32_the_module_of_a_rock() {
        let data = tempfile::tempdir().unwrap();
        let tree = Tree::of(data.path());
        let main = |rock: &str| Wanted::parse(rock).unwrap().main_file(&tree);
        assert_eq!(main("panto-my-thing"), None);
        let file = tree.share().join("my/thing/init.lua");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        assert_eq!(main("panto-my-thing 1.0"), Some(file));
        let exact = tree.share().join("panto-my-thing.lua");
        std::fs::write(&exact, "").unwrap();
        assert_eq!(main("me/panto-my-thing"), Some(exact));
    }
}
