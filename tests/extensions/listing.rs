//! The list of extensions with their state, and switching them.

use crate::lua::{World, on_tokio, tool};
use panto::backend::{ExtensionState, ExtensionStatus, Extensions};
use panto::lua::Handle;
use panto::tool::ToolSource;
use std::time::Duration;

async fn state(handle: &Handle, name: &str) -> ExtensionState {
    let all = handle.list().await;
    assert!(all.memory > 10_000);
    all.extensions.into_iter().find(|e| e.name == name).unwrap_or_else(|| panic!("{name} is listed"))
}

#[test]
fn each_has_its_state_its_rights_and_what_it_brings() {
    on_tokio(async {
        let mut world = World::new();
        world.options.extensions.disabled.push("off".into());
        world.user("extensions/works/extension.toml", "version = '1.2'\ndescription = 'Works.'\nneeds = ['ui']");
        world.user(
            "extensions/works/init.lua",
            &(tool("one", "")
                + &tool("two", "")
                + "panto.ext.on('turn_start', print)
            panto.register_command{name='c', description='', handler=print}"),
        );
        world.user("extensions/off.lua", "");
        world.user("extensions/fails.lua", "\nerror('kaboom')");
        world.project("extensions/theirs.lua", "");
        let (handle, _) = world.load(false).await;
        let works = state(&handle, "works").await;
        assert_eq!((works.status, works.layer.as_str(), works.hooks), (ExtensionStatus::Loaded, "user", 1));
        assert_eq!((works.version.as_deref(), works.description.as_deref()), (Some("1.2"), Some("Works.")));
        assert_eq!(
            (works.needs, works.tools, works.commands),
            (Some(vec!["ui".into()]), vec!["one".into(), "two".into()], vec!["c".into()])
        );
        assert!(works.file.unwrap().ends_with("works/init.lua"));
        assert_eq!(state(&handle, "off").await.status, ExtensionStatus::Disabled);
        assert_eq!(state(&handle, "theirs").await.status, ExtensionStatus::Untrusted);
        let fails = state(&handle, "fails").await;
        assert_eq!(fails.status, ExtensionStatus::Failed);
        assert!(fails.errors[0].contains("fails.lua:2: kaboom") && fails.errors[0].contains("traceback"), "{fails:?}");
        assert_eq!(state(&handle, "built-in").await.layer, "built-in");
    });
}

#[test]
fn providers_themes_renderers_and_keys_are_listed() {
    on_tokio(async {
        let world = World::with(
            r#"panto.ext.register_theme{name = "dusk", inherits = "dark"}
            panto.ext.register_renderer{tool = "std.read", render = function() return "x" end}
            panto.ext.keymap.set{key = "f9", action = "quit"}
            panto.ext.register_provider{name = "mine", stream = function() end, models = {{id = "m"}}}"#,
        );
        world.user("extensions/hooks.lua", "panto.ext.on('turn_start', print)");
        let handle = world.ready().await;
        let t = state(&handle, "t").await;
        let brings = t.brings().map(|(kind, names)| format!("{kind} {}", names.join(" "))).join("; ");
        assert_eq!(brings, "tools ; commands ; providers mine; themes dusk; renders std.read; keys f9");
        assert_eq!(state(&handle, "hooks").await.hooks, 1);
    });
}

#[test]
fn two_extensions_of_one_name_are_told_of_with_both_files() {
    on_tokio(async {
        let mut world = World::new();
        for folder in ["one", "two"] {
            world.user(&format!("extensions/{folder}/extension.toml"), "name = 'same'\nneeds = []");
            world.user(&format!("extensions/{folder}/init.lua"), &tool(folder, ""));
        }
        world.write("elsewhere/three/extension.toml", "name = 'same'\nneeds = []");
        world.write("elsewhere/three/init.lua", &tool("three", ""));
        world.options.extensions.paths = vec![world.path("elsewhere/three")];
        let (handle, failed) = world.load(false).await;
        assert_eq!(handle.tools().into_iter().map(|t| t.name).collect::<Vec<_>>(), ["three"]);
        let told = |at: usize| (failed[at].extension.as_str(), failed[at].message.as_str());
        assert_eq!(failed.len(), 2, "{failed:?}");
        for (at, left_out, kept) in [(0, "two", "one"), (1, "one", "three")] {
            let (file, told) = told(at);
            assert!(file.ends_with(&format!("{left_out}/init.lua")), "{failed:?}");
            assert!(
                told.starts_with("left out: ") && told.contains(&format!("{kept}/init.lua is called `same` as well"))
            );
        }
    });
}

#[test]
fn errors_calls_time_and_memory_are_counted() {
    on_tokio(async {
        let world = World::with(
            &("kept = {}\n".to_owned()
                + &tool("fails", "error('no ' .. input.n)")
                + &tool("works", "local n = 0 for i = 1, 1000000 do n = n + i end")
                + &tool("fills", "for i = 1, 1000 do kept[i] = ('x'):rep(1000) .. i end")),
        );
        let handle = world.ready().await;
        let before = state(&handle, "t").await;
        assert_eq!(before.calls, 1, "its main chunk");
        for n in 1..=7 {
            world.batch(&handle, &[("fails", serde_json::json!({"n": n}))]).await;
        }
        world.texts(&handle, &["works", "fills"]).await;
        let after = state(&handle, "t").await;
        assert_eq!((after.calls, after.errors.len()), (10, 5));
        assert!(after.errors[4].contains("no 7") && after.errors[4].contains("traceback"), "{:?}", after.errors);
        assert!(after.used > before.used + Duration::from_micros(500), "{:?}", after.used);
        assert!(after.memory > before.memory + 900_000, "{} {}", before.memory, after.memory);
        assert!(before.memory < 300_000, "{}", before.memory);
    });
}

#[test]
fn a_switch_holds_now_and_in_later_runs() {
    on_tokio(async {
        let world = World::with(&tool("t", "return 'on'"));
        let handle = world.ready().await;
        assert_eq!(handle.enable("t", false).await.unwrap().removed, ["t"]);
        assert_eq!(handle.tools().len(), 0);
        assert_eq!(state(&handle, "t").await.status, ExtensionStatus::Disabled);
        let later = world.ready().await;
        assert_eq!(later.tools().len(), 0);
        assert_eq!(later.enable("t", true).await.unwrap().loaded, ["t"]);
        assert_eq!(world.text(&later, "t").await, "on");
        assert!(later.enable("nobody", true).await.unwrap_err().contains("`nobody`"));
    });
}

#[test]
fn a_tool_script_is_switched_and_reloaded_by_the_name_in_the_list() {
    on_tokio(async {
        let world = World::new();
        let script =
            "return {name='s', description='d', schema={type='object'}, handler=function() return 'VERSION' end}";
        world.user("tools/s.lua", &script.replace("VERSION", "one"));
        let handle = world.ready().await;
        let listed = handle.list().await.extensions;
        let name = listed.iter().find(|e| e.tools == ["s"]).expect("it is listed").name.clone();
        assert_eq!(handle.enable(&name, false).await.unwrap().removed, std::slice::from_ref(&name));
        assert_eq!((handle.tools().len(), state(&handle, &name).await.status), (0, ExtensionStatus::Disabled));
        assert_eq!(handle.enable(&name, true).await.unwrap().loaded, std::slice::from_ref(&name));
        world.user("tools/s.lua", &script.replace("VERSION", "two"));
        let done = handle.reload(Some(&name)).await;
        assert_eq!((done.loaded, done.failed), (vec![name], vec![]));
        assert_eq!(world.text(&handle, "s").await, "two");
    });
}

#[test]
fn trust_that_is_given_while_rocks_are_installed_stays() {
    on_tokio(async {
        let mut world = World::new();
        world.options.extensions.rocks = vec!["nowhere 1.0".into()];
        let paths = panto::util::paths::Paths { data: world.path("data"), config: world.path("config"), home: None };
        let nowhere = world.path("nowhere").display().to_string();
        let env = |_: &str| Some(nowhere.clone());
        let setup = panto::lua::rocks::Setup::find(&paths, world.path("work"), "/nowhere/panto".into(), "", &env);
        world.sources.rocks = Some(panto::lua::rocks::Setup { reconciles: true, ..setup });
        world.project("extensions/theirs.lua", &tool("theirs", ""));
        let handle = world.start();
        let (first, second) = (handle.load(false), handle.load(true));
        let _ = (first.await, second.await);
        while !handle.reload(Some("nobody")).await.diagnostics.iter().any(|d| d.message.contains("tries again")) {}
        assert_eq!(state(&handle, "theirs").await.status, ExtensionStatus::Loaded);
    });
}
