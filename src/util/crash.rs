//! Panics, told once and without keys: to whoever runs the program, and to the log.
//!
//! A message may hold whatever was in hand, a key too. It is the first hook of the process; the screen's gives the terminal
//! back and then calls this one.

use super::redact;
use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::{Write, stderr},
    panic::{self, PanicHookInfo},
};

/// From here on panics are told so.
pub fn tell_panics() {
    install(|text| {
        tracing::error!("{text}");
        let _ = writeln!(stderr(), "{text}");
    });
}

fn install(tell: impl Fn(&str) + Send + Sync + 'static) {
    panic::set_hook(Box::new(move |info| tell(&told(info))));
}

/// As the standard library has it, so that whoever knows one knows the other.
fn told(info: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let message = info.payload_as_str().unwrap_or("something that is no text");
    let mut text = format!("thread '{}' panicked at {place}:\n{message}", thread.name().unwrap_or("unnamed"));
    // Only where the environment asks for one.
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        text.push_str(&format!("\nstack backtrace:\n{trace}"));
    }
    redact::keys(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_key_in_the_message_of_a_panic_is_not_told() {
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let previous = panic::take_hook();
        let tell = heard.clone();
        install(move |text| tell.lock().expect("nobody panics with it").push(text.to_owned()));
        let key = format!("sk-ant-{}", "a1B2".repeat(8));
        let ended = std::thread::Builder::new()
            .name("worker".into())
            .spawn({
                let key = key.clone();
                move || panic!("401 for the key {key}, and that was not expected")
            })
            .expect("a thread")
            .join();
        panic::set_hook(previous);
        assert!(ended.is_err());
        let heard = heard.lock().expect("nobody panics with it");
        let text = heard.iter().find(|text| text.contains("'worker'")).expect("it was told");
        assert!(text.contains("src/util/crash.rs") && text.contains("and that was not expected"), "{text}");
        assert!(text.contains("sk-…[key removed]") && !text.contains(&key), "{text}");
    }
}
