//! Names on the wire: `[a-zA-Z0-9_-]{1,64}`, by a table per request that is reversible and free of clashes.

use std::collections::{HashMap, HashSet};

const LONGEST: usize = 64;

/// The table of one request.
#[derive(Debug, Clone, Default)]
pub struct WireNames {
    wire: HashMap<String, String>,
    canonical: HashMap<String, String>,
}

impl WireNames {
    /// A table for these canonical names. Legal names stay what they are; of the others, earlier ones get the plainer name.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut seen = HashSet::new();
        let names: Vec<&str> = names.into_iter().filter(|n| seen.insert(*n)).collect();
        let mut table = WireNames::default();
        let (legal, other): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|n| is_legal(n));
        for name in legal {
            table.insert(name, name.to_owned());
        }
        for name in other {
            let free = table.free(&sanitise(name));
            table.insert(name, free);
        }
        table
    }

    fn insert(&mut self, canonical: &str, wire: String) {
        self.canonical.insert(wire.clone(), canonical.to_owned());
        self.wire.insert(canonical.to_owned(), wire);
    }

    fn free(&self, plain: &str) -> String {
        let taken = |n: &str| self.canonical.contains_key(n);
        if !taken(plain) {
            return plain.to_owned();
        }
        let numbered = |i: usize| {
            let end = format!("_{i}");
            format!("{}{end}", &plain[..plain.len().min(LONGEST - end.len())])
        };
        (2..).map(numbered).find(|n| !taken(n)).unwrap_or_else(|| plain.to_owned())
    }

    /// The wire name of a canonical one; names that are not in the table are sanitised.
    pub fn wire(&self, canonical: &str) -> String {
        self.wire.get(canonical).cloned().unwrap_or_else(|| sanitise(canonical))
    }

    /// The canonical name of what a model called; what is not in the table stays as it is.
    pub fn canonical(&self, wire: &str) -> String {
        self.canonical.get(wire).cloned().unwrap_or_else(|| wire.to_owned())
    }
}

fn is_legal_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn is_legal(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_legal_char)
}

fn sanitise(name: &str) -> String {
    let plain: String = name.chars().map(|c| if is_legal_char(c) { c } else { '_' }).take(LONGEST).collect();
    if plain.is_empty() { "_".into() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dots_become_underscores_without_clashes() {
        let names = WireNames::new(["my.tool", "my_tool", "std.read"]);
        assert_eq!(names.wire("my_tool"), "my_tool");
        assert_eq!(names.wire("my.tool"), "my_tool_2");
        assert_eq!(names.wire("std.read"), "std_read");
        assert_eq!(names.canonical("std_read"), "std.read");
    }

    proptest! {
        #[test]
        fn every_table_is_reversible_and_legal(names in proptest::collection::vec(".{0,80}", 0..20)) {
            let table = WireNames::new(names.iter().map(String::as_str));
            let mut seen = HashSet::new();
            for name in names.iter().collect::<HashSet<_>>() {
                let wire = table.wire(name);
                prop_assert!(is_legal(&wire));
                prop_assert!(seen.insert(wire.clone()));
                prop_assert_eq!(&table.canonical(&wire), name);
            }
        }
    }
}
