//! From exec to the first frame, in a pseudo-terminal, with an empty home and a warm page cache.
//!
//! `cargo bench --bench start`

use divan::Bencher;
use portable_pty::{Child, CommandBuilder, PtyPair, PtySize, native_pty_system};
use std::io::Read;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn first_frame(bencher: Bencher) {
    let home = tempfile::tempdir().expect("a folder");
    bencher.bench_local(|| {
        let size = PtySize { rows: 48, cols: 160, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).expect("a pty");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_panto"));
        command.env_clear();
        for (name, value) in [("TERM", "xterm-256color"), ("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        command.env("HOME", home.path());
        command.cwd(home.path());
        let mut reader = pty.master.try_clone_reader().expect("a reader");
        let child = pty.slave.spawn_command(command).expect("the program");
        let (mut seen, mut chunk) = (Vec::new(), [0; 8192]);
        // The prompt line is drawn in the first frame.
        while !seen.windows(2).any(|w| w == b"> ") {
            match reader.read(&mut chunk) {
                Ok(n) if n > 0 => seen.extend_from_slice(&chunk[..n]),
                _ => break,
            }
        }
        // What is returned is dropped outside of the measured time.
        Started { child, _pty: pty }
    });
}

struct Started {
    child: Box<dyn Child + Send + Sync>,
    _pty: PtyPair,
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(pid) = self.child.process_id() {
            // SAFETY: kill has no memory effects; the process is our child and not yet reaped.
            unsafe { libc::kill(pid as i32, libc::SIGKILL) };
        }
        let _ = self.child.wait();
    }
}
