//! What happens in a session, as the updates that an editor shows. Pure: events in, updates out.
//!
//! An editor can't be told to forget: what it was sent stays on its screen. So an answer that is taken back is marked
//! as such, and output of a running call is told whole but seldom, by whoever asks for what has `gathered`.

use super::{calls::Calls, replay};
use crate::backend::{CommandDecl, ContentPart, DeltaKind, Event, Item, ItemBody, Level, Session};
use crate::util::ids;
use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ContentChunk, Cost, MessageId, Notice,
    NoticeSeverity, SessionInfoUpdate, SessionUpdate, UnstructuredCommandInput, UsageUpdate,
};
use std::{path::PathBuf, sync::Arc};

/// Commands of panto itself that make sense without its screen: name, arguments, what it does.
pub const BUILTIN: [(&str, &str, &str); 3] = [
    ("compact", "what matters most", "sum up what is old, so that the window has room"),
    ("name", "the session's name", "name this session"),
    ("reload", "an extension's name", "run the code of extensions anew"),
];

/// The answer that streams, and how many bytes of it were told.
#[derive(Debug, Default)]
struct Streaming {
    item_id: String,
    text: usize,
    thinking: usize,
}

/// What was told of the session last.
#[derive(Debug, Default, PartialEq)]
struct Known {
    name: Option<String>,
    used: u64,
    size: u64,
    cost: Option<f64>,
}

/// What one editor knows of one session.
pub struct Teller {
    pub calls: Calls,
    /// The editor shows notices as such.
    notices: bool,
    streaming: Streaming,
    known: Known,
    /// The next message of the user's is one that the editor shows already.
    own: bool,
    /// The last thing that the user said was a command: what extensions say is its answer.
    answering: bool,
}

/// A piece of a message.
pub fn chunk(id: &str, text: &str) -> ContentChunk {
    ContentChunk::new(text.into()).message_id(MessageId::new(id))
}

impl Teller {
    pub fn new(cwd: PathBuf, notices: bool) -> Teller {
        Teller {
            calls: Calls::new(cwd),
            notices,
            streaming: Streaming::default(),
            known: Known::default(),
            own: false,
            answering: false,
        }
    }

    /// The editor's own prompt begins a turn.
    pub fn prompted(&mut self) {
        (self.own, self.answering) = (true, false);
    }

    /// A command of the user's runs. What extensions say of it may come a little later than its end.
    pub fn commanded(&mut self) {
        self.answering = true;
    }

    /// Whatever was expected of the turn does not come any more.
    pub fn ended(&mut self) {
        self.own = false;
    }

    /// The whole session, for an editor that knows nothing of it.
    pub fn replay(&mut self, session: &Session) -> Vec<SessionUpdate> {
        session.transcript.iter().flat_map(|item| replay::item(&mut self.calls, item)).collect()
    }

    pub fn hear(&mut self, event: &Event) -> Vec<SessionUpdate> {
        match event {
            Event::SessionChanged(session) => self.changed(session),
            Event::SessionBranched { session, .. } => {
                let text = "the conversation goes on at another point: what stands above is not all of it any more";
                let mut updates = self.say(Level::Info, text);
                updates.extend(self.changed(session));
                updates
            }
            Event::ItemStarted(item) => self.started(item),
            Event::AssistantDelta(delta) => self.delta(&delta.item_id, delta.kind, &delta.delta),
            Event::ItemUpdated { item_id, append, content, title } => {
                let update = self.calls.progress(item_id, append.as_deref(), content.as_deref(), title.as_deref());
                update.map(SessionUpdate::ToolCallUpdate).into_iter().collect()
            }
            Event::ItemFinished(item) => self.finished(item),
            Event::ItemRemoved { item_id } => self.removed(item_id),
            Event::Notice(notice) => self.say(notice.level, &notice.text),
            Event::Commands(commands) => vec![commands_update(commands)],
            Event::TrustAsked(question) => {
                let text = format!(
                    "{} brings {}; none of it counts before you have run `panto` there once and trusted the folder",
                    question.folder.display(),
                    question.brings.join(", ")
                );
                self.say(Level::Warning, &text)
            }
            _ => vec![],
        }
    }

    fn started(&mut self, item: &Arc<Item>) -> Vec<SessionUpdate> {
        match &item.body {
            ItemBody::User { .. } if std::mem::take(&mut self.own) => vec![],
            ItemBody::Assistant { .. } => {
                self.streaming = Streaming { item_id: item.id.clone(), ..Streaming::default() };
                vec![]
            }
            _ => replay::item(&mut self.calls, item),
        }
    }

