//! What all sessions of a run share.

use super::{
    BackendError, Code, Extensions, Handover, Hosting, Setup, Trust, crew::Crew, mode::CurrentMode, rules::Rules,
};
use crate::agent::Limits;
use crate::config::Options;
use crate::provider::{Providers, Resolved};
use crate::session::Store;
use crate::tool::{Checker, Offer, Registry, cap::Cap};
use crate::util::paths::Paths;
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};
use tokio::sync::watch;

pub struct Shared {
    pub options: Options,
    pub paths: Paths,
    pub cwd: PathBuf,
    pub providers: Arc<Providers>,
    pub registry: Registry,
    pub checker: Arc<Checker>,
    pub extensions: Arc<dyn Extensions>,
    /// Turns true when extensions are loaded.
    pub loaded: watch::Sender<bool>,
    pub store: Store,
    pub rules: Arc<Rules>,
    /// For the user.
    pub rules_problem: Option<String>,
    pub mode: CurrentMode,
    pub system: Vec<String>,
    pub no_session: bool,
    pub interactive: bool,
    pub hosted: Option<Hosting>,
    pub handover: Handover,
    pub trust: Trust,
    pub crew: Crew,
    epoch: AtomicU64,
}

impl Shared {
    pub fn new(setup: Setup, crew: Crew) -> Result<Shared, BackendError> {
        let Setup {
            options,
            paths,
            cwd,
            providers,
            sources,
            extensions,
            no_session,
            tools,
            system,
            trust,
            interactive,
            hosted,
            handover,
            ..
        } = setup;
        let t = &options.tools;
        let offer = Offer::new(&t.disabled, &t.allow, &t.deny, tools)
            .map_err(|why| BackendError::new(Code::InvalidRequest, why))?;
        let (rules, rules_problem) = Rules::load(paths.data.join("approvals.json"), &cwd);
        Ok(Shared {
            rules_problem,
            registry: Registry::new(sources, offer),
            checker: Arc::default(),
            loaded: watch::channel(false).0,
            store: Store::new(&paths.data).serving_at(handover.socket.clone()),
            rules: Arc::new(rules),
            mode: CurrentMode::new(options.mode),
            epoch: AtomicU64::new(0),
            options,
            paths,
            cwd,
            providers,
            extensions,
            system,
            no_session,
            interactive,
            hosted,
            handover,
            trust,
            crew,
        })
    }

    /// Whether the session was made by a script of another.
    pub fn is_by_script(&self) -> bool {
        self.hosted.as_ref().is_some_and(|hosting| hosting.by_script)
    }

    /// The number of a life of a session: the microseconds since 1970, so that it is another one when the session is
    /// opened again, by this process or a later one. It stays below 2⁵³ until the year 2255.
    pub fn next_epoch(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let now = u64::try_from(now).unwrap_or_default();
        let later = |last: u64| now.max(last + 1);
        later(
            self.epoch.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(later(last))).unwrap_or_default(),
        )
    }

    pub fn resolve(&self, name: &str) -> Result<Resolved, BackendError> {
        let refused = |why: String| {
            let slashed = name.replacen(':', "/", 1);
            BackendError::new(Code::InvalidRequest, format!("Could not resolve {slashed}: {why}"))
        };
        self.providers.resolve(name).map_err(|e| refused(e.to_string()))
    }

    /// Whether the model that a run names, by a flag or the configuration, is there.
    pub fn knows_model(&self, named: Option<&str>) -> bool {
        let name = named.unwrap_or(&self.options.model);
        name.trim().is_empty() || self.providers.resolve(name).is_ok()
    }

    /// The model of a run that names none.
    pub fn default_model(&self, warnings: &mut Vec<String>) -> Result<Resolved, BackendError> {
        let choice = self.providers.default_model();
        if choice.unconfigured && self.interactive {
            warnings.push(
                "no API key and no configuration: this is the demo model. /login keeps an API key, /model finds servers on \
                 this machine (Ollama, LM Studio, llama.cpp, vLLM), ANTHROPIC_API_KEY, OPENAI_API_KEY or config.toml do as well"
                    .into(),
            );
        }
        self.resolve(&choice.name)
    }

    pub fn limits(&self) -> Limits {
        let agent = &self.options.agent;
        Limits { requests: agent.max_turns, session: agent.max_cost, ..Limits::default() }
    }

    pub fn cap(&self) -> Cap {
        let t = &self.options.tools;
        let spill = self.paths.data.join("spill");
        Cap { bytes: t.max_output_bytes, lines: t.max_output_lines, redact: t.redact, spill }
    }
}
