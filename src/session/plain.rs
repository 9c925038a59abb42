//! Text of models, tools and files without anything that a terminal would act on.

/// Keeps what can be read, line ends and tabs. Escape sequences and control characters go; characters that change the
/// direction of writing become visible marks (`<U+202E>`).
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => skip_escape(&mut rest),
            '\u{9b}' => skip_parameters(&mut rest),
            '\r' if rest.as_str().starts_with('\n') => {}
            '\r' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

fn skip_escape(rest: &mut std::str::Chars) {
    match rest.clone().next() {
        Some('[') => {
            rest.next();
            skip_parameters(rest);
        }
        // Operating system command, device control and their like: to BEL or ST, but never beyond the line.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = rest.clone().next().filter(|c| *c != '\n') {
                rest.next();
                let ends = c == '\x07' || c == '\u{9c}' || (c == '\x1b' && rest.as_str().starts_with('\\'));
                if ends {
                    if c == '\x1b' {
                        rest.next();
                    }
                    return;
                }
            }
        }
        Some(' '..='~') => drop(rest.next()),
        _ => {}
    }
}

/// The rest of a control sequence: parameters up to its final character.
fn skip_parameters(rest: &mut std::str::Chars) {
    while let Some(c) = rest.clone().next().filter(|c| (' '..='~').contains(c)) {
        rest.next();
        if ('@'..='~').contains(&c) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        assert_eq!(plain("\x1b[31mred\x1b[0m\tx\r\ny\rz"), "red\tx\ny\nz");
        assert_eq!(plain("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "alink");
        assert_eq!(plain("a\x1b]never ends\nb\x1bcc\u{9b}2Jd\x08\0"), "a\nbcd");
        assert_eq!(plain("evil\u{202e}txt.exe"), "evil<U+202E>txt.exe");
        assert_eq!(plain("\x1b"), "");
    }
}
