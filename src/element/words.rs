//! Words out of JSON: spans and lines, and texts that are taken as they are; cut where there is no room for them.

use super::build::{Builder, Fields, Read};
use super::read::At;
use super::{Line, Role, Span};
use serde_json::Value;
use std::borrow::Cow;

impl Builder {
    /// `text` and `role`, or `spans`.
    pub(super) fn words(&mut self, kind: &str, at: &At, fields: &Fields) -> Read<Line> {
        at.only(kind, fields, &["text", "role", "spans"])?;
        let role = at.field(fields, "role").map(|r| r.role()).transpose()?;
        let text = at.field(fields, "text").or_else(|| at.field(fields, "spans"));
        let mut line = self.line(&text.ok_or_else(|| at.error(format!("a {kind} needs `text` or `spans`")))?)?;
        line.0.iter_mut().for_each(|span| span.role = span.role.or(role));
        Ok(line)
    }

    /// A string, a span, or a list of them.
    pub(super) fn line(&mut self, at: &At) -> Read<Line> {
        match at.value {
            Value::Array(_) => {
                let (mut spans, items) = (vec![], at.items()?);
                let all = items.len();
                for item in items {
                    if self.is_full() {
                        spans.extend(more(all - spans.len()).0);
                        break;
                    }
                    self.parts -= 1;
                    spans.extend(self.span(&item)?);
                }
                Ok(Line(spans))
            }
            _ => Ok(Line(self.span(at)?)),
        }
    }

    fn span(&mut self, at: &At) -> Read<Vec<Span>> {
        let (text, role) = match at.value {
            Value::Object(fields) => {
                at.only("span", fields, &["text", "role"])?;
                let role = at.field(fields, "role").map(|r| r.role()).transpose()?;
                let text = at.field(fields, "text").ok_or_else(|| at.error("a span needs `text`"))?;
                (Cow::Borrowed(text.text()?), role)
            }
            Value::Number(number) => (number.to_string().into(), None),
            Value::Bool(flag) => (flag.to_string().into(), None),
            _ => (Cow::Borrowed(at.text()?), None),
        };
        let (text, cut) = self.bounded(&text);
        let spans = [Some(Span { text, role }), cut.map(|text| Span { text, role: Some(Role::Dim) })];
        Ok(spans.into_iter().flatten().collect())
    }

    /// As much of the text as there is room for, and the mark of what is missing.
    fn bounded(&mut self, text: &str) -> (String, Option<String>) {
        let kept = &text[..text.floor_char_boundary(self.bytes)];
        self.bytes -= kept.len();
        let missing = text.len() - kept.len();
        if missing > 0 {
            self.bytes = 0;
        }
        (kept.to_owned(), (missing > 0).then(|| format!("… {} KB cut", missing.div_ceil(1000))))
    }

    /// The field `text` of what is taken as it is; a mark of its own line where it was cut.
    pub(super) fn source(&mut self, kind: &str, at: &At, fields: &Fields) -> Read<String> {
        at.only(kind, fields, &["text"])?;
        self.whole_text(kind, at, fields)
    }

    pub(super) fn whole_text(&mut self, kind: &str, at: &At, fields: &Fields) -> Read<String> {
        let text = at.field(fields, "text").ok_or_else(|| at.error(format!("a {kind} needs `text`")))?;
        let (text, cut) = self.bounded(text.text()?);
        Ok(cut.map_or(text.clone(), |cut| format!("{text}\n{cut}")))
    }

    pub(super) fn optional_line(&mut self, at: &At, fields: &Fields, name: &str) -> Read<Line> {
        at.field(fields, name).map_or(Ok(Line::default()), |text| self.line(&text))
    }
}

/// The mark of what is left out.
pub(super) fn more(count: usize) -> Line {
    Line::of(format!("… {count} more"), Role::Dim)
}
