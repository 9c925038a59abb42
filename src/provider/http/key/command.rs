//! `api_key_command`: a program that prints a key. Errors name the program, never what it printed.

use super::Key;
use crate::provider::{ErrorKind, ProviderError};
use std::{process::Stdio, time::Duration};

/// As long as a person may take to unlock what the program asks.
const WAIT: Duration = Duration::from_secs(60);

/// How messages name it.
pub fn name(program: &str) -> String {
    format!("api_key_command `{program}`")
}

/// The first line that the command prints.
pub async fn run(command: &[String]) -> Result<Key, ProviderError> {
    run_within(command, WAIT).await
}

async fn run_within(command: &[String], wait: Duration) -> Result<Key, ProviderError> {
    let [program, arguments @ ..] = command else { return Err(failed("", "is empty")) };
    let mut child = tokio::process::Command::new(program);
    child.args(arguments).env_remove("PANTO_SERVER_TOKEN").stdin(Stdio::null()).stderr(Stdio::null());
    let output = tokio::time::timeout(wait, child.kill_on_drop(true).output()).await;
    let output = output.map_err(|_| failed(program, &format!("printed no key within {} s", wait.as_secs())))?;
    let output = output.map_err(|e| failed(program, &format!("cannot be run: {e}")))?;
    if !output.status.success() {
        return Err(failed(program, &format!("failed ({})", output.status)));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let first = printed.lines().next().unwrap_or_default();
    Key::new(first, name(program)).ok_or_else(|| failed(program, "printed no key"))
}

fn failed(program: &str, what: &str) -> ProviderError {
    ProviderError::new(ErrorKind::Auth, format!("{} {what}", name(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<String> {
        line.iter().map(|w| (*w).to_owned()).collect()
    }

    #[tokio::test]
    async fn one_that_hangs_is_ended_and_named() {
        let command = words(&["sh", "-c", "sleep 20; echo sk-late"]);
        let error = run_within(&command, Duration::from_millis(50)).await.expect_err("too late");
        assert!(error.kind == ErrorKind::Auth && error.message.contains("api_key_command `sh` printed no key within"));
    }

    #[tokio::test]
    async fn what_is_printed_is_in_no_error() {
        for line in ["echo sk-1; exit 3", "echo; echo sk-1", "echo sk-1 >&2"] {
            let error = run(&words(&["sh", "-c", line])).await.expect_err("no key");
            assert!(error.message.contains("`sh`") && !format!("{error:?}").contains("sk-1"), "{error}");
        }
        assert!(run(&words(&["no-such-program"])).await.expect_err("no program").message.contains("no-such-program"));
    }
}
