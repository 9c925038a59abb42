//! Definitions in source code: functions, types, headings. Found line by line by patterns, not by parsers: it is for lists that
//! a person looks through, of files in any state.

use regex::Regex;
use std::sync::LazyLock;

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// The word that the language has for it: `fn`, `class`, `heading`.
    pub kind: String,
    /// From 1.
    pub line: u32,
}

/// Longer lines define nothing that one looks for.
const LONGEST: usize = 400;

/// Extensions, and patterns with a `name` and a `kind`; without a kind it is a function.
type Language = (&'static [&'static str], &'static [&'static str]);

const LANGUAGES: &[Language] = &[
    (
        &["rs"],
        &[
            r#"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|async|unsafe|const|extern(?:\s+"[^"]*")?)\s+)*(?P<kind>fn|struct|enum|trait|type|mod|union|const|static|macro_rules!)\s+(?:mut\s+)?(?P<name>[A-Za-z]\w*|_\w+)"#,
        ],
    ),
    (&["py", "pyi"], &[r"^\s*(?:async\s+)?(?P<kind>def|class)\s+(?P<name>\w+)"]),
    (
        &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        &[
            r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?P<kind>function|class|interface|type|enum|namespace)\b\*?\s+(?P<name>[A-Za-z_$][\w$]*)",
            r"^(?:export\s+)?(?:const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function\b|[A-Za-z_$][\w$]*\s*=>)",
        ],
    ),
    (&["go"], &[r"^(?P<kind>func|type|const|var)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_]\w*)"]),
    (
        &["java", "kt", "kts", "cs", "scala", "swift", "php", "dart"],
        &[
            r"^\s*(?:@\w+\s+)*(?:(?:public|private|protected|internal|open|abstract|final|static|sealed|data|override|inline|suspend|async|partial|case|export|mutating)\s+)*(?P<kind>class|interface|enum|record|object|struct|protocol|extension|trait|fun|func|function|def|mixin)\s+(?P<name>[A-Za-z_]\w*)",
            r"^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized)\s+)+[\w<>\[\], ?.]+\s+(?P<name>[A-Za-z_]\w*)\s*\(",
        ],
    ),
    (
        &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu"],
        &[
            r"^\s*(?:typedef\s+)?(?P<kind>struct|enum|union|class|namespace)\s+(?P<name>[A-Za-z_]\w*)[^;()]*$",
            r"^\s*#\s*(?P<kind>define)\s+(?P<name>[A-Za-z_]\w*)",
            r"^[A-Za-z_][\w\s*&:<>,~]*?[\s*&](?P<name>[A-Za-z_~][\w:~]*)\s*\([^;]*$",
        ],
    ),
    (&["rb", "rake"], &[r"^\s*(?P<kind>def|class|module)\s+(?P<name>[A-Za-z_][\w.:]*[?!=]?)"]),
    (
        &["lua"],
        &[
            r"^\s*(?:local\s+)?(?P<kind>function)\s+(?P<name>[A-Za-z_][\w.:]*)",
            r"^\s*(?:local\s+)?(?P<name>[A-Za-z_][\w.]*)\s*=\s*function\b",
        ],
    ),
    (
        &["sh", "bash", "zsh"],
        &[
            r"^\s*(?:function\s+)?(?P<name>[A-Za-z_][\w:-]*)\s*\(\)",
            r"^\s*(?P<kind>function)\s+(?P<name>[A-Za-z_][\w:-]*)",
        ],
    ),
    (&["ex", "exs"], &[r"^\s*(?P<kind>defmodule|defmacro|defp?)\s+(?P<name>[A-Za-z_][\w.]*[?!]?)"]),
    (&["zig"], &[r"^\s*(?:pub\s+)?(?:export\s+|inline\s+)?(?P<kind>fn|const)\s+(?P<name>[A-Za-z_]\w*)"]),
    (
        &["hs", "elm", "purs"],
        &[r"^(?P<kind>data|newtype|type|class|module)\s+(?P<name>[A-Z][\w.]*)", r"^(?P<name>[a-z_][\w']*)\s+::"],
    ),
    (&["ml", "mli", "fs"], &[r"^\s*(?P<kind>let|type|module|val)\s+(?:rec\s+)?(?P<name>[A-Za-z_][\w']*)"]),
    (
        &["sql"],
        &[
            r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?P<kind>table|view|function|procedure|index|trigger|type)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.]+)",
        ],
    ),
    (&["proto"], &[r"^\s*(?P<kind>message|service|enum|rpc)\s+(?P<name>\w+)"]),
    (&["md", "markdown"], &[r"^#{1,6}\s+(?P<name>\S.*?)\s*#*$"]),
];