    fn delta(&mut self, item_id: &str, kind: DeltaKind, text: &str) -> Vec<SessionUpdate> {
        if self.streaming.item_id != item_id {
            return vec![];
        }
        let told = match kind {
            DeltaKind::Text => &mut self.streaming.text,
            DeltaKind::Thinking => &mut self.streaming.thinking,
            DeltaKind::ToolCall => return vec![],
        };
        *told += text.len();
        vec![replay::said(item_id, kind, text)]
    }

    fn finished(&mut self, item: &Arc<Item>) -> Vec<SessionUpdate> {
        match &item.body {
            ItemBody::Tool { .. } => replay::item(&mut self.calls, item),
            ItemBody::Assistant { content, .. } => self.rest(&item.id, content),
            // Told when it began.
            ItemBody::User { .. } | ItemBody::Note { .. } => vec![],
        }
    }

    /// What of an answer was not streamed.
    fn rest(&mut self, item_id: &str, content: &[ContentPart]) -> Vec<SessionUpdate> {
        let told = std::mem::take(&mut self.streaming);
        let (text, thinking) = match told.item_id == item_id {
            true => (told.text, told.thinking),
            false => (0, 0),
        };
        let all = |wanted| content.iter().filter_map(move |part| replay::words(part, wanted)).collect::<String>();
        let rest = |kind, from: usize| {
            all(kind).get(from..).filter(|rest| !rest.is_empty()).map(|rest| replay::said(item_id, kind, rest))
        };
        rest(DeltaKind::Thinking, thinking).into_iter().chain(rest(DeltaKind::Text, text)).collect()
    }

    fn removed(&mut self, item_id: &str) -> Vec<SessionUpdate> {
        let told = std::mem::take(&mut self.streaming);
        match told.item_id == item_id && told.text + told.thinking > 0 {
            true => self.say(Level::Warning, "the answer broke off; what follows is another attempt"),
            false => vec![],
        }
    }

    fn changed(&mut self, session: &Session) -> Vec<SessionUpdate> {
        let usage = session.usage.cost;
        let now =
            Known { name: session.name.clone(), used: session.context_used, size: session.context_window, cost: usage };
        let old = std::mem::replace(&mut self.known, now);
        let mut updates = vec![];
        if old.name != self.known.name {
            let title = self.known.name.clone();
            updates.push(SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title)));
        }
        if (old.used, old.size, old.cost) != (self.known.used, self.known.size, usage) && self.known.size > 0 {
            let update = UsageUpdate::new(self.known.used, self.known.size);
            let cost = usage.map(|amount| Cost::new(amount, "USD"));
            updates.push(SessionUpdate::UsageUpdate(update.cost(cost)));
        }
        updates
    }

    /// A line outside of the conversation. An editor that has no place for it gets it as a quotation, unless it is mere
    /// news that nobody asked for.
    pub fn say(&self, level: Level, text: &str) -> Vec<SessionUpdate> {
        let (severity, word) = match level {
            Level::Info => (NoticeSeverity::Info, ""),
            Level::Warning => (NoticeSeverity::Warning, "**Warning:** "),
            Level::Error => (NoticeSeverity::Error, "**Error:** "),
        };
        if self.notices {
            let (title, more) = text.split_once('\n').map_or((text, None), |(title, more)| (title, Some(more)));
            return vec![SessionUpdate::Notice(Notice::new(severity, title).description(more.map(str::to_owned)))];
        }
        if level == Level::Info && !self.answering {
            tracing::info!("{text}");
            return vec![];
        }
        let quoted = format!("\n\n> {word}{}\n\n", text.replace('\n', "\n> "));
        vec![SessionUpdate::AgentMessageChunk(chunk(&ids::fresh(), &quoted))]
    }
}

/// All commands: panto's own, and those of extensions.
fn commands_update(registered: &[CommandDecl]) -> SessionUpdate {
    let hinted = |name: &str, doc: &str, hint: &str| {
        let input = AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint));
        AvailableCommand::new(name, doc).input(input)
    };
    let own = BUILTIN.iter().filter(|(name, ..)| !registered.iter().any(|c| c.name == *name));
    let mut all: Vec<AvailableCommand> = own.map(|(name, hint, doc)| hinted(name, doc, hint)).collect();
    all.extend(registered.iter().map(|c| hinted(&c.name, &c.description, "arguments")));
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(all))
}
