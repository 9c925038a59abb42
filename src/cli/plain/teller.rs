//! What happens in the conversation, as lines: each event says what it is by its first word.

use super::stream::{Part, Stream};
use super::voice::Voice;
use crate::backend::{ContentPart, Delta, DeltaKind, Event, Item, ItemBody, ToolStatus};
use crate::config::{ThinkingView, Tui};
use crate::conversation;
use crate::tui::app::transcript::{ending, tool_state, without_names};
use crate::tui::text::{Row, ansi};
use crate::tui::theme::ColorDepth;
use crate::util::text::short_time;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use std::{io, mem};

/// Who answers in the session itself.
const PANTO: &str = "panto";

pub struct Teller {
    thinking: ThinkingView,
    /// Lines of an output that are said at once.
    tool_lines: usize,
    /// What comes in, by item and place in it.
    streams: HashMap<String, BTreeMap<usize, (Part, Stream)>>,
    /// Items that have begun and not ended.
    running: BTreeSet<String>,
    /// All of the last output.
    output: Option<String>,
    /// What was typed here needs no telling.
    typed: Vec<String>,
}

impl Teller {
    pub fn new(options: &Tui) -> Teller {
        Teller {
            thinking: options.thinking,
            tool_lines: options.tool_lines,
            streams: HashMap::new(),
            running: BTreeSet::new(),
            output: None,
            typed: vec![],
        }
    }

    /// Another session, or another branch: nothing of the old one goes on.
    pub fn forget(&mut self) {
        self.streams.clear();
        self.running.clear();
        self.typed.clear();
    }

    /// Whether something runs, of the user's or of the model's.
    pub fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    /// All that the last tool has put out.
    pub fn last_output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    pub fn typed(&mut self, text: &str) {
        self.typed.push(text.to_owned());
    }

