//! The HTML page of a session: what it shows, and that nothing of it does anything.

use super::*;
use panto::session::{Format, export, load};

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A session of these entries, as a document.
fn document(name: &str, messages: &[Value], format: Format) -> String {
    let place = Place::new();
    let cwd = Path::new("/tmp/<script>cwd</script>");
    let mut rows = vec![json!({"type": "session", "version": 1, "id": "<b>id", "timestamp": "<i>t", "cwd": cwd})];
    let entry = |(n, message): (usize, &Value)| {
        let parent = n.checked_sub(1).map(entry_id);
        json!({"type": "message", "id": entry_id(n), "parent_id": parent,
               "timestamp": format!("2026-01-02T03:04:{n:02}.000Z"), "message": message})
    };
    rows.extend(messages.iter().enumerate().map(entry));
    let last = messages.len().checked_sub(1).map(entry_id);
    rows.push(json!({"type": "session_info", "id": "n", "parent_id": last, "timestamp": "t", "name": name}));
    let path = place.path("x.jsonl");
    fs::write(&path, rows.iter().map(|row| format!("{row}\n")).collect::<String>()).unwrap();
    export::render(&load(&path).unwrap(), format).unwrap()
}

fn call(name: &str, input: Value, output: &str, extra: Value) -> [Value; 2] {
    let mut result = json!({"type": "tool_result", "tool_use_id": "c", "is_error": false,
                            "content": [{"type": "text", "text": output}]});
    for (key, value) in extra.as_object().unwrap() {
        result[key] = value.clone();
    }
    [
        json!({"role": "assistant", "blocks": [{"type": "tool_use", "id": "c", "name": name, "input": input}]}),
        json!({"role": "user", "blocks": [result]}),
    ]
}

fn html(messages: &[Value]) -> String {
    document("A page", messages, Format::Html)
}

fn answered(text: &str) -> String {
    html(&[json!({"role": "assistant", "model": "env:bench", "blocks": [{"type": "text", "text": text}]})])
}

/// Whether a page has only what this program writes: known elements, known attributes, no foreign address.
fn assert_tame(page: &str) {
    const ATTRIBUTES: [&str; 15] = [
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "style",
        "rel",
        "href",
        "start",
        "open",
        "alt",
        "src",
        "id",
        "title",
    ];
    let body = page.split_once("</style>").unwrap().1;
    for tag in body.split('<').skip(1) {
        let tag = tag.split_once('>').unwrap_or_else(|| panic!("an open tag: {tag}")).0;
        let name = tag.split(|c: char| c.is_whitespace()).next().unwrap().trim_start_matches('/');
        assert!(
            !matches!(name, "script" | "iframe" | "object" | "embed" | "link" | "form" | "svg" | "base"),
            "<{tag}>"
        );
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric()), "<{tag}>");
        let mut quoted = tag.split('"');
        while let Some(before) = quoted.next() {
            let Some(value) = quoted.next() else { break };
            let attribute = before.trim().trim_end_matches('=').rsplit(' ').next().unwrap();
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} in <{tag}>");
            let value = value.to_lowercase();
            match attribute {
                "href" => assert!(["http://", "https://", "mailto:"].iter().any(|s| value.starts_with(s)), "<{tag}>"),
                "src" => assert!(value.starts_with("data:image/png;base64,"), "<{tag}>"),
                "style" => assert!(value.starts_with("color:#") || value.starts_with("background:#"), "<{tag}>"),
                _ => {}
            }
        }
    }
}

#[test]
fn hostile_words_in_every_place_stay_words() {
    let evil = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u{1b}]8;;http://x\u{7}\u{202e}";
    let fence = format!("```{}\ncode</code></pre><script>\n```\n", "\"onclick=alert(1)//<script>");
    let prose = format!(
        "{evil}\n\n[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](//x) [e](https://x/\"onclick=\"y) \
         ![f](http://evil/x.png) ![g](javascript:x) <a href=\"javascript:x\" onclick=y>h</a> <javascript:alert(1)>\n\n\
         [ref]\n\n[ref]: javascript:alert(1) \"<b>\"\n\n| <b> | `</code>` |\n|--|--|\n| {evil} | x |\n\n# {evil}\n\n{fence}"
    );
    let mut messages = vec![
        json!({"role": "user", "blocks": [{"type": "text", "text": evil},
            {"type": "image", "mime": "image/svg+xml", "data": "PHN2Zz4="},
            {"type": "image", "mime": evil, "data": PIXEL},
            {"type": "image", "mime": "image/png", "data": "\"><script>"},
            {"type": "image", "mime": "image/png", "data": PIXEL}]}),
        json!({"role": "assistant", "model": evil, "status": "error", "metadata": {"import": {"error": evil}},
            "blocks": [{"type": "thinking", "text": evil}, {"type": "text", "text": prose}]}),
    ];
    let extra = json!({"title": evil, "took_ms": 5000});
    messages.extend(call(evil, json!({evil: evil}), &format!("{evil}\u{1b}[31m{evil}\u{1b}[38;2;1;2;\"x\"m"), extra));
    messages.extend(call(
        "edit",
        json!({"command": evil}),
        "",
        json!({"details": {"diff": format!("@@ {evil}\n+{evil}\n-{evil}")}}),
    ));
    let page = document(evil, &messages, Format::Html);
    assert_tame(&page);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert_eq!(page.matches("src=\"data:").count(), 1, "only the picture that is one");
}

