//! The calls that an editor shows: under which id, and what they have put out so far.

use super::tool;
use crate::backend::{Approval, Item, ItemBody, ToolStatus};
use crate::util::ids;
use agent_client_protocol_schema::v1::{
    SessionUpdate, ToolCall, ToolCallContent, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use std::{collections::HashMap, path::PathBuf};

/// Bytes of live output that are shown: its end.
const SHOWN: usize = 16 << 10;

/// A call that has not ended.
#[derive(Debug)]
struct Running {
    id: ToolCallId,
    call_id: String,
    output: String,
    /// There is output that was not told.
    gathered: bool,
}

pub struct Calls {
    cwd: PathBuf,
    /// By item.
    running: HashMap<String, Running>,
    /// Calls that were asked about before they were heard of, by their own ids.
    asked: HashMap<String, ToolCallId>,
}

impl Calls {
    pub fn new(cwd: PathBuf) -> Calls {
        Calls { cwd, running: HashMap::new(), asked: HashMap::new() }
    }

    /// A call that begins or ends.
    pub fn item(&mut self, item: &Item) -> Option<SessionUpdate> {
        let ItemBody::Tool { tool_call_id, status, .. } = &item.body else { return None };
        let known = self.running.remove(&item.id).map(|running| running.id);
        let asked = self.asked.remove(tool_call_id);
        let told = known.is_some() || asked.is_some();
        let id = known.or(asked).unwrap_or_else(|| ToolCallId::new(item.id.clone()));
        if *status == ToolStatus::Running {
            let call_id = tool_call_id.clone();
            self.running
                .insert(item.id.clone(), Running { id: id.clone(), call_id, output: String::new(), gathered: false });
        }
        let call = self.call(id, item)?;
        Some(if told { SessionUpdate::ToolCallUpdate(call.into()) } else { SessionUpdate::ToolCall(call) })
    }

    fn call(&self, id: ToolCallId, item: &Item) -> Option<ToolCall> {
        let ItemBody::Tool { tool_name, input, content, details, status, title, .. } = &item.body else { return None };
        let details = details.as_ref();
        let call = ToolCall::new(id, title.as_str())
            .name(tool_name.clone())
            .kind(tool::kind(tool_name))
            .status(tool::status(*status))
            .locations(tool::locations(&self.cwd, input, details))
            .content(tool::content(&self.cwd, input, content, details))
            .raw_input(tool::raw(input));
        Some(call.raw_output(details.and_then(tool::raw)))
    }

    /// News of a running call: a title is told at once, output is gathered.
    pub fn progress(
        &mut self,
        item_id: &str,
        append: Option<&str>,
        content: Option<&str>,
        title: Option<&str>,
    ) -> Option<ToolCallUpdate> {
        let running = self.running.get_mut(item_id)?;
        if let Some(content) = content {
            content.clone_into(&mut running.output);
        }
        running.output += append.unwrap_or_default();
        running.gathered |= append.or(content).is_some();
        cut(&mut running.output);
        title.map(|title| update(running, ToolCallUpdateFields::new().title(title.to_owned())))
    }

    /// Whether there is output that was not told.
    pub fn has_gathered(&self) -> bool {
        self.running.values().any(|running| running.gathered)
    }

    /// The output that was not told.
    pub fn gathered(&mut self) -> Vec<SessionUpdate> {
        let told = self.running.values_mut().filter_map(|running| {
            let shown: ToolCallContent =
                std::mem::take(&mut running.gathered).then(|| running.output.as_str().into())?;
            Some(update(running, ToolCallUpdateFields::new().content(vec![shown])))
        });
        told.map(SessionUpdate::ToolCallUpdate).collect()
    }

    /// The call that an approval is about. One that was not heard of yet is made known; what is told of it later goes
    /// by the same id.
    pub fn asked(&mut self, approval: &Approval) -> (Option<SessionUpdate>, ToolCallUpdate) {
        let known = self.running.values().find(|r| Some(&r.call_id) == approval.call_id.as_ref()).map(|r| r.id.clone());
        let id = known.clone().unwrap_or_else(|| ToolCallId::new(approval.id.clone()));
        let title = approval.command.clone().unwrap_or_else(|| approval.reason.clone());
        let mut content = tool::wanted(&self.cwd, &approval.input, approval.diff.as_deref());
        if approval.reason != title && !approval.reason.is_empty() {
            content.insert(0, approval.reason.as_str().into());
        }
        let call = ToolCall::new(id.clone(), title)
            .name(approval.tool_name.clone())
            .kind(tool::kind(&approval.tool_name))
            .status(ToolCallStatus::Pending)
            .locations(tool::locations(&self.cwd, &approval.input, None))
            .content(content)
            .raw_input(tool::raw(&approval.input));
        if known.is_none() {
            let call_id = approval.call_id.clone().unwrap_or_else(ids::fresh);
            self.asked.insert(call_id, id);
        }
        (known.is_none().then(|| SessionUpdate::ToolCall(call.clone())), call.into())
    }

    /// What of a call was asked about runs, or has ended.
    pub fn answered(&mut self, approval: &Approval) -> Option<SessionUpdate> {
        let Some(running) = self.running.values().find(|r| Some(&r.call_id) == approval.call_id.as_ref()) else {
            // Of a child's calls nothing more is told: with the answer they are over.
            let id = self.asked.remove(approval.call_id.as_ref()?)?;
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
            return Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
        };
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress).content(vec![]);
        Some(SessionUpdate::ToolCallUpdate(update(running, fields)))
    }
}

fn update(running: &Running, fields: ToolCallUpdateFields) -> ToolCallUpdate {
    ToolCallUpdate::new(running.id.clone(), fields)
}

/// Keeps the end.
fn cut(output: &mut String) {
    if output.len() > SHOWN {
        let from = (output.len() - SHOWN..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(0);
        output.drain(..from);
    }
}
