//! `panto faux serve`: a scripted provider over HTTP, until a signal.

use super::args::Faux;
use super::failure::{Exit, Failure};
use super::signals::Signals;
use crate::provider::faux::{Script, serve};
use std::{io, io::Write};

pub fn run(command: Faux) -> Result<(), Failure> {
    let Faux::Serve { script, port } = command;
    let script = Script::load(&script).map_err(|e| Failure::new(Exit::Configuration, e.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| Failure::new(Exit::Failed, format!("cannot start: {e}")))?;
    let number = runtime.block_on(until_a_signal(script, port))?;
    runtime.shutdown_background();
    Err(Failure::silent(Exit::Signal(number)))
}

/// Says on standard output where it listens, as soon as it does; gives the signal's number.
async fn until_a_signal(script: Script, port: u16) -> Result<u8, Failure> {
    let mut signals = Signals::listen()?;
    let served = serve(script, port).await;
    let served = served.map_err(|e| Failure::new(Exit::Failed, format!("cannot listen on 127.0.0.1:{port}: {e}")))?;
    let mut out = io::stdout();
    writeln!(out, "listening on {}", served.url())?;
    out.flush()?;
    Ok(signals.next().await)
}
