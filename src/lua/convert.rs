//! JSON to Lua values and back.
//!
//! Integers and floats stay apart, and so do the empty array and the empty object: an array that comes from JSON carries
//! a metatable (the one that `panto.json.array` sets), and a table without it is an array when its keys are 1 to n.

use mlua::{Lua, LuaSerdeExt, Table, Value};
use serde_json::{Map, Number, Value as Json};

/// Deeper nesting is refused: it is a cycle, or as good as one.
const DEPTH: usize = 128;
/// More values than this are refused: tables that share tables can be exponentially large when they are written out.
const VALUES: usize = 2_000_000;
/// Bytes of text at the most: a string that a table holds many times is one in Lua, and many when it is written out.
const BYTES: usize = 256 << 20;
/// Items of an array for which there is room from the start.
const RESERVED: usize = 1024;

/// What becomes of `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// `panto.null`, so that it survives a round trip.
    Kept,
    /// Nothing: a field that is null is a field that isn't there. In arrays it is still `panto.null`.
    Absent,
}

/// A value that JSON has no word for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at {path}")]
pub struct Unserialisable {
    what: String,
    path: String,
}

pub fn json_to_lua(lua: &Lua, json: &Json, nulls: Nulls) -> mlua::Result<Value> {
    Ok(match json {
        Json::Null if nulls == Nulls::Absent => Value::Nil,
        Json::Null => Value::NULL,
        Json::Bool(b) => Value::Boolean(*b),
        Json::Number(n) => number_to_lua(n),
        Json::String(s) => Value::String(lua.create_string(s)?),
        Json::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for (i, item) in items.iter().enumerate() {
                table.raw_set(i + 1, json_to_lua(lua, item, Nulls::Kept.within(nulls, item))?)?;
            }
            table.set_metatable(Some(lua.array_metatable()))?;
            Value::Table(table)
        }
        Json::Object(fields) => {
            let table = lua.create_table_with_capacity(0, fields.len())?;
            for (key, field) in fields {
                table.raw_set(key.as_str(), json_to_lua(lua, field, nulls)?)?;
            }
            Value::Table(table)
        }
    })
}

impl Nulls {
    /// An array's own nulls are kept; what lies deeper follows the caller's wish.
    fn within(self, wish: Nulls, item: &Json) -> Nulls {
        if item.is_null() { self } else { wish }
    }
}

fn number_to_lua(number: &Number) -> Value {
    match number.as_i64() {
        Some(integer) => Value::Integer(integer),
        None => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
    }
}

pub fn lua_to_json(lua: &Lua, value: &Value) -> Result<Json, Unserialisable> {
    Walk { arrays: lua.array_metatable(), path: Vec::new(), array_keys: &[], left: VALUES, bytes: BYTES }.convert(value)
}

/// Like `lua_to_json` for a JSON schema: an empty table under a key that holds a list (`required`, `enum`, …) is a list.
pub fn schema_to_json(lua: &Lua, value: &Value) -> Result<Json, Unserialisable> {
    const LISTS: &[&str] = &["required", "enum", "anyOf", "oneOf", "allOf", "prefixItems", "examples"];
    Walk { arrays: lua.array_metatable(), path: Vec::new(), array_keys: LISTS, left: VALUES, bytes: BYTES }
        .convert(value)
}

struct Walk {
    arrays: Table,
    path: Vec<String>,
    /// Keys under which an empty table is an array.
    array_keys: &'static [&'static str],
    /// How many values may still come, and how many bytes of text.
    left: usize,
    bytes: usize,
}

impl Walk {
    fn convert(&mut self, value: &Value) -> Result<Json, Unserialisable> {
        self.left = self.left.checked_sub(1).ok_or_else(|| self.refuse("too many values"))?;
        Ok(match value {
            Value::Nil => Json::Null,
            value if value.is_null() => Json::Null,
            Value::Boolean(b) => Json::Bool(*b),
            Value::Integer(i) => Json::Number((*i).into()),
            Value::Number(n) => {
                Json::Number(Number::from_f64(*n).ok_or_else(|| self.refuse("a number that is not finite"))?)
            }
            Value::String(s) => {
                let rest = self.bytes.checked_sub(s.as_bytes().len());
                self.bytes = rest.ok_or_else(|| self.refuse(&format!("more than {} MB of text", BYTES >> 20)))?;
                Json::String(s.to_string_lossy())
            }
            Value::Table(_) if self.path.len() >= DEPTH => return Err(self.refuse("nesting without end (a cycle?)")),
            Value::Table(table) if self.is_array(table) => Json::Array(self.array(table)?),
            Value::Table(table) => Json::Object(self.object(table)?),
            other => return Err(self.refuse(&format!("a value of type {}", other.type_name()))),
        })
    }

    fn is_array(&self, table: &Table) -> bool {
        if table.metatable().is_some_and(|m| m == self.arrays) {
            return true;
        }
        let length = table.raw_len();
        if length == 0 {
            let listed = self.path.last().is_some_and(|key| self.array_keys.contains(&key.as_str()));
            return listed && table.is_empty();
        }
        table.pairs::<Value, Value>().count() == length
    }

