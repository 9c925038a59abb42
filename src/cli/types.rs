//! `panto types --install`: has editors complete the Lua API. The annotations ship inside the binary; they are laid out
//! below `<data>/types`, and a project's `.luarc.json` points there.

use super::failure::{Exit, Failure};
use super::start::Ground;
use crate::lua::embedded;
use crate::util::atomic;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const FILE: &str = ".luarc.json";

pub fn run(ground: &Ground, install: bool, dir: Option<PathBuf>, out: &mut dyn Write) -> Result<(), Failure> {
    let types = ground.paths.data.join("types").join(env!("CARGO_PKG_VERSION"));
    lay_out(&types).map_err(|e| failed(&types, &e))?;
    if !install {
        return Ok(writeln!(out, "{}", types.display())?);
    }
    let dir = ground.cwd.join(dir.unwrap_or_default());
    if !dir.is_dir() {
        return Err(Failure::usage(format!("types --install: there is no folder {}", dir.display())));
    }
    let file = dir.join(FILE);
    let settings = match fs::read_to_string(&file) {
        Ok(text) => parse(&text).ok_or_else(|| not_plain(&file, &types))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Map::new(),
        Err(e) => return Err(failed(&file, &e)),
    };
    let text = serde_json::to_string_pretty(&with_types(settings, &types)).map_err(anyhow::Error::from)?;
    atomic::write(&file, format!("{text}\n").as_bytes(), None).map_err(|e| failed(&file, &e))?;
    Ok(writeln!(out, "{} points to {}", file.display(), types.display())?)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("types --install: {}: {error}", path.display()))
}

fn not_plain(file: &Path, types: &Path) -> Failure {
    let message = format!(
        "types --install: {} is not a plain JSON object (comments?), so it is left as it is; put {:?} into its \
         workspace.library by hand",
        file.display(),
        types.display().to_string()
    );
    Failure::new(Exit::Failed, message)
}

fn parse(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

fn lay_out(folder: &Path) -> io::Result<()> {
    for module in embedded::below("types") {
        let path = folder.join(module.path.strip_prefix("types/").unwrap_or(module.path));
        if !fs::read(&path).is_ok_and(|old| old == module.text.as_bytes()) {
            atomic::replace(&path, module.text.as_bytes(), None)?;
        }
    }
    Ok(())
}

/// The settings with the annotations in their library, in the spelling that is used already. Older versions of panto's
/// own are taken out, everything else is kept.
fn with_types(mut settings: Map<String, Value>, types: &Path) -> Value {
    let ours = |entry: &Value| entry.as_str().is_some_and(|e| Path::new(e).parent() == types.parent());
    let library = match settings.get_mut("workspace").and_then(Value::as_object_mut) {
        Some(workspace) => workspace.entry("library").or_insert_with(|| json!([])),
        None => settings.entry("workspace.library").or_insert_with(|| json!([])),
    };
    if !library.is_array() {
        *library = Value::Array(library.as_str().map(|one| json!(one)).into_iter().collect());
    }
    if let Some(entries) = library.as_array_mut() {
        entries.retain(|entry| !ours(entry));
        entries.push(json!(types.display().to_string()));
    }
    if !settings.get("runtime").is_some_and(Value::is_object) {
        settings.entry("runtime.version").or_insert_with(|| json!("Lua 5.4"));
    }
    Value::Object(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(old: &str) -> Value {
        with_types(parse(old).expect("an object"), Path::new("/data/types/0.2.0"))
    }

    #[test]
    fn a_new_file_points_to_the_annotations() {
        let want = json!({ "workspace.library": ["/data/types/0.2.0"], "runtime.version": "Lua 5.4" });
        assert_eq!(merged("{}"), want);
    }

    #[test]
    fn other_keys_and_entries_are_kept_and_older_ones_of_ours_are_not() {
        let old = r#"{"workspace.library":["/mine","/data/types/0.1.0"],"runtime.version":"LuaJIT","x":{"y":1}}"#;
        let want = json!({
            "workspace.library": ["/mine", "/data/types/0.2.0"], "runtime.version": "LuaJIT", "x": { "y": 1 }
        });
        assert_eq!(merged(old), want);
        assert_eq!(with_types(parse(&want.to_string()).expect("one"), Path::new("/data/types/0.2.0")), want);
    }

    #[test]
    fn the_nested_spelling_is_kept() {
        let old = r#"{"workspace":{"checkThirdParty":false},"runtime":{"version":"Lua 5.3"}}"#;
        let want = json!({
            "workspace": { "checkThirdParty": false, "library": ["/data/types/0.2.0"] },
            "runtime": { "version": "Lua 5.3" }
        });
        assert_eq!(merged(old), want);
    }
}
