//! What a user of an editor can choose for a session: the mode, the model, and how much it thinks. The mode is told twice:
//! as a mode of the protocol too, for editors that know no options.

use super::peer::fault;
use crate::backend::{Command, Mode, ModelListing, Session};
use crate::conversation::Thinking;
use agent_client_protocol_schema::v1::{
    Error, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelect, SessionConfigSelectOption, SessionMode, SessionModeState,
};

const MODE: &str = "mode";
const MODEL: &str = "model";
const THINKING: &str = "thinking";

/// What can be chosen now. Models without a key are left out, unless it is the session's own.
pub fn options(session: &Session, models: &[ModelListing]) -> Vec<SessionConfigOption> {
    let mut all = vec![model(session, models)];
    if session.thinking_levels.len() > 1 {
        all.push(thinking(session));
    }
    all.push(mode(session));
    all
}

/// The modes, and the one that holds now.
pub fn modes(session: &Session) -> SessionModeState {
    let mode = |mode: Mode| SessionMode::new(mode.name(), mode.name()).description(mode.words().to_owned());
    SessionModeState::new(session.mode.name(), Mode::ALL.map(mode).to_vec())
}

/// The command that a choice of a mode stands for.
pub fn mode_chosen(id: &str) -> Result<Command, Error> {
    let refused = |why: String| fault(Error::invalid_params(), why);
    id.parse().map(|mode| Command::SetMode { mode }).map_err(refused)
}

fn mode(session: &Session) -> SessionConfigOption {
    let choice =
        |mode: Mode| SessionConfigSelectOption::new(mode.name(), mode.name()).description(mode.words().to_owned());
    let choices = Mode::ALL.map(choice).to_vec();
    select(MODE, "Mode", SessionConfigOptionCategory::Mode, session.mode.name(), choices)
}

fn model(session: &Session, models: &[ModelListing]) -> SessionConfigOption {
    let offered = models.iter().filter(|m| m.authenticated || m.reference == session.model);
    let mut choices: Vec<SessionConfigSelectOption> = offered
        .map(|m| SessionConfigSelectOption::new(m.reference.clone(), m.name.as_str()).description(m.reference.clone()))
        .collect();
    if !choices.iter().any(|choice| *choice.value.0 == *session.model) {
        choices.insert(0, SessionConfigSelectOption::new(session.model.clone(), session.model.as_str()));
    }
    select(MODEL, "Model", SessionConfigOptionCategory::Model, &session.model, choices)
}

fn thinking(session: &Session) -> SessionConfigOption {
    let choice = |level: &Thinking| SessionConfigSelectOption::new(level.name(), level.name());
    let choices = session.thinking_levels.iter().map(choice).collect();
    select(THINKING, "Thinking", SessionConfigOptionCategory::ThoughtLevel, session.thinking.name(), choices)
}

fn select(
    id: &'static str,
    name: &str,
    category: SessionConfigOptionCategory,
    current: &str,
    choices: Vec<SessionConfigSelectOption>,
) -> SessionConfigOption {
    let select = SessionConfigSelect::new(current.to_owned(), choices);
    SessionConfigOption::new(id, name, SessionConfigKind::Select(select)).category(category)
}

/// The command that a choice stands for.
pub fn chosen(id: &str, value: &SessionConfigOptionValue) -> Result<Command, Error> {
    let refused = |why: String| fault(Error::invalid_params(), why);
    let Some(value) = value.as_value_id() else {
        return Err(refused(format!("the value of {id} has to be the id of a choice")));
    };
    match id {
        MODEL => Ok(Command::SetModel { model: value.to_string() }),
        THINKING => value.0.parse().map(|level| Command::SetThinking { level }).map_err(refused),
        MODE => mode_chosen(&value.0),
        _ => Err(refused(format!("there is no option {id}; there are {MODEL}, {THINKING} and {MODE}"))),
    }
}
