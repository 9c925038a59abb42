//! `panto login` and `panto logout`: API keys that are kept, in the system keyring or in `auth.json`.
//!
//! A key is typed without being shown, or piped in; it is never an argument, which other users of the machine could see
//! and the shell would remember. It is checked with its server before it is kept.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::start::Start;
use super::{models, terminal::harmless};
use crate::provider::{KeyRow, ProviderError, Providers};
use crate::util::log;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io::{self, IsTerminal, Read, Write, stderr, stdin};

/// Bytes of a piped key that are read.
const LONGEST: u64 = 64 << 10;

/// How a key is kept.
#[derive(Debug, Clone, Copy)]
pub struct How {
    pub check: bool,
    /// It may lie in the system keyring.
    pub keyring: bool,
}

pub fn login(args: &Args, provider: Option<&str>, how: How, out: &mut dyn Write) -> Result<(), Failure> {
    let start = Start::find(args)?;
    log::start(&start.paths.data, args.place.log);
    let providers = models::loaded(args, &start)?;
    let provider = match provider {
        Some(provider) => provider.to_owned(),
        None => which(&providers)?,
    };
    let key = key(&provider)?;
    let kept = runtime()?.block_on(providers.login(&provider, &key, how.check, how.keyring));
    let words = kept.map_err(refused)?.to_string();
    Ok(writeln!(out, "{}", harmless(&words))?)
}

pub fn logout(args: &Args, provider: Option<&str>, out: &mut dyn Write) -> Result<(), Failure> {
    let start = Start::find(args)?;
    let providers = models::providers(&start);
    let kept = providers.kept_keys();
    let provider = match (provider, kept.as_slice()) {
        (Some(provider), _) => provider,
        (None, [only]) => only,
        (None, []) => return Err(Failure::new(Exit::Failed, "no key is kept")),
        (None, several) => {
            return Err(Failure::usage(format!("whose key? `panto logout PROVIDER`: {}", several.join(" "))));
        }
    };
    let words = runtime()?.block_on(providers.logout(provider)).map_err(refused)?;
    Ok(writeln!(out, "{}", harmless(&words))?)
}

fn refused(error: ProviderError) -> Failure {
    Failure::new(Exit::from(error.kind), error.message)
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| Failure::new(Exit::Failed, format!("cannot start: {e}")))
}

/// Asks which provider, by name or number.
fn which(providers: &Providers) -> Result<String, Failure> {
    let rows: Vec<KeyRow> = providers.keys().into_iter().filter(|row| row.required).collect();
    if !stdin().is_terminal() {
        let names: Vec<&str> = rows.iter().map(|row| row.provider.as_str()).collect();
        return Err(Failure::usage(format!("whose key? `panto login PROVIDER`: {}", names.join(" "))));
    }
    let mut out = stderr().lock();
    for (number, row) in rows.iter().enumerate() {
        let note = row.origins.first().map(|origin| format!("  (has a key: {origin})")).unwrap_or_default();
        writeln!(out, "{:>3}  {}{}", number + 1, harmless(&row.provider), harmless(&note))?;
    }
    write!(out, "provider (number or name): ")?;
    out.flush()?;
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    let word = line.trim();
    let by_number =
        word.parse::<usize>().ok().and_then(|n| rows.get(n.checked_sub(1)?)).map(|row| row.provider.clone());
    by_number
        .or_else(|| Some(word.to_owned()).filter(|w| !w.is_empty()))
        .ok_or_else(|| Failure::silent(Exit::Signal(2)))
}

/// The key, typed unseen or piped in.
fn key(provider: &str) -> Result<String, Failure> {
    if stdin().is_terminal() {
        return typed(&format!("API key of {provider} (not shown): "));
    }
    let mut bytes = Vec::new();
    stdin().lock().take(LONGEST).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(key) => Ok(key.to_owned()),
        None => Err(Failure::usage(format!("no key on standard input: `… | panto login {provider}`"))),
    }
}

fn typed(question: &str) -> Result<String, Failure> {
    let mut out = stderr().lock();
    // Before the question: what is pasted as soon as it stands there is not shown either.
    let unseen = Unseen::begin()?;
    write!(out, "{}", harmless(question))?;
    out.flush()?;
    let line = unseen.line();
    drop(unseen);
    writeln!(out)?;
    match line? {
        Some(key) => Ok(key),
        None => Err(Failure::silent(Exit::Signal(2))),
    }
}

/// The terminal while it shows nothing of what is typed.
struct Unseen;

impl Unseen {
    fn begin() -> io::Result<Self> {
        enable_raw_mode().map(|()| Unseen)
    }

    /// What is typed up to Enter; none after Ctrl-C, Ctrl-D or Esc.
    fn line(&self) -> io::Result<Option<String>> {
        let mut line = String::new();
        loop {
            match read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match press(key, &mut line) {
                    Pressed::Enter => return Ok(Some(line)),
                    Pressed::Leave => return Ok(None),
                    Pressed::Typed => {}
                },
                Event::Paste(text) => line.push_str(&text),
                _ => {}
            }
        }
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        let _ = disable_raw_mode();
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Pressed {
    Typed,
    Enter,
    Leave,
}

fn press(key: KeyEvent, line: &mut String) -> Pressed {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Enter => return Pressed::Enter,
        KeyCode::Char('m' | 'j') if control => return Pressed::Enter,
        KeyCode::Char('c' | 'd') if control => return Pressed::Leave,
        KeyCode::Esc => return Pressed::Leave,
        KeyCode::Char('u') if control => line.clear(),
        KeyCode::Char(c) if !control => line.push(c),
        KeyCode::Backspace => drop(line.pop()),
        _ => {}
    }
    Pressed::Typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_while_nothing_is_shown() {
        let mut line = String::from("wrong");
        let mut tap = |code, modifiers| press(KeyEvent::new(code, modifiers), &mut line);
        assert_eq!(tap(KeyCode::Char('u'), KeyModifiers::CONTROL), Pressed::Typed);
        for c in ['s', 'K', 'x'] {
            tap(KeyCode::Char(c), KeyModifiers::NONE);
        }
        tap(KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(tap(KeyCode::Char('c'), KeyModifiers::CONTROL), Pressed::Leave);
        assert_eq!(tap(KeyCode::Esc, KeyModifiers::NONE), Pressed::Leave);
        assert_eq!(tap(KeyCode::Enter, KeyModifiers::NONE), Pressed::Enter);
        assert_eq!(line, "sK");
    }
}
