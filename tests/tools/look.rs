//! std.grep, std.find, std.ls, and what is offered.

use super::{Bench, on_tokio};
use panto::tool::ToolSource;
use serde_json::json;

async fn project() -> Bench {
    let b = Bench::new().await;
    b.write(".gitignore", "ignored/\n");
    b.write("src/a.rs", "// top\nfn needle() {}\n// end\n");
    b.write("src/deep/c.rs", "fn other() {}\nlet Needle = 1;\n");
    b.write("ignored/b.rs", "fn needle() {}\n");
    b.write(".git/HEAD", "needle\n");
    b
}

#[test]
fn the_tools_are_offered_and_each_can_be_disabled() {
    on_tokio(async {
        let names = |b: &Bench| b.handle.tools().into_iter().map(|t| t.name).collect::<Vec<_>>();
        let all = ["std.edit", "std.find", "std.grep", "std.ls", "std.lua", "std.read", "std.shell", "std.write"];
        let b = Bench::new().await;
        let mut offered = names(&b);
        offered.sort();
        assert_eq!(offered, all);
        for tool in b.handle.tools() {
            assert!(!tool.description.is_empty() && tool.words.done.is_some(), "{}", tool.name);
            assert_eq!(tool.readonly, ["std.find", "std.grep", "std.ls", "std.lua", "std.read"].contains(&&*tool.name));
            assert!(tool.aliases.iter().all(|(_, name)| tool.schema.to_string().contains(&format!("\"{name}\""))));
        }
        for name in all {
            let b = Bench::with(|options| options.tools.disabled = vec![name.into()], "").await;
            let mut rest = names(&b);
            rest.sort();
            assert_eq!(rest, all.into_iter().filter(|other| *other != name).collect::<Vec<_>>());
        }
    });
}

#[test]
fn grep_groups_by_file() {
    on_tokio(async {
        let b = project().await;
        let text = b.ok("std.grep", json!({"pattern": "needle"})).await;
        assert_eq!(text, "src/a.rs\n2:fn needle() {}\n[1 match in 1 file]");
        let text = b.ok("std.grep", json!({"pattern": "needle", "path": "src", "-i": true, "context": 1})).await;
        let lines =
            "src/a.rs\n1-// top\n2:fn needle() {}\n3-// end\nsrc/deep/c.rs\n1-fn other() {}\n2:let Needle = 1;\n";
        assert_eq!(text, format!("{lines}[2 matches in 2 files]"));
        let text = b.ok("std.grep", json!({"pattern": "needle()", "literal": true, "path": "src/a.rs"})).await;
        assert!(text.starts_with("src/a.rs\n2:"), "{text}");
        assert!(b.ok("std.grep", json!({"pattern": "nothing"})).await.starts_with("No matches in 3 files"));
        let text = b.fails("std.grep", json!({"pattern": "(x"})).await;
        assert!(text.contains("unclosed group") && text.contains("literal"), "{text}");
        assert!(b.fails("std.grep", json!({"pattern": "x", "path": "scr"})).await.contains("Is it src?"));
    });
}

#[test]
fn grep_is_bounded() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("many", "hit\n".repeat(5000));
        b.write("wide", format!("hit {}\n", "w".repeat(5000)));
        let text = b.ok("std.grep", json!({"pattern": "hit"})).await;
        assert!(text.contains("the first 100 matches in 1 file; there are more"), "{text}");
        let text = b.ok("std.grep", json!({"pattern": "hit", "max_matches": 100_000})).await;
        assert!(text.len() < 51_200 && text.lines().count() <= 2000 && text.contains("too much to show"), "{text}");
        assert!(b.ok("std.grep", json!({"pattern": "hit", "glob": "wide"})).await.contains("www […]"));
        assert!(b.fails("std.grep", json!({"pattern": "hit", "type": "nope"})).await.contains("no file type `nope`"));
    });
}

#[test]
fn find_by_name_and_path() {
    on_tokio(async {
        let b = project().await;
        assert_eq!(b.ok("std.find", json!({"pattern": "*.rs"})).await, "src/a.rs\nsrc/deep/c.rs");
        assert_eq!(b.ok("std.find", json!({"pattern": "src/*.rs"})).await, "src/a.rs");
        assert_eq!(b.ok("std.find", json!({"pattern": "*.rs", "path": "src/deep"})).await, "src/deep/c.rs");
        assert_eq!(b.ok("std.find", json!({"pattern": "dee"})).await, "src/deep/");
        let absolute = b.at("src/**/*.rs").display().to_string();
        assert_eq!(b.ok("std.find", json!({"pattern": absolute})).await, "src/a.rs\nsrc/deep/c.rs");
        let text = b.ok("std.find", json!({"pattern": "*.rs", "max": 1})).await;
        assert_eq!(text, "src/a.rs\n[the first 1; there are more: narrow the pattern]");
        assert!(b.ok("std.find", json!({"pattern": "*.nope"})).await.starts_with("Nothing matches"));
    });
}

#[test]
fn ls_shows_a_tree() {
    on_tokio(async {
        let b = project().await;
        assert_eq!(b.ok("std.ls", json!({})).await, ".gitignore  9 bytes\nsrc/");
        assert_eq!(b.ok("std.ls", json!({"path": "src", "depth": 2})).await, "a.rs  29 bytes\ndeep/\n  c.rs  30 bytes");
        let all = b.ok("std.ls", json!({"all": true})).await;
        assert_eq!(all, ".git/\n.gitignore  9 bytes\nignored/\nsrc/");
        assert!(b.fails("std.ls", json!({"path": "scr"})).await.contains("Is it src?"));
    });
}
