//! `panto doctor --history ID`: whether strict servers would take what a session sends next, in each dialect.
//!
//! Says two things: what lies wrong in the file and is mended on the way, for which nothing has to be done; and what a
//! server would refuse all the same: what grew too large, or a fault of panto. Only the second is a failure.

use super::Report;
use crate::cli::{
    args::Args,
    failure::{Exit, Failure},
    models,
    sessions::locate,
    start::{Ground, Start},
};
use crate::config::Dialect;
use crate::conversation::{Block, Message, ModelRef, Role, Thinking};
use crate::provider::{ModelSpec, Request, ToolChoice, check, dialect};
use crate::session::{EntryKind, Loaded, Store, load};
use crate::util::paths::process_env;
use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

const DIALECTS: [(Dialect, &str); 3] =
    [(Dialect::AnthropicMessages, "anthropic"), (Dialect::OpenaiChat, "chat"), (Dialect::OpenaiResponses, "responses")];
/// Faults of one dialect that are shown.
const SHOWN: usize = 10;

/// Checks the active branch of a session; ends with exit code 1 when a server would refuse it.
pub fn run(args: &Args, id: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let ground = Ground::find(args)?;
    let store = Store::new(&ground.paths.data);
    let failed = |e: &dyn std::fmt::Display| Failure::new(Exit::Failed, e.to_string());
    let loaded = load(&locate(&store, id).map_err(|e| failed(&e))?).map_err(|e| failed(&e))?;
    let mut report = Report { out, home: ground.paths.home.clone(), broken: 0 };
    let stored: Vec<&Message> = loaded.branch.iter().filter_map(|e| said(&e.kind)).collect();
    let shown = report.short(&loaded.path);
    report.say("session", format!("{shown}, {} messages on its branch", stored.len()))?;
    loaded.warnings.iter().try_for_each(|warning| report.say("file", warning))?;
    mended(&stored).iter().try_for_each(|what| report.say("mended", what))?;
    let model = model(args, ground, &loaded);
    report.say("model", model.reference.to_string())?;
    requests(&mut report, &loaded, &model)?;
    if report.broken == 0 {
        return Ok(());
    }
    let advice = "`/compact` makes it smaller; anything else is a fault of panto: please report it";
    Err(Failure::new(Exit::Failed, format!("a strict server would refuse it, see above. {advice}")))
}

fn said(kind: &EntryKind) -> Option<&Message> {
    if let EntryKind::Message(message) = kind { Some(message) } else { None }
}

/// The session's model as it is configured here; where it is not, what is known of any.
fn model(args: &Args, ground: Ground, loaded: &Loaded) -> ModelSpec {
    let name = loaded.model.clone().unwrap_or_default();
    let settings = ground.settings(args, &process_env).ok();
    let resolved = settings.and_then(|settings| {
        let config = settings.read().ok()?;
        models::providers(&Start::on(ground, settings, config)).resolve(&name).ok()
    });
    let unknown = || {
        let (provider, model) = name.split_once(':').unwrap_or(("unknown", &name));
        ModelSpec { images: true, ..ModelSpec::unknown(ModelRef::new(provider, model)) }
    };
    resolved.map_or_else(unknown, |resolved| resolved.spec)
}

/// What lies in the file as no server takes it, and is mended when it is loaded and sent.
fn mended(stored: &[&Message]) -> Vec<String> {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    let mut results = HashSet::new();
    let (mut blank, mut lost) = (0, 0);
    for message in stored {
        for (id, ..) in message.calls() {
            *calls.entry(id).or_default() += 1;
        }
        for block in &message.blocks {
            match block {
                Block::ToolResult { tool_use_id, .. } if calls.contains_key(tool_use_id.as_str()) => {
                    results.insert(tool_use_id.as_str());
                }
                Block::ToolResult { .. } => lost += 1,
                Block::Text { text, .. } if text.trim().is_empty() => blank += 1,
                _ => {}
            }
        }
    }
    let unanswered = calls.keys().filter(|id| !results.contains(**id)).count();
    let again = calls.values().filter(|count| **count > 1).count();
    let told = [
        (unanswered, "without a result: a synthetic one is sent", "call"),
        (lost, "without its call: left out", "result"),
        (again, "used more than once: made unique", "call id"),
        (blank, "with nothing to read: left out", "text"),
    ];
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    told.into_iter().filter(|(n, ..)| *n > 0).map(|(n, how, what)| format!("{n} {what}{} {how}", plural(n))).collect()
}

/// Encodes what the next prompt would send, and tells what is wrong with it.
fn requests(report: &mut Report<'_>, loaded: &Loaded, model: &ModelSpec) -> io::Result<()> {
    let mut messages: Vec<Message> = loaded.history().into_iter().map(|(_, message)| message).collect();
    if messages.last().is_none_or(|last| last.role != Role::User) {
        messages.push(Message::user("go on"));
    }
    let thinking = loaded.thinking.as_deref().and_then(|level| level.parse().ok()).unwrap_or(Thinking::Off);
    let request = Request {
        model: model.clone(),
        system: vec![],
        messages,
        tools: vec![],
        thinking,
        tool_choice: ToolChoice::Auto,
        max_tokens: None,
        tokens: 0,
        extra: Default::default(),
        headers: vec![],
        session_id: loaded.header.id.clone(),
    };
    for (dialect, name) in DIALECTS {
        let bytes = dialect::encode(dialect, &request);
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        let mut faults = check::check(dialect, &body);
        faults.extend(check::intact(dialect, &body, &request.messages));
        match &faults[..] {
            [] => report.say(name, format!("{} kB, as strict servers want it", bytes.len().div_ceil(1000)))?,
            _ => faults.iter().take(SHOWN).try_for_each(|fault| report.fault(name, fault.to_string()))?,
        }
        if faults.len() > SHOWN {
            report.fault(name, format!("and {} more", faults.len() - SHOWN))?;
        }
    }
    Ok(())
}