#[test]
fn any_bytes_of_markup_stay_words() {
    let pieces =
        ["<", ">", "\"", "'", "&", "`", "```", "[", "](", ")", "javascript:", "<!--", "]]>", "\n", "|", "- ", "x"];
    let mut state = 7_u64;
    for _ in 0..200 {
        let mut text = String::new();
        for _ in 0..60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        assert_tame(&answered(&text));
    }
    assert_tame(&answered(&">".repeat(5000)));
}

#[test]
fn a_page_looks_like_the_transcript() {
    let mut messages = vec![json!({"role": "user", "blocks": [{"type": "text", "text": "Mend *it*\n  now"}]})];
    messages.push(
        json!({"role": "assistant", "model": "env:bench", "usage": {"input": 30_000, "output": 900, "cost": 0.5},
        "metadata": {"panto": {"thinking_ms": {"0": 4200}}}, "blocks": [{"type": "thinking", "text": "hm"},
        {"type": "text", "text": "# Head\n\nA **bold** `word`, ~~gone~~, [there](https://x.org/?a=1&b=2).\n\n\
            ```rust\nfn main() { let n = 42; }\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n3. three"}]}),
    );
    messages.extend(call(
        "std.shell",
        json!({"command": "make"}),
        "\u{1b}[31mred\u{1b}[0m",
        json!({"took_ms": 3204, "title": "Ran make"}),
    ));
    let diff = "--- a\n+++ b\n@@ -9,2 +9,2 @@\n one\n-two\n+three\n";
    messages.extend(call(
        "std.edit",
        json!({"path": "x"}),
        "ok",
        json!({"details": {"diff": diff}, "title": "Edited x"}),
    ));
    let page = html(&messages);
    assert_tame(&page);
    for part in [
        "<title>A page</title>",
        "env:bench</span>",
        "30k↑ 900↓ $0.50",
        "2026-01-02 03:04",
        "<div class=\"prompt\">Mend *it*\n  now</div>",
        "<summary>thought for 4.2s</summary>",
        "<h2>Head</h2>",
        "<strong>bold</strong> <code>word</code>, <del>gone</del>",
        "href=\"https://x.org/?a=1&amp;b=2\">there</a>",
        "<i class=\"k\">fn</i>",
        "<i class=\"n\">42</i>",
        "<td class=\"right\">2</td>",
        "<ol start=\"3\">",
        "●</span> Ran make",
        "Ran make <i>3.2s</i>",
        "$</span> make",
        "<span class=\"f1\">red</span>",
        "Edited x <i>+1 −1</i>",
        "<span class=\"del\"><i>10</i>- two</span>",
        "<span class=\"add\"><i>10</i>+ three</span>",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    assert!(page.contains("prefers-color-scheme: light") && page.contains("default-src 'none'"));
}

#[test]
fn keys_are_taken_out_of_what_others_read() {
    let key = "sk-ant-api03-AbCd1234EfGh5678IjKl9012MnOp";
    let mut messages = vec![json!({"role": "user", "blocks": [{"type": "text", "text": format!("use {key}")}]})];
    let input = json!({"command": format!("curl -H 'x-api-key: {key}'")});
    messages.extend(call(
        "std.shell",
        input,
        &format!("\u{1b}[31mKEY={key}\u{1b}[0m"),
        json!({"title": format!("Ran {key}")}),
    ));
    messages.push(json!({"role": "assistant", "blocks": [{"type": "thinking", "text": key}, {"type": "text", "text": format!("`{key}`")}]}));
    for format in [Format::Html, Format::Md] {
        let text = document(key, &messages, format);
        assert!(!text.contains("AbCd1234") && text.contains("sk-…[key removed]"), "{text}");
    }
    assert!(document(key, &messages, Format::Jsonl).contains(key), "the session itself stays as it is");
}
