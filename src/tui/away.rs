//! The terminal is somebody else's for a while: an editor's, or the normal screen's with the whole transcript on it.
//!
//! Meanwhile nothing is drawn and what the backend tells waits. While an editor runs nobody else reads the terminal, and
//! an interrupt from its keyboard is the editor's affair, since both are one job of the shell.

use super::perform::Next;
use super::program::Program;
use super::signals::Asked;
use super::terminal::print;
use super::update::Message;
use super::{effect::Errand, shutdown};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitStatus;
use tempfile::NamedTempFile;
use tokio::process::{Child, Command};

/// Bytes that are gathered before they go to the terminal.
const PIECE: usize = 1 << 16;
const END: &str = "\r\n\x1b[7m the whole transcript as the screen shows it · a key goes back \x1b[0m\r\n";
/// Where nobody has said what to edit with.
const EDITOR: &str = "vi";

/// Writes the transcript to the normal screen, and waits for a key. One that is pressed before the end stops the writing.
pub async fn dump(program: &mut Program) -> io::Result<Next> {
    program.terminal.step_out()?;
    write_all(program)?;
    program.terminal.write(END.as_bytes())?;
    let next = loop {
        tokio::select! {
            chunk = program.reader.next() => match chunk {
                Some(_) => break Next::Go,
                None => break Next::Quit(shutdown::TERMINAL_GONE),
            },
            asked = program.signals.next() => if let Asked::End(code) = asked { break Next::Quit(code) },
        }
    };
    while program.reader.waiting().is_some() {}
    if next == Next::Go {
        program.terminal.step_in()?;
    }
    Ok(next)
}

fn write_all(program: &mut Program) -> io::Result<()> {
    let Program { app, terminal, reader, .. } = program;
    let (mut bytes, mut result) = (vec![], Ok(()));
    app.seen().each_row(|row| {
        result = print::line(row, &mut bytes);
        if result.is_ok() && bytes.len() > PIECE {
            result = terminal.write(&bytes);
            bytes.clear();
            return result.is_ok() && reader.waiting().is_none();
        }
        result.is_ok()
    });
    result.and_then(|()| terminal.write(&bytes))
}

/// Runs the user's editor on a text; what came of it is told to the state.
pub async fn edit(program: &mut Program, errand: Errand) -> io::Result<Next> {
    let mut file = match file_of(&errand.text) {
        Ok(file) => file,
        Err(e) => return told(program, errand, Err(format!("no file for the editor can be written: {e}"))),
    };
    program.reader.pause();
    program.terminal.leave();
    let ended = run(program, file.path()).await;
    program.signals.overhear();
    if let Ok(Ended::Signal(code)) = ended {
        return Ok(Next::Quit(code));
    }
    program.terminal.take_back()?;
    program.reader.resume()?;
    let result = match ended {
        Ok(Ended::Editor(status)) if status.success() => read(&mut file).map_err(|e| kept(file, e.to_string())),
        Ok(Ended::Editor(status)) => Err(failed(program, file, &errand, status)),
        Ok(Ended::Signal(_)) => return Ok(Next::Go),
        Err(e) => Err(format!("the editor cannot be started: {e}")),
    };
    told(program, errand, result)
}

fn told(program: &mut Program, errand: Errand, result: Result<String, String>) -> io::Result<Next> {
    program.tell(Message::Edited(errand, result))
}

fn file_of(text: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("panto-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

/// The file as it lies there now: many editors write another one in its place.
fn read(file: &mut NamedTempFile) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(file.path())?.read_to_string(&mut text)?;
    Ok(text)
}

/// Why the editor's text was not taken. What it wrote is not lost.
fn failed(program: &Program, mut file: NamedTempFile, errand: &Errand, status: ExitStatus) -> String {
    let editor = program.host.editor.as_deref().unwrap_or(EDITOR);
    let why = match status.code() {
        Some(127) => format!("there is no editor `{editor}`: set $VISUAL or $EDITOR"),
        Some(code) if code <= 128 => format!("the editor `{editor}` ended with {code}"),
        _ => format!("the editor `{editor}` was killed"),
    };
    match read(&mut file) {
        Ok(text) if text == errand.text => why,
        _ => kept(file, why),
    }
}

fn kept(file: NamedTempFile, why: String) -> String {
    match file.keep() {
        Ok((_, path)) => format!("{why}; what it wrote is in {}", path.display()),
        Err(e) => format!("{why}; {e}"),
    }
}

enum Ended {
    Editor(ExitStatus),
    /// The program itself is to end, with this code.
    Signal(i32),
}

async fn run(program: &mut Program, path: &Path) -> io::Result<Ended> {
    let editor = program.host.editor.clone().unwrap_or_else(|| EDITOR.into());
    let [input, output, errors] = program.terminal.handles()?;
    // As git has it: the shell takes options apart, and the path is no part of the line. An interrupt is the editor's,
    // and the shell must live to tell how that ended.
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("trap : INT; {editor} \"$@\"")).arg(&editor).arg(path);
    let mut child = command.stdin(input).stdout(output).stderr(errors).spawn()?;
    loop {
        tokio::select! {
            status = child.wait() => return status.map(Ended::Editor),
            asked = program.signals.next() => match asked {
                Asked::End(code) if code != 128 + libc::SIGINT => {
                    stop(&mut child).await;
                    return Ok(Ended::Signal(code));
                }
                _ => {}
            }
        }
    }
}

/// An editor that is asked to end may save what it has.
async fn stop(child: &mut Child) {
    if let Some(pid) = child.id().and_then(|pid| libc::pid_t::try_from(pid).ok()) {
        // SAFETY: kill only sends a signal; the child is not reaped yet, so the number is its own.
        unsafe { libc::kill(pid, libc::SIGTERM) };
    }
    let _ = tokio::time::timeout(std::time::Duration::from_millis(500), child.wait()).await;
}
