//! `panto types --install`.

use crate::support::World;
use serde_json::{Value, json};
use std::fs;

#[test]
fn editors_find_the_annotations() {
    let world = World::new();
    world.write(".luarc.json", r#"{"workspace.library": ["/mine"], "diagnostics.disable": ["x"]}"#);
    let said = world.run(&["types", "--install"]).ok().out;
    let settings: Value = serde_json::from_str(&world.read(".luarc.json")).expect("JSON");
    assert_eq!(settings["diagnostics.disable"], json!(["x"]));
    let library = settings["workspace.library"].as_array().expect("a list");
    assert_eq!(library[0], "/mine");
    let types = library[1].as_str().expect("a path");
    assert_eq!(types, world.data().join("types").join(env!("CARGO_PKG_VERSION")).display().to_string());
    assert!(fs::read_to_string(format!("{types}/fs.lua")).expect("annotations").contains("---@"));
    assert!(said.contains(".luarc.json points to"), "{said}");
    world.run(&["types", "--install"]).ok();
    let again: Value = serde_json::from_str(&world.read(".luarc.json")).expect("JSON");
    assert_eq!(again, settings);
}

#[test]
fn a_file_with_comments_is_left_alone() {
    let world = World::new();
    let text = "{ // mine\n}";
    world.write("sub/.luarc.json", text);
    let ran = world.run(&["types", "--install", "sub"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("is not a plain JSON object") && ran.err.contains("workspace.library"), "{}", ran.err);
    assert_eq!(world.read("sub/.luarc.json"), text);
    assert_eq!(world.run(&["types", "--install", "nowhere"]).code, 2);
}
