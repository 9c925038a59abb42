//! The command line as one tree: parser, help, man page and completions all come from here.

use super::sessions::SessionsCommand;
use super::theme::ThemeCommand;
use crate::{config::Mode, conversation::Thinking};
use clap::{ArgAction, Args as Group, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, path::PathBuf};
use tracing_subscriber::filter::LevelFilter;

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 the run failed, 2 usage, 3 configuration, 4 authentication, 5 the session is open elsewhere,
128+n ended by signal n.";

/// A full-screen terminal coding agent that you bend with Lua
#[derive(Debug, Parser)]
#[command(name = "panto", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Args {
    /// Sent at once; without it the editor waits for you
    pub prompt: Option<String>,
    #[command(flatten)]
    pub print: PrintFlags,
    #[command(flatten)]
    pub model: ModelFlags,
    #[command(flatten)]
    pub session: SessionFlags,
    #[command(flatten)]
    pub screen: ScreenFlags,
    #[command(flatten)]
    pub extensions: ExtensionFlags,
    #[command(flatten)]
    pub place: PlaceFlags,
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Args {
    /// The same flags in another folder, for a session of a server.
    pub fn at(&self, cwd: PathBuf) -> Args {
        Args {
            prompt: None,
            print: PrintFlags::default(),
            model: self.model.clone(),
            session: SessionFlags { no_session: self.session.no_session, ..SessionFlags::default() },
            screen: ScreenFlags::default(),
            extensions: self.extensions.clone(),
            place: PlaceFlags { cwd: Some(cwd), ..self.place.clone() },
            command: None,
        }
    }
}

/// One prompt without a screen.
#[derive(Debug, Clone, PartialEq, Default, Group)]
#[command(next_help_heading = "Print mode")]
pub struct PrintFlags {
    /// Answer one prompt on standard output; standard input is added to it
    #[arg(short = 'p', long = "print", num_args = 0..=1, value_name = "PROMPT")]
    pub print: Option<Option<String>>,
    /// What goes to standard output
    #[arg(long, value_enum, requires = "print", value_name = "FORMAT")]
    pub output_format: Option<Format>,
    /// Model requests that a prompt may take; 0: no limit
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u32>,
    /// USD that the session may cost; 0: no limit
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub max_cost: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// The answer
    #[default]
    Text,
    /// One object: text, session_id, stop_reason, is_error, usage, cost, turns
    Json,
    /// Events as they come, one a line, then that object
    StreamJson,
}

/// Who answers, and what it is told.
#[derive(Debug, Clone, PartialEq, Default, Group)]
#[command(next_help_heading = "Model")]
pub struct ModelFlags {
    /// The model that answers
    #[arg(short, long, value_name = "PROVIDER:MODEL")]
    pub model: Option<String>,
    /// How much it thinks: off minimal low medium high xhigh max
    #[arg(long, value_name = "LEVEL")]
    pub thinking: Option<Thinking>,
    /// The only tools that are offered, extensions' tools too
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub tools: Option<Vec<String>>,
    /// Instead of the shipped system prompt
    #[arg(long, value_name = "FILE|TEXT")]
    pub system: Option<String>,
    /// After the system prompt; may be repeated
    #[arg(long, value_name = "FILE|TEXT")]
    pub append_system: Vec<String>,
    /// What runs without asking: plan ask workspace auto
    #[arg(long, value_name = "MODE")]
    pub mode: Option<Mode>,
}

/// Which conversation.
#[derive(Debug, Clone, PartialEq, Default, Group)]
#[command(next_help_heading = "Session")]
pub struct SessionFlags {
    /// Go on with the latest session of this folder
    #[arg(short, long = "continue", conflicts_with_all = ["resume", "fork", "no_session"])]
    pub continue_: bool,
    /// Go on with this session; without ID choose one
    #[arg(short, long, num_args = 0..=1, value_name = "ID", conflicts_with_all = ["fork", "no_session"])]
    pub resume: Option<Option<String>>,
    /// A new session with the history of this one
    #[arg(long, value_name = "ID")]
    pub fork: Option<String>,
    /// Keep nothing on disk
    #[arg(long)]
    pub no_session: bool,
    /// Name the session
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
}

