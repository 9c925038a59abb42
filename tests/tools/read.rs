//! std.read.

use super::{Bench, on_tokio};
use panto::conversation::Part;
use serde_json::json;

#[test]
fn the_whole_file_or_a_part() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("a.txt", (1..=100).map(|i| format!("line-{i}\n")).collect::<String>());
        let whole = b.ok("std.read", json!({"path": "a.txt"})).await;
        assert!(whole.starts_with("1\tline-1\n2\tline-2\n") && whole.ends_with("100\tline-100"), "{whole}");
        let part = b.ok("std.read", json!({"filePath": "a.txt", "offset": 50, "limit": 2})).await;
        assert_eq!(part, "50\tline-50\n51\tline-51\n[lines 50 to 51 of 100; go on with offset = 52]");
        let end = b.ok("std.read", json!({"path": "a.txt", "offset": 100})).await;
        assert_eq!(end, "100\tline-100\n[lines 100 to 100 of 100, the end of the file]");
        let past = b.fails("std.read", json!({"path": "a.txt", "offset": 500})).await;
        assert!(past.contains("has 100 lines"), "{past}");
    });
}

#[test]
fn h16_long_files_come_in_pages_within_the_cap() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("big.txt", format!("FILE-HEAD\n{}", "0123456789\n".repeat(200_000)));
        b.write("wide.txt", format!("{}\nafter\n", "w".repeat(10_000)));
        let big = b.ok("std.read", json!({"path": "big.txt"})).await;
        assert!(big.starts_with("1\tFILE-HEAD\n"));
        assert!(big.len() <= 51_200 && big.matches('\n').count() <= 2000, "{} bytes", big.len());
        assert!(big.contains(" of 200001; go on with offset = "), "{}", &big[big.len() - 100..]);
        let wide = b.ok("std.read", json!({"path": "wide.txt"})).await;
        assert!(wide.contains("www [… 8000 bytes more in this line]\n2\tafter"), "{wide}");
    });
}

#[test]
fn what_is_no_text_is_told() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("b.bin", (0..=255).collect::<Vec<u8>>().repeat(40));
        b.write("d.pdf", b"%PDF-1.7\n\0\0");
        b.write("empty", "");
        let text = b.fails("std.read", json!({"path": "b.bin"})).await;
        assert!(text.contains("binary file") && text.contains("10.2 KB"), "{text}");
        assert!(b.fails("std.read", json!({"path": "d.pdf"})).await.contains("PDF"));
        assert_eq!(b.ok("std.read", json!({"path": "empty"})).await, "[the file is empty]");
        assert!(b.fails("std.read", json!({"path": "."})).await.contains("std.ls"));
        assert!(b.fails("std.read", json!({"path": "/dev/zero"})).await.contains("device"));
    });
}

#[test]
fn a_missing_file_brings_near_names() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("src/config.rs", "");
        let text = b.fails("std.read", json!({"path": "src/confg.rs"})).await;
        assert!(text.ends_with("does not exist. Is it src/config.rs?"), "{text}");
        let text = b.fails("std.read", json!({"path": "no/such/thing"})).await;
        assert!(text.contains("nothing like it in the working directory"), "{text}");
    });
}

#[test]
fn pictures_are_parts() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("p.png", b"\x89PNG\r\n\x1a\nrest");
        let outcome = b.call("std.read", json!({"path": "p.png"})).await;
        let picture = Part::Image { mime: "image/png".into(), data: "iVBORw0KGgpyZXN0".into() };
        assert_eq!(outcome.parts[1], picture);
    });
}

#[test]
fn other_encodings_are_readable() {
    on_tokio(async {
        let b = Bench::new().await;
        b.write("latin", b"caf\xe9\n");
        b.write("bom", "\u{feff}first\n");
        let utf16: Vec<u8> = "\u{feff}größe\r\nzwei\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        b.write("utf16", utf16);
        assert!(b.ok("std.read", json!({"path": "latin"})).await.starts_with("1\tcaf\u{FFFD}\n[not valid UTF-8"));
        assert_eq!(b.ok("std.read", json!({"path": "bom"})).await, "1\tfirst");
        assert_eq!(b.ok("std.read", json!({"path": "utf16"})).await, "1\tgröße\n2\tzwei");
    });
}
