//! Code in colours, by syntect's grammars. They are loaded when the first code comes up that has one.

use super::page::Page;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Bytes that are coloured in a document, and of one line; the rest stays plain.
const MOST: usize = 1 << 20;
const LONGEST_LINE: usize = 2000;
/// Characters of a language's name that are shown.
const NAME: usize = 30;

/// Beginnings of scope names and the class they are shown with; the first that fits decides.
const SCOPES: &[(&str, &str)] = &[
    ("comment", "c"),
    ("punctuation.definition.comment", "c"),
    ("punctuation.definition.string", "s"),
    ("constant", "n"),
    ("string", "s"),
    ("entity.name.function", "f"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("entity.name.tag", "g"),
    ("entity.other.attribute-name", "t"),
    ("entity.name", "t"),
    ("support", "t"),
    ("keyword.operator", "o"),
    ("storage", "k"),
    ("keyword", "k"),
    ("markup.inserted", "s"),
    ("markup.deleted", "g"),
    ("punctuation", "p"),
];

/// Languages that the grammars know by a relative's name.
const RELATIVES: [(&str, &str); 8] = [
    ("ts", "js"),
    ("tsx", "js"),
    ("jsx", "js"),
    ("typescript", "js"),
    ("jsonc", "json"),
    ("console", "sh"),
    ("shell", "sh"),
    ("zsh", "sh"),
];

#[derive(Default)]
pub struct Colours {
    set: Option<SyntaxSet>,
    used: usize,
}

impl Colours {
    /// A block of code. `language` is the info string of a fence, or nothing.
    pub fn block(&mut self, page: &mut Page, language: &str, code: &str) {
        let name = language.split(|c: char| c.is_whitespace() || ",{:".contains(c)).find(|w| !w.is_empty());
        let name: String = name.unwrap_or_default().chars().take(NAME).collect();
        let code = code.trim_end_matches('\n');
        page.raw("<pre class=\"code\">");
        if !name.is_empty() && name != "json" {
            page.raw("<span class=\"lang\">").text(&name).raw("</span>");
        }
        page.raw("<code>");
        match self.used + code.len() <= MOST && !name.is_empty() {
            true => self.coloured(page, &name.to_ascii_lowercase(), code),
            false => drop(page.text(code)),
        }
        page.raw("</code></pre>\n");
    }

    fn coloured(&mut self, page: &mut Page, name: &str, code: &str) {
        let name = RELATIVES.iter().find(|(relative, _)| *relative == name).map_or(name, |(_, known)| known);
        let set = self.set.get_or_insert_with(SyntaxSet::load_defaults_newlines);
        match set.find_syntax_by_token(name) {
            Some(syntax) => {
                self.used += code.len();
                lines(page, set, syntax, code);
            }
            None => drop(page.text(code)),
        }
    }
}

fn lines(page: &mut Page, set: &SyntaxSet, syntax: &SyntaxReference, code: &str) {
    let (mut parser, mut scopes) = (ParseState::new(syntax), ScopeStack::new());
    for line in code.split_inclusive('\n') {
        if line.len() > LONGEST_LINE {
            page.text(line);
            continue;
        }
        let whole = format!("{}\n", line.trim_end_matches('\n'));
        let mut start = 0;
        for (at, op) in parser.parse_line(&whole, set).unwrap_or_default() {
            let at = at.min(line.len());
            if let Some(part) = line.get(start..at).filter(|part| !part.is_empty()) {
                span(page, &scopes, part);
                start = at;
            }
            // A grammar that is wrong costs a detail of the colours, no more.
            let _ = scopes.apply(&op);
        }
        span(page, &scopes, line.get(start..).unwrap_or_default());
    }
}

fn span(page: &mut Page, scopes: &ScopeStack, part: &str) {
    match scopes.as_slice().iter().rev().find_map(|scope| class(*scope)) {
        Some(class) if !part.trim().is_empty() => {
            page.raw("<i class=\"").raw(class).raw("\">").text(part).raw("</i>");
        }
        _ => drop(page.text(part)),
    }
}

fn class(scope: Scope) -> Option<&'static str> {
    let name = scope.build_string();
    let begins = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    SCOPES.iter().find(|(prefix, _)| begins(prefix)).map(|(_, class)| *class)
}
