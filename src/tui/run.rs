//! The loop: input first, then everything the backend has told, then at most one frame.

use super::clock::Clock;
use super::input::Input;
use super::perform::Next;
use super::program::Program;
use super::shutdown::{Ended, Last};
use super::signals::Asked;
use super::terminal::PanicHook;
use super::update::{Message, begin};
use super::{Setup, away, shutdown};
use crate::backend::Link;
use futures_util::FutureExt;
use std::io;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

/// Runs the full-screen program until it is left. Needs a tokio runtime with I/O and time, and the clock of the one that
/// runs this. However it ends, the session is flushed and the terminal is as it was before.
///
/// # Errors
/// When there is no terminal to take over.
pub async fn run(link: Link, mut setup: Setup, clock: Clock) -> io::Result<Ended> {
    let requests = link.requests.clone();
    let mut program = Program::start(link, &mut setup, clock)?;
    let hook = program.terminal.on_panic();
    let ended = AssertUnwindSafe(turn(&mut program, setup, &hook)).catch_unwind().await;
    program.terminal.leave();
    let last = Last::of(&program.app);
    let saved = shutdown::flush(requests).await;
    Ok(Ended { code: shutdown::exit_code(ended), last: last.filter(|_| saved) })
}

/// Why the loop woke up.
enum Wake {
    Inputs(Vec<Input>),
    Message(Message),
    Signal(Asked),
    Deadline,
    /// With this exit code.
    End(i32),
}

async fn turn(program: &mut Program, setup: Setup, hook: &PanicHook) -> io::Result<i32> {
    let first = begin(&mut program.app, setup.start);
    let mut next = program.perform(first)?;
    if next == Next::Go {
        next = program.drain()?;
    }
    if next == Next::Go {
        program.draw()?;
    }
    program.performer.load_history();
    loop {
        match next {
            Next::Go => next = program.drain()?,
            Next::Suspend => {
                program.terminal.suspend()?;
                program.pace.hurry(Instant::now());
                next = Next::Go;
            }
            Next::Dump => next = away::dump(program).await?,
            Next::Edit(errand) => next = away::edit(program, errand).await?,
            Next::Quit(code) => return Ok(code),
        }
        if next == Next::Go {
            program.draw()?;
            next = match wait(program, hook).await {
                Wake::Inputs(inputs) => program.take(inputs)?,
                Wake::Message(message) => program.tell(message)?,
                Wake::Deadline => program.deadline()?,
                Wake::Signal(asked) => obey(program, asked)?,
                Wake::End(code) => Next::Quit(code),
            };
        }
    }
}

fn obey(program: &mut Program, asked: Asked) -> io::Result<Next> {
    program.pace.hurry(Instant::now());
    match asked {
        Asked::End(code) => return Ok(Next::Quit(code)),
        Asked::Resize => program.terminal.resize(),
        Asked::Continued => program.terminal.come_back()?,
    }
    Ok(Next::Go)
}

/// Waits for whatever comes first; of several, input counts before the rest.
async fn wait(program: &mut Program, hook: &PanicHook) -> Wake {
    let Program { reader, decoder, signals, events, performer, pace, app, clock, .. } = program;
    let escape = decoder.deadline();
    let frame = pace.wait().or_else(|| app.deadline(pace.last()));
    tokio::select! {
        biased;
        chunk = reader.next() => match chunk {
            Some(chunk) => {
                let mut inputs = decoder.feed(&chunk.bytes, chunk.at);
                while let Some(more) = reader.waiting() {
                    inputs.extend(decoder.feed(&more.bytes, more.at));
                }
                Wake::Inputs(inputs)
            }
            None => Wake::End(shutdown::TERMINAL_GONE),
        },
        () = clock.until(escape) => Wake::Inputs(decoder.expire(Instant::now())),
        asked = signals.next() => Wake::Signal(asked),
        () = hook.panicked() => Wake::End(shutdown::PANICKED),
        message = performer.next() => Wake::Message(message),
        // Between a change and its frame each event would be a wake for itself: they are all taken then.
        event = events.recv(), if pace.wait().is_none() => {
            event.map_or(Wake::End(1), |event| Wake::Message(Message::Event(event)))
        }
        () = clock.until(frame) => Wake::Deadline,
    }
}
