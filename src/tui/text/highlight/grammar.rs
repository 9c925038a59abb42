//! syntect's grammars, and what their scopes mean here.

use super::Part;
use crate::tui::theme::Role;
use syntect::parsing::{ParseState, Scope, ScopeStack, ScopeStackOp, SyntaxSet};

/// The state of a grammar between two lines.
#[derive(Debug, Clone)]
pub(super) struct Grammar {
    parser: ParseState,
    scopes: ScopeStack,
}

impl Grammar {
    /// None if no grammar has that name or extension.
    pub fn new(set: &SyntaxSet, name: &str) -> Option<Self> {
        let syntax = set.find_syntax_by_token(name)?;
        Some(Grammar { parser: ParseState::new(syntax), scopes: ScopeStack::new() })
    }

    pub fn line(&mut self, set: &SyntaxSet, line: &str, parts: &mut Vec<Part>) {
        let ops = self.parser.parse_line(&format!("{line}\n"), set).unwrap_or_default();
        let mut start = 0;
        for (at, op) in ops {
            let at = at.min(line.len());
            if at > start {
                parts.push((at - start, self.role()));
                start = at;
            }
            self.apply(&op);
        }
        if start < line.len() {
            parts.push((line.len() - start, self.role()));
        }
    }

    fn apply(&mut self, op: &ScopeStackOp) {
        // a grammar that restores what it never cleared is wrong in a detail of its colours, no more
        let _ = self.scopes.apply(op);
    }

    /// The innermost scope that means something decides.
    fn role(&self) -> Role {
        self.scopes.as_slice().iter().rev().find_map(|scope| scope_role(*scope)).unwrap_or(Role::CodeBlock)
    }
}

/// Beginnings of scope names (after the Sublime Text guidelines) and what they mean; the longer ones first.
const SCOPES: &[(&str, Role)] = &[
    ("comment", Role::SyntaxComment),
    ("punctuation.definition.comment", Role::SyntaxComment),
    ("punctuation.definition.string", Role::SyntaxString),
    ("constant.numeric", Role::SyntaxNumber),
    ("constant", Role::SyntaxConstant),
    ("string", Role::SyntaxString),
    ("entity.name.function", Role::SyntaxFunction),
    ("support.function", Role::SyntaxFunction),
    ("variable.function", Role::SyntaxFunction),
    ("entity.name.tag", Role::SyntaxTag),
    ("entity.other.attribute-name", Role::SyntaxAttribute),
    ("entity.name.section", Role::SyntaxHeading),
    ("markup.heading", Role::SyntaxHeading),
    ("markup.inserted", Role::SyntaxInserted),
    ("markup.deleted", Role::SyntaxDeleted),
    ("entity.name", Role::SyntaxType),
    ("entity.other.inherited-class", Role::SyntaxType),
    ("support", Role::SyntaxType),
    ("keyword.operator", Role::SyntaxOperator),
    ("storage.type", Role::SyntaxKeyword),
    ("storage", Role::SyntaxKeyword),
    ("keyword", Role::SyntaxKeyword),
    ("variable", Role::SyntaxVariable),
    ("punctuation", Role::SyntaxPunctuation),
];

fn scope_role(scope: Scope) -> Option<Role> {
    let name = scope.build_string();
    let begins = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    SCOPES.iter().find(|(prefix, _)| begins(prefix)).map(|(_, role)| *role)
}
