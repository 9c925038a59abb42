//! Lines that are typed or piped in. The terminal keeps its own line editing: nothing here changes its mode, except that
//! a key is typed unseen.

use std::io::{self, BufRead, IsTerminal};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Nobody types two lines within this time: what comes so fast was pasted, and is one text.
const BURST: Duration = Duration::from_millis(30);
/// Lines of a paste that are read ahead.
const AHEAD: usize = 4096;

pub struct Lines {
    lines: mpsc::Receiver<String>,
    /// Of the text that comes in at the moment.
    burst: Vec<String>,
    pub terminal: bool,
}

impl Lines {
    /// Reads standard input on a thread of its own.
    pub fn start() -> Lines {
        let terminal = io::stdin().is_terminal();
        // A pipe is read as the conversation goes on.
        let (tell, lines) = mpsc::channel(if terminal { AHEAD } else { 1 });
        std::thread::spawn(move || read(&mut io::stdin().lock(), &tell));
        Lines { lines, burst: vec![], terminal }
    }

    /// The next line, or all lines of what was pasted; none at the end. Nothing is lost where this is not awaited to its
    /// end.
    pub async fn next(&mut self) -> Option<Vec<String>> {
        if self.burst.is_empty() {
            self.burst.push(self.lines.recv().await?);
        }
        while self.terminal
            && let Ok(Some(line)) = timeout(BURST, self.lines.recv()).await
        {
            self.burst.push(line);
        }
        Some(std::mem::take(&mut self.burst))
    }
}

fn read(input: &mut dyn BufRead, tell: &mpsc::Sender<String>) {
    let mut bytes = vec![];
    while matches!(input.read_until(b'\n', &mut bytes), Ok(n) if n > 0) {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
        bytes.clear();
        if tell.blocking_send(line).is_err() {
            return;
        }
    }
}

/// As long as it lives the terminal doesn't show what is typed.
pub struct Unseen(libc::termios);

impl Unseen {
    /// None where standard input is no terminal.
    pub fn begin() -> Option<Unseen> {
        let mut now = std::mem::MaybeUninit::uninit();
        // SAFETY: tcgetattr fills the structure when it returns 0, and only then it is taken.
        let before: libc::termios = match unsafe { libc::tcgetattr(libc::STDIN_FILENO, now.as_mut_ptr()) } {
            0 => unsafe { now.assume_init() },
            _ => return None,
        };
        let mut unseen = before;
        unseen.c_lflag &= !libc::ECHO;
        unseen.c_lflag |= libc::ECHONL;
        set(&unseen).then_some(Unseen(before))
    }
}

fn set(to: &libc::termios) -> bool {
    // SAFETY: a valid structure that the call only reads.
    unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, to) == 0 }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        set(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(terminal: bool) -> (mpsc::Sender<String>, Lines) {
        let (tell, lines) = mpsc::channel(8);
        (tell, Lines { lines, burst: vec![], terminal })
    }

    #[tokio::test(start_paused = true)]
    async fn t12_what_is_pasted_is_one_text_and_what_is_piped_is_line_after_line() {
        for (terminal, first) in [(true, vec!["a", "b"]), (false, vec!["a"])] {
            let (tell, mut lines) = lines(terminal);
            for line in ["a", "b"] {
                tell.send(line.to_owned()).await.expect("room");
            }
            assert_eq!(lines.next().await.expect("a text"), first);
            drop(tell);
            assert_eq!(lines.next().await.is_none(), terminal);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_interrupted_while_it_comes_in_is_not_lost() {
        let (tell, mut lines) = lines(true);
        tell.send("a".to_owned()).await.expect("room");
        assert!(timeout(BURST / 2, lines.next()).await.is_err());
        assert_eq!(lines.next().await, Some(vec!["a".to_owned()]));
    }

    #[test]
    fn a_line_is_text_whatever_its_bytes() {
        let (tell, mut lines) = mpsc::channel(8);
        read(&mut &b"one\r\n\xfftwo"[..], &tell);
        assert_eq!((lines.try_recv().as_deref(), lines.try_recv().as_deref()), (Ok("one"), Ok("\u{fffd}two")));
    }
}
