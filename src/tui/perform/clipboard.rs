//! The clipboard: by a program of the machine, else by the terminal, also over ssh (OSC 52).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::Write;
use std::process::{Command, Stdio};

pub fn osc52(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).into_bytes()
}

/// Gives a text to a program; says whether it took it.
pub fn give(program: &[&str], text: &str) -> bool {
    let mut command = Command::new(program[0]);
    // Some stay, to serve what they were given: nothing may wait for the end of their output.
    command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let written = child.stdin.take().is_some_and(|mut input| input.write_all(text.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_program_that_fails_or_is_missing_has_taken_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("copied");
        let line = format!("cat > {}", to.display());
        assert!(super::give(&["/bin/sh", "-c", &line], "words"));
        assert_eq!(std::fs::read_to_string(to).expect("written"), "words");
        assert!(!super::give(&["/bin/sh", "-c", "cat > /dev/null; exit 1"], "words"));
        assert!(!super::give(&["/nowhere/xclip"], "words"));
    }

    #[test]
    fn nothing_of_the_text_reaches_the_terminal_as_it_is() {
        assert_eq!(super::osc52("a\x07\x1b[2J"), b"\x1b]52;c;YQcbWzJK\x07");
    }
}
