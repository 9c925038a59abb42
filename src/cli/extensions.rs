//! `panto extensions`: each extension with its state, its rights and what it brings, and what could not be loaded.

use super::args::Args;
use super::failure::Failure;
use super::scripts;
use super::start::Start;
use super::terminal::harmless;
use crate::backend::{Diagnostic, ExtensionList, ExtensionState, ExtensionStatus, Extensions};
use std::io::Write;

/// Lists them. What failed makes no failure: it is told, the rest works.
pub fn run(args: &Args, start: &Start, out: &mut dyn Write) -> Result<(), Failure> {
    let lua = scripts::start(args, start, false);
    let failed = scripts::load(&lua, start.trust.allows())?;
    let text = list(&scripts::wait(lua.list())?, &failed);
    Ok(out.write_all(harmless(&text).as_bytes())?)
}

fn list(all: &ExtensionList, failed: &[Diagnostic]) -> String {
    let mut text: String = all.extensions.iter().filter(|e| e.status != ExtensionStatus::Failed).map(entry).collect();
    for Diagnostic { extension, message } in failed {
        text.push_str(&format!("✗ {extension}\n  {}\n", message.trim_end().replace('\n', "\n  ")));
    }
    text
}

fn entry(e: &ExtensionState) -> String {
    let mut head = vec![e.name.clone()];
    head.extend(e.version.clone());
    if e.status != ExtensionStatus::Loaded {
        head.push(format!("({})", e.status.words()));
    }
    let mut text = head.join(" ") + "\n";
    let mut line = |name: &str, words: String| {
        if !words.is_empty() {
            text.push_str(&format!("  {name:<9} {words}\n"));
        }
    };
    line("about", e.description.clone().unwrap_or_default());
    line("from", e.file.as_ref().map(|f| format!("{} ({})", f.display(), e.layer)).unwrap_or_default());
    line("rights", e.file.as_ref().map(|_| rights(e.needs.as_deref())).unwrap_or_default());
    for (kind, names) in e.brings() {
        line(kind, names.join(" "));
    }
    line("hooks", Some(e.hooks).filter(|n| *n > 0).map(|n| n.to_string()).unwrap_or_default());
    text
}

/// What it may do.
fn rights(needs: Option<&[String]>) -> String {
    match needs {
        None => "everything".into(),
        Some([]) => "none".into(),
        Some(needs) => needs.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str, status: ExtensionStatus) -> ExtensionState {
        let file = Some(format!("/e/{name}.lua").into());
        ExtensionState { name: name.into(), layer: "user".into(), file, status, ..ExtensionState::default() }
    }

    #[test]
    fn what_each_brings_may_and_what_failed() {
        let built_in = ExtensionState {
            file: None,
            tools: vec!["std.read".into(), "std.ls".into()],
            ..state("built-in", ExtensionStatus::Loaded)
        };
        let hello = ExtensionState {
            version: Some("1.2".into()),
            needs: Some(vec!["fs_read".into(), "ui".into()]),
            commands: vec!["shout".into()],
            hooks: 2,
            themes: vec!["dusk".into()],
            ..state("hello", ExtensionStatus::Loaded)
        };
        let none = ExtensionState { needs: Some(vec![]), ..state("off", ExtensionStatus::Disabled) };
        let extensions = vec![built_in, hello, none, state("a", ExtensionStatus::Failed)];
        let failed = [Diagnostic { extension: "a".into(), message: "a.lua:3: no\nstack\n".into() }];
        let want = "built-in\n  tools     std.read std.ls\n\
            hello 1.2\n  from      /e/hello.lua (user)\n  rights    fs_read ui\n  commands  /shout\n  themes    dusk\n  hooks     2\n\
            off (disabled)\n  from      /e/off.lua (user)\n  rights    none\n\
            ✗ a\n  a.lua:3: no\n  stack\n";
        assert_eq!(list(&ExtensionList { extensions, memory: 0 }, &failed), want);
    }
}
