//! std.edit and std.write.

use super::{Bench, on_tokio};
use serde_json::json;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn write_is_byte_for_byte_and_makes_folders() {
    on_tokio(async {
        let b = Bench::new().await;
        let content = "ä\r\nb\n\ttail without end";
        let text = b.ok("std.write", json!({"path": "deep/er/new.txt", "content": content})).await;
        assert!(text.starts_with("Created ") && text.contains("3 lines, 23 bytes"), "{text}");
        assert_eq!(b.bytes("deep/er/new.txt"), content.as_bytes());
        let outcome = b.call("std.write", json!({"file_path": "deep/er/new.txt", "content": "x\n"})).await;
        let details = outcome.details.unwrap();
        assert!(details["diff"].as_str().unwrap().contains("@@ -1,3 +1 @@"), "{details}");
        let text = b.ok("std.write", json!({"path": "deep/er/new.txt", "content": "x\n"})).await;
        assert!(text.contains("nothing was written"), "{text}");
        assert!(b.fails("std.write", json!({"path": "deep", "content": ""})).await.contains("is a folder"));
        assert!(b.fails("std.write", json!({"path": "deep/er/new.txt/x", "content": ""})).await.contains("new.txt/x"));
    });
}

#[test]
fn edits_by_any_name() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("e.txt", "one two\nthree\n");
        b.ok("std.edit", json!({"path": "e.txt", "old_string": "two", "new_string": "2"})).await;
        b.ok("std.edit", json!({"file_path": "e.txt", "oldString": "three", "newString": "3"})).await;
        let edits = json!([{"old_str": "one", "new_str": "1"}, {"oldText": "3", "newText": "III"}]);
        let outcome = b.call("std.edit", json!({"path": "e.txt", "edits": edits})).await;
        assert_eq!(b.bytes("e.txt"), b"1 2\nIII\n");
        let details = outcome.details.unwrap();
        assert!(details["diff"].as_str().unwrap().contains("-one 2\n-3\n+1 2\n+III\n"), "{details}");
        assert_eq!(details["path"], b.at("e.txt").display().to_string());
    });
}

#[test]
fn several_edits_are_made_all_or_none() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("f", "a\nb\n");
        let edits = json!([{"old_string": "a", "new_string": "A"}, {"old_string": "zzz", "new_string": "q"}]);
        let text = b.fails("std.edit", json!({"path": "f", "edits": edits})).await;
        assert!(text.contains("Edit 2 of 2") && text.contains("not found"), "{text}");
        assert_eq!(b.bytes("f"), b"a\nb\n");
    });
}

#[test]
fn x07_crlf_stays() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("f", "a\r\nb\r\nc\r\n");
        b.ok("std.edit", json!({"path": "f", "old_string": "a\nb", "new_string": "a\nB"})).await;
        assert_eq!(b.bytes("f"), b"a\r\nB\r\nc\r\n");
    });
}

#[test]
fn x08_mixed_line_ends_stay() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("f", "1\n2\r\n3\n4\n");
        b.ok("std.edit", json!({"path": "f", "old_string": "4", "new_string": "four"})).await;
        assert_eq!(b.bytes("f"), b"1\n2\r\n3\nfour\n");
    });
}

#[test]
fn x10_unclear_edits_are_refused_with_line_numbers() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("f", "x=1\ny=2\nx=1\n");
        let text = b.fails("std.edit", json!({"path": "f", "old_string": "x=1", "new_string": "x=9"})).await;
        assert!(text.contains("2 times, in lines 1, 3"), "{text}");
        let text = b.fails("std.edit", json!({"path": "f", "old_string": "zzz", "new_string": "q"})).await;
        assert!(text.contains("not found"), "{text}");
        let text = b.fails("std.edit", json!({"path": "f", "old_string": "y=2", "new_string": "y=2"})).await;
        assert!(text.contains("the same"), "{text}");
        assert_eq!(b.bytes("f"), b"x=1\ny=2\nx=1\n");
        let all = json!({"path": "f", "old_string": "x=1", "new_string": "x=9", "replace_all": true});
        assert!(b.ok("std.edit", all).await.contains("2 replacements"));
        assert_eq!(b.bytes("f"), b"x=9\ny=2\nx=9\n");
    });
}

#[test]
fn what_was_meant_is_told() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("main.rs", "fn main() {\n        go();\n}\n");
        let edit = |old: &str| json!({"path": "main.rs", "old_string": old, "new_string": "x"});
        let text = b.fails("std.edit", edit("{\n  go();")).await;
        assert!(text.contains("not found"), "{text}");
        let text = b.fails("std.edit", edit("fn main() {\n  go();\n}")).await;
        assert!(text.contains("other white space begins in line 1") && text.contains("        go();"), "{text}");
        let text = b.fails("std.edit", edit("2\t        go();")).await;
        assert!(text.contains("line number"), "{text}");
        let text = b.fails("std.edit", json!({"path": "mian.rs", "old_string": "a", "new_string": "b"})).await;
        assert!(text.contains("Is it main.rs?"), "{text}");
        let text = b.fails("std.edit", json!({"path": "main.rs"})).await;
        assert!(text.contains("old_string"), "{text}");
        let text = b.fails("std.edit", json!({"path": "main.rs", "old_string": "go"})).await;
        assert!(text.contains("new_string is missing"), "{text}");
    });
}

#[test]
fn an_empty_passage_makes_a_file_and_never_overwrites_one() {
    on_tokio(async {
        let b = Bench::new().await;
        b.ok("std.edit", json!({"path": "new", "old_string": "", "new_string": "a\n"})).await;
        assert_eq!(b.bytes("new"), b"a\n");
        let text = b.fails("std.edit", json!({"path": "new", "old_string": "", "new_string": "b"})).await;
        assert!(text.contains("std.write"), "{text}");
    });
}

#[test]
fn x12_other_encodings_stay() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("s.txt", b"const x = 1;\n// caf\xe9\n");
        b.ok("std.edit", json!({"path": "s.txt", "old_string": "x = 1", "new_string": "x = 2"})).await;
        assert_eq!(b.bytes("s.txt"), b"const x = 2;\n// caf\xe9\n");
        b.write("u.txt", b"\xff\xfea\0");
        assert!(
            b.fails("std.edit", json!({"path": "u.txt", "old_string": "a", "new_string": "b"}))
                .await
                .contains("UTF-16")
        );
    });
}

#[test]
fn x14_mode_mark_and_links_stay() {
    on_tokio(async {
        let b = Bench::new().await;
        for (path, bytes, mode) in
            [("run.sh", &b"echo 1\n"[..], 0o755), ("secret", b"a 1\n", 0o600), ("bom", b"\xef\xbb\xbfa 1\n", 0o644)]
        {
            std::fs::set_permissions(b.write(path, bytes), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink("secret", b.at("link")).unwrap();
        for path in ["run.sh", "link", "bom"] {
            b.ok("std.edit", json!({"path": path, "old_string": "1", "new_string": "2"})).await;
        }
        assert_eq!((b.bytes("run.sh"), b.mode("run.sh")), (b"echo 2\n".to_vec(), 0o755));
        assert_eq!((b.bytes("secret"), b.mode("secret")), (b"a 2\n".to_vec(), 0o600));
        assert_eq!(b.bytes("bom"), b"\xef\xbb\xbfa 2\n");
        assert!(std::fs::symlink_metadata(b.at("link")).unwrap().is_symlink());
    });
}
