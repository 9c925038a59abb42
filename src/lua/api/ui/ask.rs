//! `confirm`, `select`, `input`, `edit`: questions that park the coroutine until somebody answers.
//!
//! Where nobody is there to answer (`panto -p`), and when a time-out is over, the default is the answer; without one the
//! first is an error, the second no answer.

use crate::backend::{AskItem, AskKind, NewAsk, Program, Response};
use crate::lua::api::args::Fields;
use crate::lua::host::Host;
use mlua::{Error, Lua, Result, Table, Value};
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

/// More to choose from is no question any more.
const MOST_ITEMS: usize = 10_000;
/// Bytes of any text of a question.
const MOST_BYTES: usize = 64 << 10;

pub(super) fn install(lua: &Lua, host: &Rc<Host>, ui: &Table) -> Result<()> {
    let scheduler = &host.api.scheduler;
    let of = host.clone();
    let ask = move |lua: &Lua, (text, opts): (String, Value)| confirm(lua, &of, text, opts);
    ui.set("confirm", scheduler.async_fn(lua, ask)?)?;
    let of = host.clone();
    let ask = move |lua: &Lua, (title, items, opts): (String, Table, Value)| select(lua, &of, title, &items, opts);
    ui.set("select", scheduler.async_fn(lua, ask)?)?;
    let of = host.clone();
    let ask = move |lua: &Lua, (title, opts): (String, Value)| input(lua, &of, title, opts);
    ui.set("input", scheduler.async_fn(lua, ask)?)?;
    let of = host.clone();
    let ask = move |lua: &Lua, (text, opts): (String, Value)| edit(lua, &of, text, opts);
    ui.set("edit", scheduler.async_fn(lua, ask)?)
}

/// A question that is being put together.
struct Question {
    what: &'static str,
    options: Fields,
    extension: String,
    program: Option<Program>,
}

impl Question {
    fn new(lua: &Lua, host: &Host, what: &'static str, opts: Value, known: &[&str]) -> Result<Self> {
        let options = Fields::new(what, opts)?;
        options.only(known)?;
        let program = host.program.borrow().clone().filter(Program::is_interactive);
        Ok(Question { what, options, extension: host.extension(lua).to_string(), program })
    }

    fn text(&self, field: &str) -> Result<Option<String>> {
        Ok(self.options.get::<String>(field, "a string")?.map(bounded))
    }

    fn timeout(&self) -> Result<Option<Duration>> {
        let Some(seconds) = self.options.get::<f64>("timeout", "a number of seconds")? else { return Ok(None) };
        let limit = Duration::try_from_secs_f64(seconds).ok().filter(|d| !d.is_zero());
        limit.map(Some).ok_or_else(|| self.options.error(format!("`timeout` must be above 0 seconds, got {seconds}")))
    }

    /// Asks; none: the default counts. Where nobody is there, `has_default` decides between that and an error.
    fn put(
        self,
        title: String,
        text: String,
        kind: AskKind,
        has_default: bool,
    ) -> Result<impl Future<Output = Result<Option<Response>>>> {
        let Question { what, extension, .. } = &self;
        let timeout = self.timeout()?;
        if self.program.is_none() && !has_default {
            return Err(Error::runtime(format!("{what}: nobody is there to answer; give a default")));
        }
        let new = NewAsk { extension: extension.clone(), title: bounded(title), text: bounded(text), kind, timeout };
        let (what, asked) = (*what, self.program.map(|program| program.ask(new)));
        Ok(async move {
            match asked {
                Some(asked) => asked.await.map_err(|e| Error::runtime(format!("{what}: {e}"))),
                None => Ok(None),
            }
        })
    }
}

fn bounded(mut text: String) -> String {
    if text.len() > MOST_BYTES {
        text.truncate(text.floor_char_boundary(MOST_BYTES));
        text.push('…');
    }
    text
}

fn confirm(lua: &Lua, host: &Host, text: String, opts: Value) -> Result<impl Future<Output = Result<bool>> + use<>> {
    let q = Question::new(lua, host, "panto.ext.ui.confirm", opts, &["title", "default", "yes", "no", "timeout"])?;
    let default = q.options.boolean("default")?;
    let title = q.text("title")?.unwrap_or_else(|| format!("{} asks", q.extension));
    let (yes, no) = (q.text("yes")?.unwrap_or_else(|| "yes".into()), q.text("no")?.unwrap_or_else(|| "no".into()));
    let kind = AskKind::Confirm { yes, no, default: default.unwrap_or(false) };
    let asked = q.put(title, text, kind, default.is_some())?;
    Ok(async move {
        Ok(match asked.await? {
            None => default.unwrap_or(false),
            Some(response) => response == Response::Yes,
        })
    })
}

fn input(
    lua: &Lua,
    host: &Host,
    title: String,
    opts: Value,
) -> Result<impl Future<Output = Result<Option<String>>> + use<>> {
    let q = Question::new(lua, host, "panto.ext.ui.input", opts, &["text", "default", "placeholder", "timeout"])?;
    let default = q.text("default")?;
    let placeholder = q.text("placeholder")?.unwrap_or_default();
    let text = q.text("text")?.unwrap_or_default();
    let kind = AskKind::Input { default: default.clone().unwrap_or_default(), placeholder };
    let asked = q.put(title, text, kind, default.is_some())?;
    Ok(async move { Ok(text_of(asked.await?, default)) })
}

