//! JSON → element, with what it may cost.
//!
//! A text may be a string, one span or a list of spans; an element may be such a text too, or a list of elements, which
//! is a column. What goes beyond the bounds is left out, and a mark says so where it stood; only nesting that is too deep
//! is an error.

use super::read::At;
use super::words::more;
use super::{Align, Element, ElementError, Line, Role};
use serde_json::{Map, Value};

/// Bytes of text in an element.
pub const MOST_BYTES: usize = 256 << 10;
/// Elements, cells and spans in an element.
pub const MOST_PARTS: usize = 8_000;
/// Nesting.
const DEEPEST: usize = 16;
/// The widest bar of a gauge, in columns, and the one that none is asked for.
const WIDEST: u16 = 200;
const USUAL: u16 = 20;
/// The most room between two children.
const GAP: u16 = 20;

pub(super) type Fields = Map<String, Value>;
pub(super) type Read<T> = Result<T, ElementError>;

impl Element {
    /// Reads an element; errors call it `name`.
    ///
    /// # Errors
    /// An unknown type, role or field, a value of the wrong kind, nesting that is too deep.
    pub fn from_json(value: &Value, name: &str) -> Result<Element, ElementError> {
        let mut builder = Builder { parts: MOST_PARTS, bytes: MOST_BYTES, depth: 0 };
        builder.element(&At { value, path: name.to_owned() })
    }
}

/// What may still come.
pub(super) struct Builder {
    pub(super) parts: usize,
    pub(super) bytes: usize,
    depth: usize,
}

type Maker = fn(&mut Builder, &At, &Fields) -> Read<Element>;

const TYPES: &[(&str, Maker)] = &[
    ("line", |b, at, fields| Ok(Element::Line(b.words("line", at, fields)?))),
    ("text", |b, at, fields| Ok(Element::Text(b.words("text", at, fields)?))),
    ("list", Builder::list),
    ("table", Builder::table),
    ("gauge", Builder::gauge),
    ("key_value", Builder::key_value),
    ("row", |b, at, fields| {
        let (children, gap) = b.children("row", at, fields, 2)?;
        Ok(Element::Row { children, gap })
    }),
    ("column", |b, at, fields| {
        let (children, gap) = b.children("column", at, fields, 0)?;
        Ok(Element::Column { children, gap })
    }),
    ("rule", Builder::rule),
    ("code", Builder::code),
    ("diff", |b, at, fields| b.source("diff", at, fields).map(Element::Diff)),
    ("markdown", |b, at, fields| b.source("markdown", at, fields).map(Element::Markdown)),
];

const ALIGNS: &[(&str, Align)] = &[("left", Align::Left), ("center", Align::Center), ("right", Align::Right)];

impl Builder {
    fn element(&mut self, at: &At) -> Read<Element> {
        if self.depth == DEEPEST {
            return Err(at.error(format!("is nested deeper than {DEEPEST}")));
        }
        self.depth += 1;
        let element = match at.value {
            Value::Object(fields) if fields.contains_key("type") => self.typed(at, fields),
            Value::Array(items) if items.iter().any(is_element) => {
                let children = self.elements(at.items()?)?;
                Ok(Element::Column { children, gap: 0 })
            }
            _ => self.line(at).map(Element::Text),
        };
        self.depth -= 1;
        element
    }

    fn typed(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        let kind = at.field(fields, "type").ok_or_else(|| at.error("has no `type`"))?;
        let make = match kind.text()? {
            "span" => return self.line(at).map(Element::Text),
            _ => kind.word("type", TYPES)?,
        };
        make(self, at, fields)
    }

    /// Elements up to the bound; a mark says how many are missing.
    fn elements(&mut self, items: Vec<At>) -> Read<Vec<Element>> {
        let (mut out, all) = (vec![], items.len());
        for item in items {
            if self.is_full() {
                out.push(Element::Line(more(all - out.len())));
                break;
            }
            self.parts -= 1;
            out.push(self.element(&item)?);
        }
        Ok(out)
    }

    pub(super) fn is_full(&self) -> bool {
        self.parts == 0 || self.bytes == 0
    }

    fn list(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        at.only("list", fields, &["items", "ordered"])?;
        let ordered = at.field(fields, "ordered").map_or(Ok(false), |f| f.flag())?;
        let items = at.field(fields, "items").ok_or_else(|| at.error("a list needs `items`"))?;
        Ok(Element::List { items: self.elements(items.items()?)?, ordered })
    }

