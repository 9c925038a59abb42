//! What is said when the screen is left: how to come back to the session that was on it.

use crate::session::{Store, id_of};
use crate::tui::{Ended, Last};
use std::{
    io::{self, Write},
    path::Path,
};

/// Characters of an id that tell the millisecond of its beginning: no other is likely to begin so.
const SHORT: usize = 13;

/// Says how to go on with a session of this process. `-c` is named where it leads there.
pub fn local(ended: &Ended, store: &Store, cwd: &Path) {
    say(ended, |last| {
        let newest = store.newest(cwd).is_some_and(|path| id_of(&path) == Some(last.id.as_str()));
        let id = short(&last.id);
        match newest {
            true => format!("`panto -c` goes on with this session (from elsewhere: `panto -r {id}`)"),
            false => format!("`panto -r {id}` goes on with this session"),
        }
    });
}

/// The same for a session of a server, where a turn goes on without a screen.
pub fn attached(ended: &Ended) {
    say(ended, |last| {
        let command = format!("panto attach -r {}", short(&last.id));
        match last.running {
            true => format!("the turn goes on; `{command}` looks at it again"),
            false => format!("`{command}` goes on with this session"),
        }
    });
}

fn say(ended: &Ended, words: impl FnOnce(&Last) -> String) {
    if let (0, Some(last)) = (ended.code, &ended.last) {
        // Where nobody reads, nothing can be said.
        let _ = writeln!(io::stdout(), "{}", words(last));
    }
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}