/// Which session of a server, and what it begins with.
#[derive(Debug, Default, Group)]
pub struct AttachFlags {
    /// Sent at once; without it the editor waits for you
    pub prompt: Option<String>,
    /// Where the server listens; else as `[server] socket` says
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// Go on with the latest session of this folder
    #[arg(short, long = "continue", conflicts_with_all = ["resume", "fork"])]
    pub continue_: bool,
    /// Go on with this session; without ID choose one
    #[arg(short, long, num_args = 0..=1, value_name = "ID", conflicts_with = "fork")]
    pub resume: Option<Option<String>>,
    /// A new session with the history of this one
    #[arg(long, value_name = "ID")]
    pub fork: Option<String>,
    /// Name the session
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// The model that answers
    #[arg(short, long, value_name = "PROVIDER:MODEL")]
    pub model: Option<String>,
    /// How much it thinks: off minimal low medium high xhigh max
    #[arg(long, value_name = "LEVEL")]
    pub thinking: Option<Thinking>,
    #[command(flatten)]
    pub screen: ScreenFlags,
}

/// How the full-screen program looks.
#[derive(Debug, Clone, PartialEq, Default, Group)]
#[command(next_help_heading = "Screen")]
pub struct ScreenFlags {
    /// A theme's name, or auto
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Spinners stand still
    #[arg(long)]
    pub no_motion: bool,
    /// Lines instead of a screen, for screen readers and pipes: no boxes, no colours, no cursor movement
    #[arg(long)]
    pub plain: bool,
}

/// Which code is loaded.
#[derive(Debug, Clone, PartialEq, Default, Group)]
#[command(next_help_heading = "Extensions")]
pub struct ExtensionFlags {
    /// Load this file or folder, too; may be repeated
    #[arg(long = "extension", value_name = "PATH", action = ArgAction::Append, global = true)]
    pub extension: Vec<PathBuf>,
    /// Load only what ships with panto
    #[arg(long, global = true)]
    pub no_extensions: bool,
}