    fn table(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        at.only("table", fields, &["header", "rows", "align"])?;
        let header = at.field(fields, "header").map_or(Ok(vec![]), |header| self.cells(&header))?;
        let align = at.field(fields, "align").map_or(Ok(vec![]), |a| a.items())?;
        let align = align.iter().map(|a| a.word("alignment", ALIGNS)).collect::<Read<_>>()?;
        let rows = at.field(fields, "rows").ok_or_else(|| at.error("a table needs `rows`"))?.items()?;
        let (mut out, all) = (vec![], rows.len());
        for row in rows {
            if self.is_full() {
                out.push(vec![more(all - out.len())]);
                break;
            }
            out.push(self.cells(&row)?);
        }
        Ok(Element::Table { header, rows: out, align })
    }

    fn cells(&mut self, at: &At) -> Read<Vec<Line>> {
        let mut cells = vec![];
        for cell in at.items()? {
            self.parts = self.parts.saturating_sub(1);
            cells.push(if self.is_full() { Line::default() } else { self.line(&cell)? });
        }
        Ok(cells)
    }

    fn gauge(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        at.only("gauge", fields, &["value", "max", "label", "role", "width"])?;
        let value = at.field(fields, "value").ok_or_else(|| at.error("a gauge needs `value`"))?.number()?;
        let max = at.field(fields, "max").map_or(Ok(1.0), |max| max.number())?;
        let value = if max > 0.0 { (value / max).clamp(0.0, 1.0) } else { 0.0 };
        let role = at.field(fields, "role").map_or(Ok(Role::Accent), |r| r.role())?;
        let width = at.field(fields, "width").map_or(Ok(USUAL), |w| w.count(WIDEST))?;
        Ok(Element::Gauge { value, label: self.optional_line(at, fields, "label")?, role, width })
    }

    /// Pairs `{name, value}` in a list, or a table of names, in the order of the alphabet.
    fn key_value(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        at.only("key_value", fields, &["pairs"])?;
        let pairs = at.field(fields, "pairs").ok_or_else(|| at.error("a key_value needs `pairs`"))?;
        let mut out = vec![];
        if let Value::Object(named) = pairs.value {
            let mut names: Vec<_> = named.keys().collect();
            names.sort();
            for name in names.into_iter().take(self.parts) {
                let Some(value) = pairs.field(named, name) else { continue };
                self.parts = self.parts.saturating_sub(1);
                out.push((Line::plain(name.as_str()), self.line(&value)?));
            }
            return Ok(Element::KeyValue(out));
        }
        let items = pairs.items()?;
        let all = items.len();
        for pair in items {
            if self.is_full() {
                out.push((more(all - out.len()), Line::default()));
                break;
            }
            match <[Line; 2]>::try_from(self.cells(&pair)?) {
                Ok([name, value]) => out.push((name, value)),
                Err(_) => return Err(pair.error("must be a pair {name, value}")),
            }
        }
        Ok(Element::KeyValue(out))
    }

    fn children(&mut self, kind: &str, at: &At, fields: &Fields, gap: u16) -> Read<(Vec<Element>, u16)> {
        at.only(kind, fields, &["children", "gap"])?;
        let gap = at.field(fields, "gap").map_or(Ok(gap), |g| g.count(GAP))?;
        let children = at.field(fields, "children").ok_or_else(|| at.error(format!("a {kind} needs `children`")))?;
        Ok((self.elements(children.items()?)?, gap))
    }

    fn rule(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        at.only("rule", fields, &["title", "role"])?;
        let role = at.field(fields, "role").map_or(Ok(Role::Rule), |r| r.role())?;
        Ok(Element::Rule { title: self.optional_line(at, fields, "title")?, role })
    }

    fn code(&mut self, at: &At, fields: &Fields) -> Read<Element> {
        at.only("code", fields, &["text", "language"])?;
        let language = at.field(fields, "language").map_or(Ok(""), |l| l.text())?.to_owned();
        Ok(Element::Code { text: self.whole_text("code", at, fields)?, language })
    }
}

/// Whether an item of a list is more than words.
fn is_element(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.get("type").is_some_and(|kind| kind != "span"),
        Value::Array(_) => true,
        _ => false,
    }
}
