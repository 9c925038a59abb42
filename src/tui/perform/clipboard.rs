//! The clipboard of whoever sits at the terminal, also over ssh: OSC 52.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub fn osc52(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).into_bytes()
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_of_the_text_reaches_the_terminal_as_it_is() {
        assert_eq!(super::osc52("a\x07\x1b[2J"), b"\x1b]52;c;YQcbWzJK\x07");
    }
}
