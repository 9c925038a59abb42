//! `status`, `widget`, `open`, `copy`.

use crate::backend::{PaneName, Place, StatusItem, Widget};
use crate::element::{Element, Line, Role};
use crate::lua::api::args::Fields;
use crate::lua::convert::lua_to_json;
use crate::lua::host::{Host, STATUS, WIDGET};
use mlua::{Error, Lua, LuaString, Result, Table, Value};
use std::rc::Rc;

/// Rows of a widget that names no height, and the most that one may have.
const HEIGHT: u16 = 8;
const TALLEST: u16 = 30;
/// Widgets and status items of one extension.
const MOST: usize = 32;

pub(super) fn install(lua: &Lua, host: &Rc<Host>, ui: &Table) -> Result<()> {
    let scheduler = &host.api.scheduler;
    let of = host.clone();
    let set = move |lua: &Lua, (key, text, opts): (String, Value, Value)| status(lua, &of, key, &text, opts);
    ui.set("status", scheduler.sync_fn(lua, set)?)?;
    let of = host.clone();
    let set = move |lua: &Lua, (id, element, opts): (String, Value, Value)| widget(lua, &of, id, &element, opts);
    ui.set("widget", scheduler.sync_fn(lua, set)?)?;
    let of = host.clone();
    ui.set("open", scheduler.sync_fn(lua, move |_: &Lua, pane: String| open(&of, &pane))?)?;
    let of = host.clone();
    ui.set("copy", scheduler.sync_fn(lua, move |_: &Lua, text: LuaString| copy(&of, &text))?)
}

/// The element that a script gives.
pub(in crate::lua) fn element_of(lua: &Lua, value: &Value, name: &str) -> std::result::Result<Element, String> {
    let json = lua_to_json(lua, value).map_err(|e| format!("{name}: {e}"))?;
    Element::from_json(&json, name).map_err(|e| e.to_string())
}

fn status(lua: &Lua, host: &Host, key: String, text: &Value, opts: Value) -> Result<()> {
    let what = "panto.ext.ui.status";
    let program = host.program(what)?;
    let extension = host.extension(lua);
    if text.is_nil() {
        host.release(&extension, STATUS, &key);
        host.show(&extension.clone(), STATUS, &key.clone(), move || program.set_status(&extension, &key, None));
        return Ok(());
    }
    host.claim(&extension, STATUS, &key, MOST).map_err(|problem| Error::runtime(format!("{what}: {problem}")))?;
    let options = Fields::new(what, opts)?;
    options.only(&["role"])?;
    let role = match options.get::<String>("role", "the name of a role")? {
        Some(name) => Some(Role::find(&name).map_err(|problem| options.error(format!("`role`: {problem}")))?),
        None => None,
    };
    let mut line = match element_of(lua, text, "text").map_err(|e| options.error(e))? {
        Element::Text(line) | Element::Line(line) => line,
        _ => return Err(options.error("`text` must be a string or spans")),
    };
    line.0.iter_mut().for_each(|span| span.role = span.role.or(role));
    let item = item(&extension, &key, line);
    host.show(&extension.clone(), STATUS, &key.clone(), move || program.set_status(&extension, &key, Some(item)));
    Ok(())
}

fn item(extension: &str, key: &str, text: Line) -> StatusItem {
    StatusItem { extension: extension.to_owned(), key: key.to_owned(), text }
}

fn widget(lua: &Lua, host: &Host, id: String, element: &Value, opts: Value) -> Result<()> {
    let what = "panto.ext.ui.widget";
    let program = host.program(what)?;
    let extension = host.extension(lua);
    if element.is_nil() {
        host.release(&extension, WIDGET, &id);
        host.show(&extension.clone(), WIDGET, &id.clone(), move || program.set_widget(&extension, &id, None));
        return Ok(());
    }
    host.claim(&extension, WIDGET, &id, MOST).map_err(|problem| Error::runtime(format!("{what}: {problem}")))?;
    let options = Fields::new(what, opts)?;
    options.only(&["pane", "height"])?;
    let pane = options.get::<String>("pane", "a string")?.unwrap_or_else(|| "above".into());
    let place = Place::ALL.iter().find(|(name, _)| *name == pane).map(|(_, place)| *place);
    let place = place.ok_or_else(|| options.error(format!("`pane`: no place `{pane}`; there are above below side")))?;
    let height = options.get::<u16>("height", "a number of rows")?.unwrap_or(HEIGHT).clamp(1, TALLEST);
    let element = element_of(lua, element, "element").map_err(|e| options.error(e))?;
    let widget = Widget { extension: extension.to_string(), id: id.clone(), place, height, element };
    host.show(&extension.clone(), WIDGET, &id.clone(), move || program.set_widget(&extension, &id, Some(widget)));
    Ok(())
}

fn open(host: &Host, pane: &str) -> Result<()> {
    let what = "panto.ext.ui.open";
    let Some((_, name)) = PaneName::ALL.iter().find(|(name, _)| *name == pane) else {
        let known = PaneName::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
        return Err(Error::runtime(format!("{what}: there is no pane `{pane}`; there are {known}")));
    };
    host.screen(what)?.open_pane(*name);
    Ok(())
}

fn copy(host: &Host, text: &LuaString) -> Result<()> {
    host.screen("panto.ext.ui.copy")?.copy(text.to_string_lossy());
    Ok(())
}
