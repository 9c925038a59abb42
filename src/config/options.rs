//! Every setting, typed. The grammar is the one of config.toml; `assets/config.toml` is the same with comments.

use crate::conversation::{Price, Thinking};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// All settings of a run. `Default` equals `assets/config.toml` (a test says so).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// `provider:model`; empty: the first provider that has a key, else `faux:demo`.
    pub model: String,
    pub thinking: Thinking,
    pub mode: Mode,
    /// A theme's name; `auto` follows the terminal's background.
    pub theme: String,
    pub providers: BTreeMap<String, ProviderConfig>,
    pub network: Network,
    pub agent: Agent,
    pub jobs: Jobs,
    pub permissions: Permissions,
    pub tools: Tools,
    pub extensions: Extensions,
    pub lua: Lua,
    pub tui: Tui,
    pub editor: Editor,
    pub kernel: Kernel,
    pub server: Server,
    pub proxy: Proxy,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: String::new(),
            thinking: Thinking::Medium,
            mode: Mode::default(),
            theme: "auto".into(),
            providers: BTreeMap::new(),
            network: Network::default(),
            agent: Agent::default(),
            jobs: Jobs::default(),
            permissions: Permissions::default(),
            tools: Tools::default(),
            extensions: Extensions::default(),
            lua: Lua::default(),
            tui: Tui::default(),
            editor: Editor::default(),
            kernel: Kernel::default(),
            server: Server::default(),
            proxy: Proxy::default(),
        }
    }
}

/// What runs without asking (permissions.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Plan,
    Ask,
    #[default]
    Workspace,
    Auto,
}

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Plan, Mode::Ask, Mode::Workspace, Mode::Auto];

    /// The one after it; behind the last comes the first.
    pub fn next(self) -> Mode {
        let at = Self::ALL.iter().position(|m| *m == self).unwrap_or_default();
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// What it means, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Mode::Plan => "only look: no edits, no commands that change anything",
            Mode::Ask => "ask before edits and commands",
            Mode::Workspace => "edits in the workspace, commands in a sandbox; else ask",
            Mode::Auto => "everything runs without asking, no sandbox",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Mode::Plan => "plan",
            Mode::Ask => "ask",
            Mode::Workspace => "workspace",
            Mode::Auto => "auto",
        }
    }
}

impl std::str::FromStr for Mode {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|m| m.name() == s)
            .ok_or_else(|| format!("no mode `{s}`; there are {}", Self::ALL.map(Mode::name).join(" ")))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    AnthropicMessages,
    #[default]
    OpenaiChat,
    OpenaiResponses,
}

impl std::str::FromStr for Dialect {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "anthropic_messages" => Ok(Dialect::AnthropicMessages),
            "openai_chat" => Ok(Dialect::OpenaiChat),
            "openai_responses" => Ok(Dialect::OpenaiResponses),
            _ => Err(format!("no dialect `{s}`; there are anthropic_messages openai_chat openai_responses")),
        }
    }
}

/// `[providers.NAME]`. An absent field of a preset's name keeps the preset's value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderConfig {
    pub dialect: Option<Dialect>,
    pub base_url: Option<String>,
    pub api_key_env: Option<String>,
    pub api_key_command: Vec<String>,
    /// A key written down in the file; the weakest source.
    pub api_key: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub quirks: Quirks,
    pub models: Vec<ModelConfig>,
}

/// Where a server deviates from its dialect.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// Field of a delta that carries reasoning, besides `reasoning_content` and `reasoning`.
    pub reasoning_field: Option<String>,
    /// Send reasoning back with the assistant messages of the current turn.
    pub echo_reasoning: Option<bool>,
    /// `max_tokens` or `max_completion_tokens`.
    pub max_tokens_field: Option<String>,
    /// Leave `stream_options` out.
    pub no_stream_options: Option<bool>,
    /// The server thinks at the medium level by itself: leave that one out of requests.
    pub medium_is_default: Option<bool>,
    /// Leave the thinking level out of requests.
    pub no_thinking: Option<bool>,
}

