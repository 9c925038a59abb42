//! Element → the JSON it is read from.

use super::{Align, Element, Line, Span};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::{Value, json};

impl Element {
    /// JSON that `from_json` reads back as this element.
    pub fn to_json(&self) -> Value {
        let all = |elements: &[Element]| elements.iter().map(Element::to_json).collect::<Value>();
        match self {
            Element::Line(line) => json!({"type": "line", "spans": spans(line)}),
            Element::Text(line) => json!({"type": "text", "spans": spans(line)}),
            Element::List { items, ordered } => json!({"type": "list", "items": all(items), "ordered": ordered}),
            Element::Table { header, rows, align } => json!({
                "type": "table", "header": cells(header), "rows": rows.iter().map(|row| cells(row)).collect::<Value>(),
                "align": align.iter().map(word).collect::<Value>(),
            }),
            Element::Gauge { value, label, role, width } => {
                json!({"type": "gauge", "value": value, "label": spans(label), "role": role.name(), "width": width})
            }
            Element::KeyValue(pairs) => {
                let pairs = pairs.iter().map(|(name, value)| json!([spans(name), spans(value)]));
                json!({"type": "key_value", "pairs": pairs.collect::<Value>()})
            }
            Element::Row { children, gap } => json!({"type": "row", "children": all(children), "gap": gap}),
            Element::Column { children, gap } => json!({"type": "column", "children": all(children), "gap": gap}),
            Element::Rule { title, role } => json!({"type": "rule", "title": spans(title), "role": role.name()}),
            Element::Code { text, language } => json!({"type": "code", "text": text, "language": language}),
            Element::Diff(text) => json!({"type": "diff", "text": text}),
            Element::Markdown(text) => json!({"type": "markdown", "text": text}),
        }
    }
}

fn cells(line: &[Line]) -> Value {
    line.iter().map(spans).collect()
}

fn word(align: &Align) -> &'static str {
    match align {
        Align::Left => "left",
        Align::Center => "center",
        Align::Right => "right",
    }
}

fn spans(line: &Line) -> Value {
    let span = |span: &Span| match span.role {
        Some(role) => json!({"text": span.text, "role": role.name()}),
        None => json!(span.text),
    };
    line.0.iter().map(span).collect()
}

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl Serialize for super::Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Element, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Element::from_json(&value, "element").map_err(D::Error::custom)
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        spans(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let element = json!({"type": "line", "spans": value});
        match Element::from_json(&element, "line").map_err(D::Error::custom)? {
            Element::Line(line) => Ok(line),
            _ => Ok(Line::default()),
        }
    }
}