static PATTERNS: LazyLock<Vec<(&[&str], Vec<Regex>)>> = LazyLock::new(|| {
    let read = |patterns: &[&str]| patterns.iter().filter_map(|p| Regex::new(p).ok()).collect();
    LANGUAGES.iter().map(|(extensions, patterns)| (*extensions, read(patterns))).collect()
});

/// Whether files of this extension are read at all.
pub fn reads(extension: &str) -> bool {
    patterns(extension).is_some()
}

/// The definitions in the text of a file with this extension, by line.
pub fn of(text: &str, extension: &str) -> Vec<Symbol> {
    let Some(patterns) = patterns(extension) else { return vec![] };
    let heading = matches!(extension, "md" | "markdown");
    let mut fenced = false;
    let mut found = vec![];
    for (number, line) in (1..).zip(text.lines()) {
        if heading && line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced || line.len() > LONGEST {
            continue;
        }
        let Some(captures) = patterns.iter().find_map(|pattern| pattern.captures(line)) else { continue };
        let kind = captures.name("kind").map_or(if heading { "heading" } else { "function" }, |kind| kind.as_str());
        if let Some(name) = captures.name("name").filter(|name| !is_keyword(name.as_str())) {
            found.push(Symbol { name: name.as_str().to_owned(), kind: kind.to_owned(), line: number });
        }
    }
    found
}

/// What looks like the name of a function in C and its like.
fn is_keyword(name: &str) -> bool {
    matches!(name, "if" | "for" | "while" | "switch" | "return" | "else" | "catch" | "sizeof" | "do")
}

fn patterns(extension: &str) -> Option<&'static [Regex]> {
    PATTERNS.iter().find(|(extensions, _)| extensions.contains(&extension)).map(|(_, patterns)| &patterns[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, extension: &str) -> Vec<String> {
        of(text, extension).into_iter().map(|s| format!("{} {} {}", s.line, s.kind, s.name)).collect()
    }

    #[test]
    fn every_pattern_is_one() {
        for ((extensions, patterns), (_, read)) in LANGUAGES.iter().zip(PATTERNS.iter()) {
            assert_eq!(patterns.len(), read.len(), "{extensions:?}");
        }
    }

    #[test]
    fn definitions_of_common_languages() {
        let rust = "pub(crate) async fn go<T>() {\n    let x = 1;\n}\nimpl X {\n    const fn new() -> X {\nstatic mut A: u8 = 1;\nmacro_rules! m {\n";
        assert_eq!(names(rust, "rs"), ["1 fn go", "5 fn new", "6 static A", "7 macro_rules! m"]);
        let python = "class A:\n    async def run(self):\n        pass\nx = def_of\n";
        assert_eq!(names(python, "py"), ["1 class A", "2 def run"]);
        let script = "export default class A {}\nexport const f = async (x) => x\nconst n = 3\nfunction* gen() {}\n";
        assert_eq!(names(script, "ts"), ["1 class A", "2 function f", "4 function gen"]);
        assert_eq!(names("func (s *S) Run() {\ntype S struct {\n", "go"), ["1 func Run", "2 type S"]);
        let c =
            "static int parse_row(const char *s)\n{\n    return go(s);\n    if (x) {\n}\nstruct row {\n#define MAX 3\n";
        assert_eq!(names(c, "c"), ["1 function parse_row", "6 struct row", "7 define MAX"]);
        let java = "public class A {\n    private static int f(int x) {\n        return g(x);\n";
        assert_eq!(names(java, "java"), ["1 class A", "2 function f"]);
        assert_eq!(names("# One\n```\n# no\n```\n## Two ##\n", "md"), ["1 heading One", "5 heading Two"]);
        assert_eq!(names("fn x() {}", "txt"), Vec::<String>::new());
    }
}
