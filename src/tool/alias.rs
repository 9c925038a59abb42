//! Field names that models use instead of the declared ones: `file_path` for `path`, `oldString` for `old_string`.
//!
//! Applied before the schema check, so that the schema that a model sees stays clean.

use super::ToolDecl;
use serde_json::{Map, Value};

/// Renames aliased fields of a call's input, also inside arrays of objects. A field that is there under its own name wins.
pub fn apply(decl: &ToolDecl, input: &mut Value) {
    if !decl.aliases.is_empty() {
        rename(&decl.aliases, input);
    }
}

fn rename(aliases: &[(String, String)], value: &mut Value) {
    match value {
        Value::Object(fields) => {
            rename_fields(aliases, fields);
            fields.values_mut().filter(|v| v.is_array()).for_each(|v| rename(aliases, v));
        }
        Value::Array(items) => items.iter_mut().filter(|v| v.is_object()).for_each(|v| rename(aliases, v)),
        _ => {}
    }
}

fn rename_fields(aliases: &[(String, String)], fields: &mut Map<String, Value>) {
    for (alias, name) in aliases {
        if !fields.contains_key(name)
            && let Some(value) = fields.remove(alias)
        {
            fields.insert(name.clone(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn aliases_are_renamed_also_in_lists() {
        let mut decl = ToolDecl::named("t");
        decl.aliases = vec![("file_path".into(), "path".into()), ("oldString".into(), "old_string".into())];
        let mut input = json!({"file_path": "a", "edits": [{"oldString": "x"}], "path2": 1});
        apply(&decl, &mut input);
        assert_eq!(input, json!({"edits": [{"old_string": "x"}], "path2": 1, "path": "a"}));
    }

    #[test]
    fn a_field_under_its_own_name_wins() {
        let mut decl = ToolDecl::named("t");
        decl.aliases = vec![("file_path".into(), "path".into())];
        let mut input = json!({"file_path": "alias", "path": "own"});
        apply(&decl, &mut input);
        assert_eq!(input["path"], "own");
    }
}
