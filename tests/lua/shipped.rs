//! The Lua files that ship, and their annotations.

use super::*;

/// Text of all annotations.
fn annotations() -> String {
    panto::lua::embedded::below("types").map(|module| module.text).collect()
}

#[test]
fn what_is_bound_is_annotated_and_what_is_annotated_is_bound() {
    on_tokio(async {
        let world = World::with(&tool(
            "bound",
            "local seen, out = {}, {}
            local function walk(t, path)
                if seen[t] then return end
                seen[t] = true
                for k, v in pairs(t) do
                    if type(v) == 'function' then out[#out + 1] = path .. '.' .. k
                    elseif type(v) == 'table' then walk(v, path .. '.' .. k) end
                end
            end
            walk(panto, 'panto') return table.concat(out, ' ')",
        ));
        let text = world.text(&world.ready().await, "bound").await;
        let annotated = annotations();
        let bound: std::collections::BTreeSet<_> = text.split(' ').collect();
        let named: std::collections::BTreeSet<_> = annotated
            .lines()
            .filter_map(|line| line.strip_prefix("function panto.")?.split('(').next())
            .map(|name| format!("panto.{name}"))
            .collect();
        let named: std::collections::BTreeSet<_> = named.iter().map(String::as_str).collect();
        assert!(bound.len() > 20, "{bound:?}");
        assert_eq!(bound.difference(&named).collect::<Vec<_>>(), Vec::<&&str>::new(), "bound, but not annotated");
        assert_eq!(named.difference(&bound).collect::<Vec<_>>(), Vec::<&&str>::new(), "annotated, but not bound");
    });
}

#[test]
fn the_examples_load() {
    on_tokio(async {
        let world = World::new();
        for module in panto::lua::embedded::below("examples") {
            world.user(&format!("extensions/{}", module.path.trim_start_matches("examples/")), module.text);
        }
        let handle = world.ready().await;
        let texts = world
            .batch(
                &handle,
                &[("todo", json!({"add": "tests"})), ("todo", json!({"done": 1})), ("todo", json!({"done": 7}))],
            )
            .await;
        assert_eq!(texts[1], Outcome::text("[x] 1. tests"));
        assert!(texts[2].is_error);
        let (_, decision) = handle.tool_call(hook(json!({"command": "git push --force origin"}))).await;
        assert!(matches!(decision, Decision::Block { .. }), "{decision:?}");
    });
}

#[test]
fn r25_the_shipped_tools_are_there() {
    on_tokio(async {
        let mut world = World::new();
        world.sources.shipped = true;
        let handle = world.ready().await;
        let mut names: Vec<_> = handle.tools().into_iter().map(|t| (t.name, t.origin)).collect();
        names.sort();
        let expected = ["edit", "find", "grep", "ls", "lua", "read", "shell", "write"]
            .map(|n| (format!("std.{n}"), "built-in".to_owned()));
        assert_eq!(names, expected);
    });
}

#[test]
fn every_shipped_lua_file_and_example_loads() {
    on_tokio(async {
        let mut world = World::new();
        let extra =
            std::fs::read_dir("lua/examples").unwrap().map(|f| std::fs::canonicalize(f.unwrap().path()).unwrap());
        world.sources = Sources { shipped: true, extra: extra.collect(), ..Sources::default() };
        assert!(world.sources.extra.len() >= 3);
        let (handle, failed) = world.load(false).await;
        assert_eq!(failed, []);
        let names: Vec<String> = handle.tools().into_iter().map(|t| t.name).collect();
        let offered = |name: &str| names.iter().any(|n| n == name);
        assert!(
            ["std.read", "std.write", "std.edit", "std.shell", "std.grep", "std.find", "std.ls", "todo"]
                .iter()
                .all(|n| offered(n))
        );
    });
}
