//! What the user is asked, in the editor's words: approvals and the questions of extensions as requests for permission,
//! those that want a text as forms, where the editor has them.

use super::peer::Answered;
use crate::backend::{Answer, Approval, Ask, AskItem, AskKind, Command, Response};
use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction, ElicitationContentValue,
    ElicitationFormMode, ElicitationSchema, ElicitationSessionScope, PermissionOption, PermissionOptionKind,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SessionId, StringPropertySchema,
    ToolCall, ToolCallStatus, ToolCallUpdate,
};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The field of a form.
const FIELD: &str = "answer";

/// Something that waits for the user.
#[derive(Debug, Clone)]
pub enum Question {
    Approval(Arc<Approval>),
    Ask(Arc<Ask>),
}

impl Question {
    pub fn id(&self) -> &str {
        match self {
            Question::Approval(approval) => &approval.id,
            Question::Ask(ask) => &ask.id,
        }
    }

    /// What the editor's answer means. None, a refusal and what can't be read mean no.
    pub fn command(&self, answer: Option<Answered>) -> Command {
        match self {
            Question::Approval(approval) => {
                let answer = selected(answer).and_then(|id| allowed(&id)).unwrap_or(Answer::No);
                Command::Approve { approval_id: approval.id.clone(), answer }
            }
            Question::Ask(ask) => {
                let response = response(&ask.kind, answer).unwrap_or(Response::Dismissed);
                Command::Answer { ask_id: ask.id.clone(), response }
            }
        }
    }
}

fn option(id: impl Into<String>, name: &str, kind: PermissionOptionKind) -> PermissionOption {
    PermissionOption::new(id.into(), name, kind)
}

/// The question whether a call may run.
pub fn permission(session_id: &str, approval: &Approval, call: ToolCallUpdate) -> RequestPermissionRequest {
    let mut options = vec![option("once", "Allow once", PermissionOptionKind::AllowOnce)];
    if !approval.rule.is_empty() {
        let (session, project) = (format!("Allow {} in this session", approval.rule), "Always in this project");
        options.push(option("session", &session, PermissionOptionKind::AllowAlways));
        options.push(option("project", project, PermissionOptionKind::AllowAlways));
    }
    options.push(option("no", "No", PermissionOptionKind::RejectOnce));
    RequestPermissionRequest::new(SessionId::new(session_id), call, options)
}

fn allowed(id: &str) -> Option<Answer> {
    match id {
        "once" => Some(Answer::Once),
        "session" => Some(Answer::Session),
        "project" => Some(Answer::Project),
        _ => None,
    }
}

/// A question of an extension that can be answered by taking one of a few things.
pub fn choice(session_id: &str, ask: &Ask) -> Option<RequestPermissionRequest> {
    let options = match &ask.kind {
        AskKind::Confirm { yes, no, .. } => vec![
            option("yes", yes, PermissionOptionKind::AllowOnce),
            option("no", no, PermissionOptionKind::RejectOnce),
        ],
        AskKind::Select { items, multi: false, .. } => {
            let named =
                |(n, item): (usize, &AskItem)| option(n.to_string(), &label(item), PermissionOptionKind::AllowOnce);
            let mut options: Vec<PermissionOption> = items.iter().enumerate().map(named).collect();
            options.push(option("none", "None of these", PermissionOptionKind::RejectOnce));
            options
        }
        AskKind::Select { multi: true, .. } | AskKind::Input { .. } | AskKind::Edit { .. } => return None,
    };
    let mut call = ToolCall::new(ask.id.clone(), ask.title.as_str()).status(ToolCallStatus::Pending);
    if !ask.text.is_empty() {
        call = call.content(vec![ask.text.as_str().into()]);
    }
    Some(RequestPermissionRequest::new(SessionId::new(session_id), call.into(), options))
}

fn label(item: &AskItem) -> String {
    match item.detail.is_empty() {
        true => item.label.clone(),
        false => format!("{} ({})", item.label, item.detail),
    }
}

/// A question of an extension that wants a text.
pub fn form(session_id: &str, ask: &Ask) -> Option<CreateElicitationRequest> {
    let (AskKind::Input { default, .. } | AskKind::Edit { default }) = &ask.kind else { return None };
    let field = StringPropertySchema::new().title(ask.title.clone());
    let field = field.default_value(Some(default.clone()).filter(|default| !default.is_empty()));
    let schema = ElicitationSchema::new().property(FIELD, field, true);
    let words = [&ask.title, &ask.text].into_iter().filter(|text| !text.is_empty());
    let message = words.map(String::as_str).collect::<Vec<_>>().join("\n");
    let scope = ElicitationSessionScope::new(SessionId::new(session_id));
    Some(CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message))
}

