//! The scripted provider: answers that a script foresees, in the process or over HTTP in all three dialects.
//!
//! A script is TOML (the format is described in `assets/tours/demo.toml`), or is built in code from `Turn`s and
//! `Step`s. Each session has its own place in the script, so that child agents get their own answers. Gates hold an
//! answer back until a test opens them; the log keeps what was asked.
//!
//! ```
//! use panto::provider::faux::{Faux, Script, Step, Turn};
//! let script = Script::of([Turn::say("hello"), Turn::of([Step::Gate("go".into()), Step::text("world")])]);
//! let faux = Faux::new(script);
//! faux.gates().open("go");
//! assert!(faux.log().is_empty());
//! ```

mod cue;
mod gate;
mod play;
mod script;
mod serve;
mod stage;
mod wire;

pub use gate::Gates;
pub use play::Faux;
pub use script::{Finish, On, Refusal, Script, ScriptError, ScriptModel, Step, ToolStep, Turn};
pub use serve::{Served, serve};
pub use stage::{Heard, Seen};

/// The script of `faux:demo`.
pub const DEMO: &str = include_str!("../../../assets/tours/demo.toml");

/// The tours that ship, by name.
pub const TOURS: [(&str, &str); 1] = [("demo", DEMO)];
