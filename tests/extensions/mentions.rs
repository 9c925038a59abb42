//! Names behind an `@`, and descriptions of tools that change.

use crate::lua::{World, on_tokio, tool};
use panto::backend::Extensions;
use panto::tool::ToolSource;

#[test]
fn names_come_from_all_who_give_some_and_one_that_fails_holds_up_no_other() {
    on_tokio(async {
        let world = World::with("panto.ext.register_mentions(function() return {'old'} end)");
        world.user(
            "extensions/u.lua",
            "panto.ext.register_mentions(function() return {'never'} end)
             panto.ext.register_mentions(function() panto.task.sleep(0) return {{value = 'plan', description = 'plans'}, ''} end)",
        );
        world.user("extensions/v.lua", "panto.ext.register_mentions(function() error('BROKE') end)");
        let handle = world.ready().await;
        let (notices, mut told) = tokio::sync::mpsc::unbounded_channel();
        handle.on_notice(notices);
        let names = |found: Vec<panto::backend::Completion>| {
            found.into_iter().map(|c| format!("{} {}", c.value, c.description)).collect::<Vec<_>>()
        };
        assert_eq!(names(handle.mentions().await), ["old ", "plan plans"]);
        let notice = told.recv().await.expect("a notice");
        assert!(notice.text.contains("BROKE") && notice.text.contains("v.lua"), "{}", notice.text);
        world.user("extensions/t.lua", "panto.ext.register_mentions(function() return {'new'} end)");
        handle.reload(Some("t")).await;
        assert!(names(handle.mentions().await).contains(&"new ".to_owned()));
        handle.enable("u", false).await.expect("it is there");
        assert_eq!(names(handle.mentions().await), ["new "]);
    });
}

#[test]
fn an_extension_describes_its_own_tools_anew_and_no_others() {
    on_tokio(async {
        let world = World::with(
            &(tool("mine", "panto.ext.describe_tool('mine', 'ANEW') return 'done'")
                + &tool("theirs", "return tostring(select(2, pcall(panto.ext.describe_tool, 'other', 'EVIL')))")),
        );
        world.user("extensions/u.lua", &tool("other", "return ''"));
        let handle = world.ready().await;
        assert_eq!(world.text(&handle, "mine").await, "done");
        let refused = world.text(&handle, "theirs").await;
        assert!(refused.contains("this extension has registered no tool named `other`"), "{refused}");
        let described = |name: &str| handle.tools().into_iter().find(|t| t.name == name).expect("a tool").description;
        assert!(described("mine") == "ANEW" && described("other") != "EVIL");
    });
}
