//! `panto.ext.ui`: what an extension shows, and what it asks the user.
//!
//! Nothing here draws. What is shown goes to the program as plain data and belongs to the extension: it is taken off the
//! screen when the extension ends. Questions park the coroutine; the screen never waits for Lua.

mod ask;
mod show;

pub(in crate::lua) use show::element_of;

use crate::backend::Level;
use crate::lua::host::Host;
use mlua::{Error, Lua, LuaString, Result, Table};
use std::rc::Rc;

/// Characters of a notice.
const LONGEST: usize = 4000;

/// What is beyond is cut, and counted.
fn capped(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        let cut = text[end..].chars().count();
        text.truncate(end);
        text.push_str(&format!("… ({cut} more characters)"));
    }
    text
}

pub(in crate::lua) fn install(lua: &Lua, host: &Rc<Host>, ext: &Table) -> Result<()> {
    let ui = lua.create_table()?;
    let of_notify = host.clone();
    let notify = move |lua: &Lua, (text, level): (LuaString, Option<String>)| {
        let level = match level.as_deref() {
            None | Some("info") => Level::Info,
            Some("warning" | "warn") => Level::Warning,
            Some("error") => Level::Error,
            Some(other) => {
                let told = format!("panto.ext.ui.notify: no level `{other}`; there are info warning error");
                return Err(Error::runtime(told));
            }
        };
        of_notify.announce(lua, level, capped(text.to_string_lossy()));
        Ok(())
    };
    ui.set("notify", host.api.scheduler.sync_fn(lua, notify)?)?;
    ask::install(lua, host, &ui)?;
    show::install(lua, host, &ui)?;
    ext.set("ui", ui)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_notices_are_cut_with_a_note() {
        assert_eq!(capped("ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(capped("ä".repeat(LONGEST + 7)), "ä".repeat(LONGEST) + "… (7 more characters)");
    }
}