    fn array(&mut self, table: &Table) -> Result<Vec<Json>, Unserialisable> {
        // The length of a table with holes is anything: it is not to be believed, and not to be reserved.
        let length = table.raw_len();
        if length > self.left {
            return Err(self.refuse("too many values"));
        }
        let mut items = Vec::with_capacity(length.min(RESERVED));
        for i in 1..=length {
            let item: Value = table.raw_get(i).map_err(|e| self.refuse(&e.to_string()))?;
            items.push(self.below(i.to_string(), &item)?);
        }
        Ok(items)
    }

    fn object(&mut self, table: &Table) -> Result<Map<String, Json>, Unserialisable> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair.map_err(|e| self.refuse(&e.to_string()))?;
            fields.push((self.key(&key)?, value));
        }
        // A table has no order of its own: sort, so that equal tables give equal text.
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        let mut object = Map::new();
        for (key, value) in fields {
            let value = self.below(key.clone(), &value)?;
            object.insert(key, value);
        }
        Ok(object)
    }

    fn key(&self, key: &Value) -> Result<String, Unserialisable> {
        match key {
            Value::String(s) => Ok(s.to_string_lossy()),
            Value::Integer(i) => Ok(i.to_string()),
            Value::Number(n) => Ok(n.to_string()),
            other => Err(self.refuse(&format!("a key of type {}", other.type_name()))),
        }
    }

    fn below(&mut self, key: String, value: &Value) -> Result<Json, Unserialisable> {
        self.path.push(key);
        let json = self.convert(value)?;
        self.path.pop();
        Ok(json)
    }

    fn refuse(&self, what: &str) -> Unserialisable {
        let shown = &self.path[..self.path.len().min(6)];
        let path = if shown.is_empty() { "the top".into() } else { shown.join(".") };
        Unserialisable { what: what.into(), path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn back(json: &Json, nulls: Nulls) -> Json {
        let lua = Lua::new();
        lua_to_json(&lua, &json_to_lua(&lua, json, nulls).unwrap()).unwrap()
    }

    fn of(code: &str) -> Result<Json, String> {
        let lua = Lua::new();
        lua_to_json(&lua, &lua.load(code).eval().unwrap()).map_err(|e| e.to_string())
    }

    #[test]
    fn json_survives_the_round_trip() {
        let value =
            json!({"a": [], "b": {}, "c": null, "d": [1, 1.5, null, "é"], "e": {"f": [true, {}]}, "big": 1e300});
        assert_eq!(back(&value, Nulls::Kept), value);
        assert_eq!(back(&json!({"a": null, "l": [null, {"x": null}]}), Nulls::Absent), json!({"l": [null, {}]}));
        assert_eq!(back(&json!(1.0), Nulls::Kept).to_string(), "1.0", "a float stays one");
    }

    #[test]
    fn l01_one_string_many_times_is_bounded_by_its_bytes() {
        let many = of("local x, t = ('x'):rep(1 << 20), {} for i = 1, 300 do t[i] = x end return t").unwrap_err();
        assert!(many.starts_with("more than 256 MB of text at "), "{many}");
    }

    #[test]
    fn tables_are_arrays_when_their_keys_are_1_to_n() {
        assert_eq!(of("return {1, 2, 'x'}").unwrap(), json!([1, 2, "x"]));
        assert_eq!(of("return {}").unwrap(), json!({}));
        assert_eq!(of("return {1, 2, x = 3}").unwrap(), json!({"1": 1, "2": 2, "x": 3}));
        assert_eq!(of("return {[2] = 'a'}").unwrap(), json!({"2": "a"}));
    }

    #[test]
    fn what_json_cannot_say_is_named_with_its_place() {
        assert_eq!(of("return {a = {print}}").unwrap_err(), "a value of type function at a.1");
        assert_eq!(of("return 0/0").unwrap_err(), "a number that is not finite at the top");
        assert!(of("local t = {} t.t = t return t").unwrap_err().starts_with("nesting without end (a cycle?) at t.t"));
        assert_eq!(of("return {[{}] = 1}").unwrap_err(), "a key of type table at the top");
    }

    #[test]
    fn the_length_of_a_list_with_holes_is_not_believed() {
        let lua = Lua::new();
        let table: Table = lua.load("local t = {} for i = 40, 0, -1 do t[1 << i] = 1 end return t").eval().unwrap();
        assert!(table.raw_len() > VALUES);
        table.set_metatable(Some(lua.array_metatable())).unwrap();
        let error = lua_to_json(&lua, &Value::Table(table)).unwrap_err();
        assert_eq!(error.to_string(), "too many values at the top");
    }

    #[test]
    fn an_empty_list_of_a_schema_is_a_list() {
        let lua = Lua::new();
        let table = lua.load("return {properties = {}, required = {}, enum = {}}").eval().unwrap();
        assert_eq!(schema_to_json(&lua, &table).unwrap(), json!({"properties": {}, "required": [], "enum": []}));
    }
}
