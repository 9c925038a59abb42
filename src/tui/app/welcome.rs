//! The question of the first run: what it says, and the servers of this machine that it offers.

use super::dialog::{Choice, Dialog, Subject, Verdict, choices};
use crate::backend::ModelListing;
use std::borrow::Cow;
use std::sync::Arc;

/// Servers that people run: provider, name, port.
const KNOWN: [(&str, &str, u16); 4] = [
    ("ollama", "Ollama", 11434),
    ("lmstudio", "LM Studio", 1234),
    ("llamacpp", "llama.cpp", 8080),
    ("vllm", "vLLM", 8000),
];

/// One that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    pub name: &'static str,
    /// `provider:model`, at least one.
    pub models: Vec<String>,
}

impl LocalServer {
    /// Those among the models that were found. One that does not answer has a row without a model.
    pub fn among(models: &[ModelListing]) -> Arc<[LocalServer]> {
        let server = |(provider, name, _): &(&'static str, &'static str, u16)| {
            let silent = models.iter().any(|m| m.reference == *provider);
            let of_it = |m: &&ModelListing| m.reference.split_once(':').is_some_and(|(p, _)| p == *provider);
            let models: Vec<_> = models.iter().filter(of_it).map(|m| m.reference.clone()).collect();
            (!silent && !models.is_empty()).then_some(LocalServer { name, models })
        };
        KNOWN.iter().filter_map(server).collect()
    }

    /// `use Ollama on this machine: llama3 and 2 more`.
    pub fn words(&self) -> String {
        let first = self.models.first().and_then(|m| m.split_once(':')).map_or("", |(_, model)| model);
        let more = match self.models.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        format!("use {} on this machine: {first}{more}", self.name)
    }
}

impl Dialog {
    /// `servers`: those that answer on this machine; none: they are being looked for.
    pub fn welcome(servers: Option<&Arc<[LocalServer]>>) -> Dialog {
        let found: Arc<[LocalServer]> = servers.cloned().unwrap_or_default();
        let mut choices = choices(&[('k', "enter an API key", Verdict::LogIn)]);
        choices.extend(found.iter().zip('2'..='9').enumerate().map(|(n, (server, key))| Choice {
            key,
            label: Cow::Owned(server.words()),
            verdict: Verdict::UseServer(n),
        }));
        if servers.is_some_and(|found| found.is_empty()) {
            choices.push(Choice {
                key: 'l',
                label: Cow::Borrowed("look for a server again"),
                verdict: Verdict::LookForServers,
            });
        }
        choices.push(Choice { key: 'd', label: Cow::Borrowed("go on with the demo"), verdict: Verdict::Demo });
        let body = text(servers.map(|found| &**found));
        let mut dialog = Dialog::new(Subject::Welcome(found), "welcome to panto".into(), body, Verdict::Demo);
        dialog.choices = choices;
        dialog
    }
}

/// What is said above the choices; none: the servers are being looked for.
fn text(servers: Option<&[LocalServer]>) -> String {
    let known = KNOWN.map(|(_, name, port)| format!("{name} {port}")).join(", ");
    let servers = match servers {
        None => format!("Looking for servers on this machine ({known}) …"),
        Some([]) => format!("No server answers on this machine ({known})."),
        Some(_) => "A server on this machine answers, and needs no key.".to_owned(),
    };
    format!(
        "There is no API key and no configuration yet, so this is the demo: a script that streams, thinks, really calls \
         tools in a scratch folder and starts two agents. Send it anything to see every pane at work.\n\n{servers}\n\nLater \
         /login takes a key, /model another model, /settings everything else."
    )
}
