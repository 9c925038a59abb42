//! What is piped into the program belongs to the prompt.

use std::{
    io,
    io::{IsTerminal, Read},
};

/// Everything on standard input, unless that is a terminal; bytes that are no text become `�`.
pub fn piped() -> io::Result<String> {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    if !input.is_terminal() {
        input.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The parts of a prompt as one text, with an empty line between them.
pub fn join(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.map(|p| p.trim_end().to_owned()).filter(|p| !p.trim().is_empty()).collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn parts_are_kept_apart_and_blank_ones_are_left_out() {
        let parts = ["Explain:", " \n", "  indented\n\n"].map(str::to_owned);
        assert_eq!(join(parts.into_iter()), "Explain:\n\n  indented");
        assert_eq!(join([" ".to_owned()].into_iter()), "");
    }
}
