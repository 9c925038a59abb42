//! Answers for a state that isn't there: whoever asks anything of Lua hears why it can't start.

use super::message::Message;
use crate::backend::{Decision, Diagnostic, Level, Notice, Reloaded, ScriptedEvent};
use crate::tool::{Outcome, Update, UpdateKind};
use tokio::sync::{mpsc, oneshot};

/// Answers until nobody is left to ask, or until it is to stop; then gives whom to tell of the end.
pub(super) async fn all(mut messages: mpsc::UnboundedReceiver<Message>, problem: &str) -> Option<oneshot::Sender<()>> {
    tracing::error!("{problem}");
    while let Some(message) = messages.recv().await {
        match message {
            Message::Stop { reply, .. } => return Some(reply),
            other => answer(other, problem),
        }
    }
    None
}

fn answer(message: Message, problem: &str) {
    let diagnostics = || vec![Diagnostic { extension: "lua".into(), message: problem.into() }];
    match message {
        Message::Load { reply, .. } => drop(reply.send(diagnostics())),
        Message::Reload { reply, .. } => {
            let done = Reloaded { diagnostics: diagnostics(), failed: diagnostics(), ..Reloaded::default() };
            let _ = reply.send(done);
        }
        Message::Enable { reply, .. } => drop(reply.send(Err(problem.into()))),
        Message::Command { reply, .. } | Message::Press { reply, .. } => drop(reply.send(Err(problem.into()))),
        Message::Batch { calls, updates, reply } => {
            for call in calls {
                let kind = UpdateKind::Finished(Outcome::error(problem.to_owned()));
                let _ = updates.send(Update { call_id: call.id, kind });
            }
            let _ = reply.send(());
        }
        Message::Stream { events, .. } => {
            let _ = events.try_send(ScriptedEvent::Error {
                message: problem.into(),
                kind: None,
                status: None,
                retry_after: None,
            });
        }
        Message::ToolCall { hook, reply } => {
            let _ = reply.send((hook.input, Decision::Block { reason: problem.into() }));
        }
        Message::Ask { hook, reply } => drop(reply.send(hook.data)),
        Message::Notices(sender) => drop(sender.send(Notice { level: Level::Error, text: problem.into() })),
        Message::List { reply } => drop(reply.send(Default::default())),
        Message::Render { reply, .. } => drop(reply.send(None)),
        Message::Complete { reply, .. } | Message::Mentions { reply } => drop(reply.send(vec![])),
        Message::Ping { reply } | Message::Heard { reply } | Message::Stop { reply, .. } => drop(reply.send(())),
        Message::Attach(_) | Message::Emit(_) | Message::Session(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn everybody_hears_why_there_is_no_lua() {
        let (messages, received) = mpsc::unbounded_channel();
        let (reply, command) = oneshot::channel();
        messages.send(Message::Command { name: "x".into(), args: String::new(), reply }).unwrap();
        let (reply, enabled) = oneshot::channel();
        messages.send(Message::Enable { name: "x".into(), on: true, reply }).unwrap();
        let (reply, reloaded) = oneshot::channel();
        messages.send(Message::Reload { name: None, reply }).unwrap();
        let (events, mut streamed) = mpsc::channel(1);
        messages.send(Message::Stream { provider: "x".into(), request: json!({}), events }).unwrap();
        let (notices, mut noticed) = mpsc::unbounded_channel();
        messages.send(Message::Notices(notices)).unwrap();
        drop(messages);
        assert!(all(received, "no Lua").await.is_none());
        assert_eq!(command.await.unwrap().unwrap_err(), "no Lua");
        assert_eq!(enabled.await.unwrap().unwrap_err(), "no Lua");
        assert_eq!(reloaded.await.unwrap().failed[0].message, "no Lua");
        assert!(matches!(streamed.recv().await, Some(ScriptedEvent::Error { message, .. }) if message == "no Lua"));
        assert_eq!(noticed.recv().await.unwrap().text, "no Lua");
    }
}