fn edit(
    lua: &Lua,
    host: &Host,
    text: String,
    opts: Value,
) -> Result<impl Future<Output = Result<Option<String>>> + use<>> {
    let q = Question::new(lua, host, "panto.ext.ui.edit", opts, &["title", "text", "default", "timeout"])?;
    let default = q.text("default")?;
    let title = q.text("title")?.unwrap_or_else(|| format!("{}: edit", q.extension));
    let more = q.text("text")?.unwrap_or_default();
    if text.len() > MOST_BYTES {
        return Err(q.options.error(format!("the text is longer than {} KB", MOST_BYTES >> 10)));
    }
    let asked = q.put(title, more, AskKind::Edit { default: text }, default.is_some())?;
    Ok(async move { Ok(text_of(asked.await?, default)) })
}

fn text_of(response: Option<Response>, default: Option<String>) -> Option<String> {
    match response {
        None => default,
        Some(Response::Text(text)) => Some(text),
        Some(_) => None,
    }
}

/// What `select` offers: a row each, and what it stands for.
struct Offer {
    items: Vec<AskItem>,
    values: Vec<Value>,
}

impl Offer {
    /// Strings, or tables `{label, value?, detail?}`.
    fn read(items: &Table, options: &Fields) -> Result<Offer> {
        let mut offer = Offer { items: vec![], values: vec![] };
        for (at, item) in items.sequence_values::<Value>().take(MOST_ITEMS).enumerate() {
            let item = item?;
            let wrong = || options.error(format!("`items[{}]` must be a string or a table with `label`", at + 1));
            let (label, detail, value) = match &item {
                Value::Table(fields) => {
                    let value: Value = fields.raw_get("value")?;
                    let detail = fields.raw_get::<Option<String>>("detail").map_err(|_| wrong())?.unwrap_or_default();
                    let label = fields.raw_get::<String>("label").map_err(|_| wrong())?;
                    (label, detail, if value.is_nil() { item.clone() } else { value })
                }
                Value::String(text) => (text.to_string_lossy(), String::new(), item.clone()),
                Value::Integer(_) | Value::Number(_) => (item.to_string()?, String::new(), item.clone()),
                _ => return Err(wrong()),
            };
            offer.items.push(AskItem { label: bounded(label), detail: bounded(detail) });
            offer.values.push(value);
        }
        match offer.items.is_empty() {
            true => Err(options.error("`items` is empty: there is nothing to choose from")),
            false => Ok(offer),
        }
    }

    /// Where a default stands: by its value, its label, or its place from 1.
    fn place(&self, wanted: &Value, options: &Fields) -> Result<usize> {
        let by_value = self.values.iter().position(|value| value == wanted);
        let label = wanted.as_string().map(|text| text.to_string_lossy());
        let by_label = || self.items.iter().position(|item| Some(&item.label) == label.as_ref());
        let by_place =
            || usize::try_from(wanted.as_integer()?).ok()?.checked_sub(1).filter(|at| *at < self.items.len());
        let found = by_value.or_else(by_label).or_else(by_place);
        found.ok_or_else(|| options.error("`default` is none of the items"))
    }

    fn defaults(&self, multi: bool, options: &Fields) -> Result<Option<Vec<usize>>> {
        match options.get::<Value>("default", "an item")? {
            None => Ok(None),
            Some(Value::Table(list)) if multi => {
                let wanted = list.sequence_values::<Value>();
                wanted.map(|value| self.place(&value?, options)).collect::<Result<_>>().map(Some)
            }
            Some(value) => Ok(Some(vec![self.place(&value, options)?])),
        }
    }
}

/// The value of the item that was taken and its place from 1; with `multi` a list of values.
fn select(
    lua: &Lua,
    host: &Host,
    title: String,
    items: &Table,
    opts: Value,
) -> Result<impl Future<Output = Result<(Value, Option<usize>)>> + use<>> {
    let q = Question::new(lua, host, "panto.ext.ui.select", opts, &["text", "default", "multi", "timeout"])?;
    let offer = Offer::read(items, &q.options)?;
    let multi = q.options.flag("multi")?;
    let default = offer.defaults(multi, &q.options)?;
    let text = q.text("text")?.unwrap_or_default();
    let (Offer { items, values }, state) = (offer, lua.weak());
    let kind = AskKind::Select { items, multi, default: default.clone().unwrap_or_default() };
    let asked = q.put(title, text, kind, default.is_some())?;
    Ok(async move {
        let chosen = match asked.await? {
            None => default,
            Some(Response::Chosen(places)) => Some(places),
            Some(_) => None,
        };
        let Some(places) = chosen else { return Ok((Value::Nil, None)) };
        let taken = places.iter().filter_map(|at| values.get(*at).cloned());
        if multi {
            let lua = state.try_upgrade().ok_or_else(|| Error::runtime("panto: Lua has ended"))?;
            return Ok((Value::Table(lua.create_sequence_from(taken)?), None));
        }
        let mut taken = taken;
        Ok((taken.next().unwrap_or(Value::Nil), places.first().map(|at| at + 1)))
    })
}