fn read<T: DeserializeOwned>(answer: Option<Answered>) -> Option<T> {
    match answer? {
        Ok(value) => serde_json::from_value(value)
            .inspect_err(|error| tracing::warn!("the editor's answer to a question can't be read: {error}"))
            .ok(),
        Err(error) => {
            tracing::warn!("the editor could not ask: {error}");
            None
        }
    }
}

fn selected(answer: Option<Answered>) -> Option<String> {
    match read::<RequestPermissionResponse>(answer)?.outcome {
        RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
        _ => None,
    }
}

fn response(kind: &AskKind, answer: Option<Answered>) -> Option<Response> {
    match kind {
        AskKind::Confirm { .. } => match selected(answer)?.as_str() {
            "yes" => Some(Response::Yes),
            "no" => Some(Response::No),
            _ => None,
        },
        AskKind::Select { items, .. } => {
            let chosen = selected(answer)?.parse().ok().filter(|n| *n < items.len())?;
            Some(Response::Chosen(vec![chosen]))
        }
        AskKind::Input { .. } | AskKind::Edit { .. } => {
            let ElicitationAction::Accept(accepted) = read::<CreateElicitationResponse>(answer)?.action else {
                return None;
            };
            match accepted.content?.remove(FIELD)? {
                ElicitationContentValue::String(text) => Some(Response::Text(text)),
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol_schema::v1::Error;
    use serde_json::{Value, json};

    fn chosen(id: &str) -> Option<Answered> {
        Some(Ok(json!({"outcome": {"outcome": "selected", "optionId": id}})))
    }

    fn ask(kind: AskKind) -> Ask {
        let text = String::new;
        Ask { id: "a".into(), extension: "x".into(), title: "Which?".into(), text: text(), kind, created_at: text() }
    }

    #[test]
    fn every_answer_of_an_editor_to_an_approval() {
        let approval = json!({"id": "q", "asker": {"kind": "main", "name": "main"}, "tool_name": "std.shell",
            "input": {}, "reason": "", "rule": "std.shell(ls)", "created_at": ""});
        let question = Question::Approval(Arc::new(serde_json::from_value(approval).expect("an approval")));
        for (answer, expected) in [
            (chosen("once"), Answer::Once),
            (chosen("session"), Answer::Session),
            (chosen("project"), Answer::Project),
            (chosen("no"), Answer::No),
            (chosen("what"), Answer::No),
            (Some(Ok(json!({"outcome": {"outcome": "cancelled"}}))), Answer::No),
            (Some(Ok(Value::Null)), Answer::No),
            (Some(Err(Error::method_not_found())), Answer::No),
            (None, Answer::No),
        ] {
            let words = format!("{answer:?}");
            let Command::Approve { answer, .. } = question.command(answer) else { panic!("{words}") };
            assert_eq!(answer, expected, "{words}");
        }
    }

    #[test]
    fn questions_of_extensions_and_their_answers() {
        let confirm = AskKind::Confirm { yes: "Do".into(), no: "Don't".into(), default: true };
        let items = ["a", "b"].map(|label| AskItem { label: label.into(), detail: String::new() }).to_vec();
        let select = AskKind::Select { items, multi: false, default: vec![] };
        let input = AskKind::Input { default: "d".into(), placeholder: String::new() };
        assert_eq!(choice("s", &ask(confirm.clone())).expect("two choices").options.len(), 2);
        assert_eq!(choice("s", &ask(select.clone())).expect("three choices").options.len(), 3);
        assert!(choice("s", &ask(input.clone())).is_none() && form("s", &ask(input.clone())).is_some());
        let text = Some(Ok(json!({"action": "accept", "content": {"answer": "words"}})));
        for (kind, answer, expected) in [
            (&confirm, chosen("yes"), Some(Response::Yes)),
            (&confirm, chosen("no"), Some(Response::No)),
            (&select, chosen("1"), Some(Response::Chosen(vec![1]))),
            (&select, chosen("2"), None),
            (&select, chosen("none"), None),
            (&input, text, Some(Response::Text("words".into()))),
            (&input, Some(Ok(json!({"action": "decline"}))), None),
        ] {
            assert_eq!(response(kind, answer), expected, "{kind:?}");
        }
    }
}