/// One entry of `models`; absent fields have the defaults of an unknown model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    pub id: String,
    pub name: Option<String>,
    /// Tokens of the window.
    pub context: Option<u64>,
    /// Tokens of an answer.
    pub output: Option<u64>,
    pub input: Option<Vec<String>>,
    /// How large a picture may be; larger ones are scaled down.
    pub picture: Option<crate::util::picture::Limits>,
    pub thinking: Option<Vec<Thinking>>,
    pub price: Option<Price>,
}

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty = $default:expr),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[$fdoc])* pub $field: $ty,)* }
        impl Default for $name {
            fn default() -> Self { $name { $($field: $default,)* } }
        }
    };
}

section!(
    /// `[network]`, in seconds.
    Network {
        connect_timeout: u64 = 15,
        idle_timeout: u64 = 120,
        retries: u32 = 6,
        max_retry_wait: u64 = 120,
    }
);
section!(Agent {
    /// Model requests a prompt may take; 0: no limit.
    max_turns: u32 = 0,
    /// USD a session; 0: no limit.
    max_cost: f64 = 0.0,
    compact_at: f64 = 0.9,
    keep_recent: u64 = 20_000,
    checkpoints: bool = true,
});
section!(Jobs { max_parallel: usize = 8, max_depth: usize = 3 });
section!(
    /// Rules of permissions.md.
    Permissions {
        allow: Vec<String> = vec![],
        ask: Vec<String> = vec![],
        deny: Vec<String> = vec![],
        write: Vec<PathBuf> = vec![],
        read_deny: Vec<PathBuf> = vec![],
        network: bool = true,
    }
);
section!(Tools {
    disabled: Vec<String> = vec![],
    /// Patterns of tool names; empty: all.
    allow: Vec<String> = vec![],
    deny: Vec<String> = vec![],
    max_output_bytes: usize = 51_200,
    max_output_lines: usize = 2000,
    /// Take keys out of results, by their known shapes.
    redact: bool = true,
    /// Seconds; a call may ask for up to 3600.
    shell_timeout: u64 = 300,
    /// Empty: $SHELL if bash, zsh or fish, else sh.
    shell: String = String::new(),
    /// Names of secret variables that children of the shell get all the same.
    env_pass: Vec<String> = vec![],
});
section!(Extensions {
    /// `name version`, or `name` for any version.
    rocks: Vec<String> = vec![],
    /// Where they come from; empty: luarocks.org.
    rocks_server: String = String::new(),
    paths: Vec<PathBuf> = vec![],
    disabled: Vec<String> = vec![],
});
section!(Lua {
    memory_mb: usize = 512,
    /// Seconds of Lua's own running time for a hook, command or render.
    callback_timeout: u64 = 10,
    /// Seconds without a sign of life after which Lua is reported as wedged. Code that cannot be suspended (a pattern, a
    /// comparator) may hold the thread for `callback_timeout`, so it should be above that.
    wedge_timeout: u64 = 15,
});
section!(Tui {
    mouse: bool = true,
    ambiguous_width: u8 = 1,
    motion: bool = true,
    links: bool = true,
    images: Images = Images::Auto,
    thinking: ThinkingView = ThinkingView::Live,
    tool_lines: usize = 8,
    frame_ms: u64 = 8,
    /// Lines instead of a screen.
    plain: bool = false,
});
section!(Editor { paste_lines: usize = 10, paste_chars: usize = 1000, external: String = String::new() });
section!(Kernel { python: String = String::new(), timeout: u64 = 900 });
section!(Server { socket: String = String::new() });
section!(Proxy { listen: String = "127.0.0.1:4141".into() });

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Images {
    Auto,
    Kitty,
    Iterm,
    Sixel,
    Blocks,
    Off,
}

/// How thinking is shown: never, while it streams, or always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingView {
    Hidden,
    Live,
    Shown,
}
