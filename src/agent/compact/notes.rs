//! The request for a summary: what happened as plain text, and no tools. A conversation that did not fit the window is not
//! sent whole to be summed up: it is shortened to what the model takes, and further where the server says that this is
//! still too much.

use super::estimate::{TOKEN, tokens_of_text};
use crate::agent::AgentEvent;
use crate::conversation::{Block, Message, Part, Role, Thinking, Usage};
use crate::provider::{ErrorKind, ModelSpec, Provider, ProviderError, Request, StreamEvent, ToolChoice};
use crate::tool::cap;
use futures_util::StreamExt;
use std::fmt::Write;

const PROMPT: &str = include_str!("../../../assets/prompts/compact.md");
const BRANCH_PROMPT: &str = include_str!("../../../assets/prompts/branch.md");

/// Bytes of one result, or of the input of one call, that the summary is made from.
const MOST_OF_ONE: usize = 4_000;
/// Bytes of the conversation below which nothing is left out: there would be nothing to sum up.
const LEAST: usize = 2_000;

/// What a summary is made from.
pub struct Notes {
    prompt: &'static str,
    transcript: String,
    model: ModelSpec,
    focus: Option<String>,
    session_id: String,
}

/// For a branch that is left: notes for whoever goes on elsewhere.
pub fn of_branch(left: &[Message], model: &ModelSpec, focus: Option<&str>, session_id: &str) -> Notes {
    Notes { prompt: BRANCH_PROMPT, ..Notes::of_history(left, model, focus, session_id) }
}

impl Notes {
    pub fn of_history<'a>(
        messages: impl IntoIterator<Item = &'a Message>,
        model: &ModelSpec,
        focus: Option<&str>,
        session_id: &str,
    ) -> Notes {
        Notes {
            prompt: PROMPT,
            transcript: transcript(messages),
            model: model.clone(),
            focus: focus.map(str::to_owned),
            session_id: session_id.to_owned(),
        }
    }

    /// Bytes of the conversation that the model takes, by what is known of its window.
    fn room(&self) -> usize {
        let tokens = self.model.context.saturating_sub(self.model.output).max(self.model.context / 2);
        usize::try_from(tokens.saturating_mul(TOKEN - 1)).unwrap_or(usize::MAX)
    }

    /// The request. What is longer than the model's window is shortened.
    pub fn request(&self) -> Request {
        self.within(self.room())
    }

    fn within(&self, bytes: usize) -> Request {
        let text = cap::shorten_if_longer(&self.transcript, bytes);
        let mut ask = format!("<conversation>\n{text}\n</conversation>\n\nWrite the notes.");
        if let Some(focus) = &self.focus {
            let _ = write!(ask, " Of most importance: {focus}");
        }
        let ask_bytes = ask.len();
        Request {
            thinking: Thinking::Off.clamp_to(&self.model.thinking),
            model: self.model.clone(),
            system: vec![self.prompt.trim_end().to_owned()],
            messages: vec![Message::user(ask)],
            tools: vec![],
            tool_choice: ToolChoice::Auto,
            max_tokens: None,
            tokens: tokens_of_text(ask_bytes),
            extra: Default::default(),
            headers: vec![],
            session_id: self.session_id.clone(),
        }
    }

    /// What the model writes, and what that cost; else why there is none. Dropping the future ends the request.
    /// `tell` hears when the request waits to be tried again (`Retrying`) and goes on (`Resumed`).
    pub async fn write(
        self,
        provider: &dyn Provider,
        tell: impl Fn(AgentEvent),
    ) -> Result<(String, Option<Usage>), String> {
        let mut message =
            self.ask(provider, &tell).await.map_err(|e| format!("the request for the summary failed: {e}"))?;
        let text = message.text().trim().to_owned();
        if text.is_empty() {
            return Err("the model gave no summary; try it again".into());
        }
        if let Some(usage) = &mut message.usage {
            usage.cost = usage.cost.or_else(|| self.model.price.map(|p| p.cost(usage)));
        }
        Ok((text, message.usage))
    }

    async fn ask(&self, provider: &dyn Provider, tell: &impl Fn(AgentEvent)) -> Result<Message, ProviderError> {
        let mut bytes = self.room().min(self.transcript.len());
        loop {
            match answer(provider, self.within(bytes), tell).await {
                Err(error) if error.kind == ErrorKind::Overflow && bytes > LEAST => bytes = (bytes / 2).max(LEAST),
                other => return other,
            }
        }
    }
}

async fn answer(
    provider: &dyn Provider,
    request: Request,
    tell: &impl Fn(AgentEvent),
) -> Result<Message, ProviderError> {
    let mut stream = provider.stream(request);
    let mut waits = false;
    while let Some(event) = stream.next().await {
        if std::mem::take(&mut waits) {
            tell(AgentEvent::Resumed);
        }
        match event {
            StreamEvent::Retrying { attempt, of, wait, error } => {
                waits = true;
                tell(AgentEvent::Retrying { attempt, of, wait, error });
            }
            StreamEvent::MessageComplete { message, .. } => return Ok(message),
            StreamEvent::Failed { error, .. } => return Err(error),
            _ => {}
        }
    }
    Err(ProviderError::new(ErrorKind::Cut, "the provider's stream ended without an end"))
}

/// Messages as plain text.
fn transcript<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let mut text = String::new();
    for block in messages.into_iter().flat_map(|m| m.blocks.iter().map(move |b| (m.role, b))) {
        let _ = match block {
            (Role::Assistant, Block::Text { text: said, .. }) => writeln!(text, "[agent]\n{said}\n"),
            (_, Block::Text { text: said, .. }) => writeln!(text, "[user]\n{said}\n"),
            (_, Block::ToolUse { name, input, .. }) => {
                writeln!(text, "[call of {name}]\n{}\n", cap::shorten_if_longer(&input.to_string(), MOST_OF_ONE))
            }
            (_, Block::ToolResult { content, is_error, .. }) => {
                let what = if *is_error { "error" } else { "result" };
                writeln!(text, "[{what}]\n{}\n", cap::shorten_if_longer(&Part::joined(content), MOST_OF_ONE))
            }
            (_, Block::Image { .. }) => writeln!(text, "[a picture]\n"),
            (_, Block::Thinking { .. } | Block::Other(_)) => Ok(()),
        };
    }
    text
}
