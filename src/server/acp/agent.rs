//! The methods of the protocol: what can be answered at once is, sessions get what is theirs.

use super::{
    options,
    peer::{self, Incoming, Peer, fault},
    prompt, stop,
    talk::Order,
};
use crate::server::{desk::locked, hub::Hub};
use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES as METHOD, AgentCapabilities, AuthenticateRequest, CancelNotification,
    CancelRequestNotification, ClientCapabilities, CloseSessionRequest, Error, Implementation, InitializeRequest,
    InitializeResponse, PROTOCOL_LEVEL_METHOD_NAMES, PromptCapabilities, PromptRequest, RequestId, SessionCapabilities,
    SessionCloseCapabilities, SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// panto, as one editor sees it.
pub struct Agent {
    pub hub: Arc<Hub>,
    pub peer: Peer,
    /// What the editor can do; none before it has said so.
    editor: Mutex<Option<ClientCapabilities>>,
    pub talks: Mutex<HashMap<String, UnboundedSender<Order>>>,
    /// Sessions that are opened, and tasks of open ones.
    pub tasks: TaskTracker,
    /// The editor sends nothing any more.
    pub alone: CancellationToken,
}

impl Agent {
    pub fn new(hub: Arc<Hub>, peer: Peer) -> Arc<Agent> {
        let (editor, talks) = (Mutex::default(), Mutex::default());
        Arc::new(Agent { hub, peer, editor, talks, tasks: TaskTracker::new(), alone: CancellationToken::new() })
    }

    pub fn editor(&self) -> ClientCapabilities {
        locked(&self.editor).clone().unwrap_or_default()
    }

    /// Takes a line. What takes long is done by a task of its own, what belongs to a session is handed to it at once.
    pub fn take(self: &Arc<Self>, line: Incoming) {
        match line {
            Incoming::Request { id, method, params } => {
                if let Err(error) = self.request(&id, &method, params) {
                    self.peer.respond(&id, Err::<(), Error>(error));
                }
            }
            Incoming::Notification { method, params } => {
                if let Err(error) = self.notified(&method, params) {
                    tracing::warn!("a notification of the editor, {method}: {error}");
                }
            }
            Incoming::Response { id, answer } => self.peer.answered(id, answer),
            Incoming::Malformed { id, error } => self.peer.respond(&id, Err::<(), Error>(error)),
        }
    }

    fn request(self: &Arc<Self>, id: &RequestId, method: &str, params: Value) -> Result<(), Error> {
        if method == METHOD.initialize {
            self.peer.respond(id, Ok(self.initialize(peer::params(params)?)));
            return Ok(());
        }
        if locked(&self.editor).is_none() {
            return Err(fault(Error::invalid_request(), "the first request has to be initialize"));
        }
        match method {
            _ if method == METHOD.authenticate => Err(no_login(&peer::params(params)?)),
            _ if method == METHOD.session_new => self.open_new(id, peer::params(params)?),
            _ if method == METHOD.session_load => self.load(id, peer::params(params)?),
            _ if method == METHOD.session_resume => self.resume(id, peer::params(params)?),
            _ if method == METHOD.session_list => self.list(id, peer::params(params)?),
            _ if method == METHOD.session_close => {
                let close: CloseSessionRequest = peer::params(params)?;
                self.order(&close.session_id.0, Order::Close(id.clone()))
            }
            _ if method == METHOD.session_prompt => {
                let PromptRequest { session_id, prompt, .. } = peer::params(params)?;
                self.order(&session_id.0, Order::Prompt { id: id.clone(), said: prompt::said(&prompt)? })
            }
            _ if method == METHOD.session_set_config_option => {
                let set: SetSessionConfigOptionRequest = peer::params(params)?;
                let command = options::chosen(&set.config_id.0, &set.value)?;
                self.order(&set.session_id.0, Order::Choose { id: id.clone(), command })
            }
            _ if method == METHOD.session_set_mode => {
                let set: SetSessionModeRequest = peer::params(params)?;
                let command = options::mode_chosen(&set.mode_id.0)?;
                self.order(&set.session_id.0, Order::SetMode { id: id.clone(), command })
            }
            _ => Err(fault(Error::method_not_found(), format!("there is no method {method}"))),
        }
    }

    fn notified(&self, method: &str, params: Value) -> Result<(), Error> {
        if method == METHOD.session_cancel {
            let cancel: CancelNotification = peer::params(params)?;
            return self.order(&cancel.session_id.0, Order::Cancel);
        }
        if method == PROTOCOL_LEVEL_METHOD_NAMES.cancel_request {
            let cancel: CancelRequestNotification = peer::params(params)?;
            for orders in locked(&self.talks).values() {
                let _ = orders.send(Order::Forget(cancel.request_id.clone()));
            }
            return Ok(());
        }
        tracing::debug!("a notification that nobody knows: {method}");
        Ok(())
    }

    /// Hands a session what is its own.
    fn order(&self, session_id: &str, order: Order) -> Result<(), Error> {
        let orders = locked(&self.talks).get(session_id).cloned();
        let taken = orders.is_some_and(|orders| orders.send(order).is_ok());
        let gone = || {
            let why =
                format!("the session {session_id} is not open: session/new, session/load or session/resume open one");
            fault(stop::gone(), why)
        };
        if taken { Ok(()) } else { Err(gone()) }
    }

    /// There is one version; an editor that knows it not goes.
    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        if let Some(Implementation { name, version, .. }) = &request.client_info {
            tracing::info!("an editor: {name} {version}");
        }
        *locked(&self.editor) = Some(request.client_capabilities);
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities())
            .agent_info(Implementation::new("panto", env!("CARGO_PKG_VERSION")).title("panto".to_owned()))
    }
}

fn capabilities() -> AgentCapabilities {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
        .session_capabilities(sessions)
}

fn no_login(request: &AuthenticateRequest) -> Error {
    let why = format!(
        "there is no method {} to log in by: keys of providers are set in the environment or in config.toml, and \
        `panto doctor` says what is missing",
        request.method_id.0
    );
    fault(Error::invalid_params(), why)
}
