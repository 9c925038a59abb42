//! `panto extensions`: who brings which tools and commands, and what could not be loaded.

use super::args::Args;
use super::failure::Failure;
use super::scripts;
use super::start::Start;
use super::terminal::harmless;
use crate::backend::{CommandDecl, Diagnostic, Extensions};
use crate::tool::{ToolDecl, ToolSource};
use std::io::Write;

/// Lists them. What failed makes no failure: it is told, the rest works.
pub fn run(args: &Args, start: &Start, out: &mut dyn Write) -> Result<(), Failure> {
    let lua = scripts::start(args, start, false);
    let failed = scripts::load(&lua, start.trust.allows())?;
    let text = list(&lua.tools(), &lua.commands(), &failed);
    Ok(out.write_all(harmless(&text).as_bytes())?)
}

fn list(tools: &[ToolDecl], commands: &[CommandDecl], failed: &[Diagnostic]) -> String {
    let mut text = String::new();
    for origin in origins(tools, commands) {
        let brought = |name: &str, words: Vec<&str>| match words.len() {
            0 => String::new(),
            _ => format!("  {name:<8} {}\n", words.join(" ")),
        };
        let mine: Vec<&str> = tools.iter().filter(|t| t.origin == origin).map(|t| t.name.as_str()).collect();
        let slashed: Vec<String> =
            commands.iter().filter(|c| c.origin == origin).map(|c| format!("/{}", c.name)).collect();
        text.push_str(&format!("{origin}\n"));
        text.push_str(&brought("tools", mine));
        text.push_str(&brought("commands", slashed.iter().map(String::as_str).collect()));
    }
    for Diagnostic { extension, message } in failed {
        text.push_str(&format!("✗ {extension}\n  {}\n", message.trim_end().replace('\n', "\n  ")));
    }
    text
}

/// In the order in which they first registered something.
fn origins<'a>(tools: &'a [ToolDecl], commands: &'a [CommandDecl]) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for origin in tools.iter().map(|t| t.origin.as_str()).chain(commands.iter().map(|c| c.origin.as_str())) {
        if !seen.contains(&origin) {
            seen.push(origin);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Words;

    fn tool(name: &str, origin: &str) -> ToolDecl {
        ToolDecl {
            name: name.into(),
            description: String::new(),
            schema: serde_json::json!({}),
            words: Words::default(),
            readonly: false,
            sequential: false,
            timeout: None,
            max_output: None,
            aliases: Default::default(),
            origin: origin.into(),
        }
    }

    #[test]
    fn what_each_brings_and_what_failed() {
        let tools = [tool("std.read", "built-in"), tool("greet", "hello"), tool("std.ls", "built-in")];
        let commands = [CommandDecl {
            name: "shout".into(),
            description: String::new(),
            origin: "hello".into(),
            completes: false,
        }];
        let failed = [Diagnostic { extension: "a".into(), message: "a.lua:3: no\nstack\n".into() }];
        let want = "built-in\n  tools    std.read std.ls\nhello\n  tools    greet\n  commands /shout\n✗ a\n  a.lua:3: no\n  stack\n";
        assert_eq!(list(&tools, &commands, &failed), want);
    }
}