    pub fn take(&mut self, event: &Event, voice: &mut Voice) -> io::Result<()> {
        match event {
            Event::ItemStarted(item) => {
                self.running.insert(item.id.clone());
                self.started(item, voice)
            }
            Event::AssistantDelta(delta) => self.delta(delta, voice),
            Event::ItemFinished(item) => {
                self.running.remove(&item.id);
                self.whole(item, PANTO, voice)
            }
            Event::ItemRemoved { item_id } => {
                self.running.remove(item_id);
                match self.streams.remove(item_id) {
                    Some(said) if !said.is_empty() => voice.say("notice", "this answer broke off and is begun anew"),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn started(&mut self, item: &Item, voice: &mut Voice) -> io::Result<()> {
        match &item.body {
            ItemBody::Tool { .. } => voice.say(label(item, "tool"), title(item)),
            _ => Ok(()),
        }
    }

    fn delta(&mut self, delta: &Delta, voice: &mut Voice) -> io::Result<()> {
        let part = match delta.kind {
            DeltaKind::Text => Part::Answer,
            DeltaKind::Thinking => self.thinks(),
            DeltaKind::ToolCall => return Ok(()),
        };
        let parts = self.streams.entry(delta.item_id.clone()).or_default();
        for (_, (part, stream)) in parts.range_mut(..delta.index) {
            stream.close(*part, PANTO, voice)?;
        }
        let (part, stream) = parts.entry(delta.index).or_insert_with(|| (part, Stream::default()));
        stream.push(&delta.delta, *part, PANTO, voice)
    }

    fn thinks(&self) -> Part {
        if self.thinking == ThinkingView::Hidden { Part::Silent } else { Part::Thinking }
    }

    /// An item that is complete: what of it was not said yet. `who` answers.
    pub fn whole(&mut self, item: &Item, who: &str, voice: &mut Voice) -> io::Result<()> {
        match &item.body {
            ItemBody::User { content } => self.user(content, voice),
            ItemBody::Assistant { content, .. } => {
                self.assistant(&item.id, content, who, voice)?;
                ending(&item.body).map_or(Ok(()), |(words, _)| voice.say("ended", &words))
            }
            ItemBody::Tool { .. } => self.tool(item, voice),
            ItemBody::Note { kind, text } => self.note(kind, text, voice),
        }
    }

    fn user(&mut self, content: &[ContentPart], voice: &mut Voice) -> io::Result<()> {
        let text: Vec<&str> = content.iter().filter_map(text_of).collect();
        let text = text.join("\n");
        match self.typed.iter().position(|typed| *typed == text) {
            Some(at) => drop(self.typed.remove(at)),
            None if !text.trim().is_empty() => voice.say("you", &text)?,
            None => {}
        }
        Ok(())
    }

    fn assistant(&mut self, id: &str, content: &[ContentPart], who: &str, voice: &mut Voice) -> io::Result<()> {
        let mut begun = self.streams.remove(id).unwrap_or_default();
        for (at, content) in content.iter().enumerate() {
            let (part, text) = match content {
                ContentPart::Text { text } => (Part::Answer, text),
                ContentPart::Thinking { text, took_ms } => {
                    if let (ThinkingView::Hidden, Some(ms)) = (self.thinking, took_ms) {
                        let time = Duration::from_millis(*ms).max(Duration::from_secs(1));
                        voice.say("thought", &format!("for {}", short_time(time)))?;
                    }
                    (self.thinks(), text)
                }
                ContentPart::Image { mime, .. } => {
                    voice.say(who, &format!("a picture ({mime})"))?;
                    continue;
                }
                ContentPart::ToolCall { .. } => continue,
            };
            let (part, stream) = begun.entry(at).or_insert_with(|| (part, Stream::default()));
            stream.end(text, *part, who, voice)?;
        }
        begun.into_values().try_for_each(|(part, mut stream)| stream.close(part, who, voice))
    }

    fn tool(&mut self, item: &Item, voice: &mut Voice) -> io::Result<()> {
        let ItemBody::Tool { content, details, status, is_error, took_ms, .. } = &item.body else { return Ok(()) };
        let state = tool_state(*status, *is_error, content, details.as_ref());
        let took = took_ms.map(Duration::from_millis).filter(|t| t.as_secs() > 0).map(short_time);
        let end = [state, took].into_iter().flatten().map(|words| format!(", {words}")).collect::<String>();
        let failed = *is_error || *status == ToolStatus::Error;
        voice.say(label(item, if failed { "tool failed" } else { "tool done" }), &format!("{}{end}", title(item)))?;
        let detail = |key: &str| details.as_ref().and_then(|d| d.get(key)).filter(|v| !v.is_null());
        let diff = detail("diff").and_then(serde_json::Value::as_str).filter(|d| !failed && !d.trim().is_empty());
        // A process tells the outcome at its end, a file or a listing begins with what matters.
        let tail = detail("exit_code").or(detail("signal")).is_some();
        match diff {
            Some(diff) => self.put_out(without_names(diff), false, voice),
            None => self.put_out(&conversation::Part::joined(content), tail, voice),
        }
    }

    fn note(&mut self, kind: &str, text: &str, voice: &mut Voice) -> io::Result<()> {
        match kind {
            "error" | "warning" => voice.say(kind, text),
            "info" => voice.say("note", text),
            _ => {
                let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
                voice.say("note", first)?;
                self.put_out(rest, true, voice)
            }
        }
    }

    /// The beginning of an output, or its end.
    fn put_out(&mut self, text: &str, tail: bool, voice: &mut Voice) -> io::Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let rows = ansi::rows(text.trim_end(), ColorDepth::None);
        let lines: Vec<&str> = rows.iter().map(Row::text).collect();
        let hidden = lines.len().saturating_sub(self.tool_lines);
        // The line that would tell of a single hidden one can as well be that one.
        let hidden = if hidden == 1 { 0 } else { hidden };
        let shown = if tail { &lines[hidden..] } else { &lines[..lines.len() - hidden] };
        let rest = format!("({hidden} more lines; /output says all)");
        if tail && hidden > 0 {
            voice.add(&rest)?;
        }
        shown.iter().try_for_each(|line| voice.add(line))?;
        if !tail && hidden > 0 {
            voice.add(&rest)?;
        }
        self.output = Some(lines.join("\n"));
        Ok(())
    }

    /// What a child has said, from the beginning.
    pub fn transcript(&mut self, items: &[std::sync::Arc<Item>], who: &str, voice: &mut Voice) -> io::Result<()> {
        let last = mem::take(&mut self.output);
        let done = items.iter().try_for_each(|item| self.whole(item, who, voice));
        self.output = last.or(self.output.take());
        done
    }
}

/// A call that a tool makes is told as one.
fn label<'l>(item: &Item, label: &'l str) -> &'l str {
    match (&item.body, label) {
        (ItemBody::Tool { parent: Some(_), .. }, "tool") => "inner tool",
        (ItemBody::Tool { parent: Some(_), .. }, "tool done") => "inner tool done",
        (ItemBody::Tool { parent: Some(_), .. }, "tool failed") => "inner tool failed",
        _ => label,
    }
}

fn title(item: &Item) -> &str {
    match &item.body {
        ItemBody::Tool { title, tool_name, .. } if title.trim().is_empty() => tool_name,
        ItemBody::Tool { title, .. } => title,
        _ => "",
    }
}

fn text_of(part: &ContentPart) -> Option<&str> {
    match part {
        ContentPart::Text { text } => Some(text),
        ContentPart::Image { .. } => Some("(a picture)"),
        ContentPart::Thinking { .. } | ContentPart::ToolCall { .. } => None,
    }
}