/// Where it runs and what it reads first.
#[derive(Debug, Clone, Group)]
#[command(next_help_heading = "Surroundings")]
pub struct PlaceFlags {
    /// Work in this folder
    #[arg(long, value_name = "DIR", global = true)]
    pub cwd: Option<PathBuf>,
    /// Read this file instead of the user's config.toml
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// What goes to the log: off error warn info debug trace
    #[arg(long, value_name = "LEVEL", default_value = "info", hide_default_value = true, global = true)]
    pub log: LevelFilter,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The full-screen program on a session of `panto serve`; without a session a new one in this folder
    Attach(AttachFlags),
    /// List the models that can be chosen
    Models {
        /// Ask the servers of all providers that have a key and those on this machine, and remember what they say
        #[arg(long)]
        refresh: bool,
    },
    /// Keep an API key: typed without being shown or piped in, checked with its server, kept in the system keyring
    Login {
        /// Whose key; without it the providers are listed
        provider: Option<String>,
        /// Keep it in auth.json (readable by you alone), even where there is a system keyring
        #[arg(long)]
        file: bool,
        /// Keep it without asking the server
        #[arg(long)]
        no_check: bool,
    },
    /// Forget a key that `panto login` keeps
    Logout { provider: Option<String> },
    /// List, show, export, import, repair, rebind, rename, delete and restore sessions
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// List themes, and show what they look like
    #[command(subcommand)]
    Theme(ThemeCommand),
    /// List extensions and what they bring
    Extensions,
    /// Print every setting
    Config {
        /// Say where each value comes from
        #[arg(long)]
        show_origin: bool,
    },
    /// Say what works here and what is missing
    Doctor {
        /// Look at a session instead: whether strict servers would take what it sends
        #[arg(long, value_name = "ID")]
        history: Option<String>,
    },
    /// Serve sessions at a unix socket, for `panto attach` and other clients
    Serve {
        /// Listen there; `[server] socket`, else panto/panto.sock in $XDG_RUNTIME_DIR or the data folder
        #[arg(long, value_name = "PATH")]
        socket: Option<PathBuf>,
        /// Print the protocol, for people who write clients
        #[arg(long)]
        protocol: bool,
        #[command(flatten)]
        model: ModelFlags,
    },
    /// Serve one session on standard input and output, a line of JSON each way
    Rpc {
        #[command(flatten)]
        model: ModelFlags,
        #[command(flatten)]
        session: SessionFlags,
    },
    /// Speak the Agent Client Protocol on standard input and output, for editors (Zed, Neovim, JetBrains)
    Acp {
        #[command(flatten)]
        model: ModelFlags,
    },
    /// The embedded Lua as a stock `lua`: -e -l -i -v -E -W, a script and its arguments; rocks are on its path
    #[command(disable_help_flag = true)]
    Lua {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Prepare the tree for Lua packages and say where it is
    Bootstrap {
        /// Take this Lua's tree away first, with everything that is installed in it
        #[arg(long)]
        force: bool,
        #[arg(hide = true, allow_hyphen_values = true)]
        unknown: Vec<String>,
    },
    /// Install, remove, list and search Lua packages
    #[command(subcommand)]
    Rocks(Rocks),
    /// The annotations of the Lua API for editors
    Types {
        /// Have editors that speak LuaLS find them: writes .luarc.json
        #[arg(long)]
        install: bool,
        /// The folder that gets the .luarc.json; the working directory
        dir: Option<PathBuf>,
    },
    /// The scripted provider
    #[command(subcommand)]
    Faux(Faux),
    /// Print a completion script: bash zsh fish elvish powershell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    Man,
}

#[derive(Debug, Subcommand)]
pub enum Rocks {
    /// Install a rock and what it depends on; NAME may be a .rockspec or .rock file
    Install { name: String, version: Option<String> },
    /// Remove a rock, unless another needs it
    Remove { name: String, version: Option<String> },
    /// List what is installed
    List { name: Option<String>, version: Option<String> },
    /// Search the rocks server
    Search { name: String, version: Option<String> },
}

#[derive(Debug, Subcommand)]
pub enum Faux {
    /// Answer over HTTP in all three dialects as a script says
    Serve {
        script: PathBuf,
        /// On loopback; 0: a free one, which is printed
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
}

fn amount(text: &str) -> Result<f64, String> {
    let usd: f64 = text.parse().map_err(|_| "not an amount".to_owned())?;
    if usd.is_finite() && usd >= 0.0 { Ok(usd) } else { Err("not an amount of 0 or more".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Args, String> {
        Args::try_parse_from(line.split(' ')).map_err(|e| e.to_string())
    }

    #[test]
    fn the_tree_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_prompt_may_stand_on_either_side_of_the_print_flag() {
        for line in ["panto -p hi --output-format json", "panto -p --output-format json hi", "panto hi -p"] {
            let args = parse(line).expect(line);
            let given = [args.prompt, args.print.print.flatten()];
            assert_eq!(given.iter().flatten().collect::<Vec<_>>(), ["hi"], "{line}");
        }
        assert_eq!(parse("panto -p models").expect("a prompt").print.print, Some(Some("models".into())));
    }

    #[test]
    fn lists_and_optional_values() {
        let args = parse("panto -r --tools std.read,std.ls --extension a --extension b").expect("valid");
        assert_eq!(args.session.resume, Some(None));
        assert_eq!(args.model.tools, Some(vec!["std.read".into(), "std.ls".into()]));
        assert_eq!(args.extensions.extension, [PathBuf::from("a"), PathBuf::from("b")]);
    }

    #[test]
    fn mistakes_name_what_is_wrong() {
        for (line, part) in [
            ("panto --no-such-flag", "--no-such-flag"),
            ("panto --mode yolo", "yolo"),
            ("panto --thinking deep", "deep"),
            ("panto --max-cost -1", "-1"),
            ("panto --max-cost inf", "0 or more"),
            ("panto -c -r x", "--resume"),
            ("panto attach -r x --fork y", "--fork"),
            ("panto attach --no-session", "--no-session"),
            ("panto hi --output-format json", "--print"),
            ("panto --log loud", "loud"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
