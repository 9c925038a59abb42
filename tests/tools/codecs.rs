//! `panto.json`, `panto.yaml`, `panto.toml`: what survives, what is refused, and in which words.

use super::library::probe;
use super::on_tokio;

#[test]
fn json_keeps_apart_what_lua_would_mix() {
    on_tokio(async {
        let text = probe(
            r#"local j = panto.json
            assert(j.encode(j.array()) == "[]" and j.encode({}) == "{}" and j.encode({j.array{}}) == "[[]]")
            assert(j.encode(panto.null) == "null" and j.decode("null") == panto.null and j.decode("[null]")[1] == panto.null)
            assert(j.decode('{"a":null}').a == panto.null and type(panto.null) == "userdata")
            local big = j.decode("[9223372036854775807, -9223372036854775808, 18446744073709551615]")
            assert(big[1] == math.maxinteger and big[2] == math.mininteger and math.type(big[3]) == "float" and big[3] == 2.0^64)
            assert(j.encode(math.maxinteger) == "9223372036854775807" and j.encode(1.0) == "1.0" and j.encode(2^53|0) == "9007199254740992")
            assert(j.encode("a\xffb\0") == '"a\u{FFFD}b\\u0000"' and j.decode('"\\u00e9\\ud83d\\ude00"') == "é😀")
            local said = {}
            local loop = {} loop.next = {loop}
            for _, value in ipairs{loop, {a = {b = print}}, {1/0}, {0/0}, {[{}] = 1}, {[true] = 1}, coroutine.create(print)} do
                said[#said + 1] = select(2, pcall(j.encode, value))
            end
            for _, bad in ipairs{"{bad", "", "[1,]", "{} x", "\"\xff\""} do
                local ok, message = pcall(j.decode, bad)
                assert(not ok and type(message) == "string" and not message:find("t.lua"), message)
                said[#said + 1] = message
            end
            return table.concat(said, "\n")"#,
        )
        .await;
        let lines: Vec<&str> = text.lines().collect();
        for (line, expected) in lines.iter().zip([
            "nesting without end (a cycle?) at next.1.next.1.next.1",
            "a value of type function at a.b",
            "a number that is not finite at 1",
            "a number that is not finite at 1",
            "a key of type table at the top",
            "a key of type boolean at the top",
            "a value of type thread at the top",
            "key must be a string at line 1 column 2",
            "EOF while parsing a value at line 1 column 0",
            "trailing comma at line 1 column 4",
            "trailing characters at line 1 column 4",
            "invalid unicode code point at line 1 column 2",
        ]) {
            assert!(line.ends_with(expected), "{line} | {expected}");
        }
        assert_eq!(lines.len(), 12, "{text}");
    });
}

#[test]
fn yaml_reads_front_matter_and_anchors_and_names_bad_lines() {
    on_tokio(async {
        let text = probe(
            r#"local y = panto.yaml
            local d = y.decode("name: x\ntools: [read, 'std.shell']\nmax: 3\nratio: 0.5\non: true\nnone:\ntext: |\n  two\n  lines\nbase: &b {k: 1}\nmore: *b\nwhen: 2026-11-29\n1: one\n")
            assert(d.name == "x" and d.tools[2] == "std.shell" and math.type(d.max) == "integer" and d.ratio == 0.5 and d.on == true)
            assert(d.none == panto.null and d.text == "two\nlines\n" and d.more.k == 1 and d.when == "2026-11-29" and d["1"] == "one")
            assert(y.decode("") == panto.null and #y.decode("[]") == 0 and y.decode("- 1\n- 2")[2] == 2)
            local again = y.decode(y.encode({a = {1, "x: y", true}, e = panto.json.array(), o = {}, s = "yes", n = "12"}))
            assert(again.a[2] == "x: y" and again.s == "yes" and again.n == "12" and panto.json.encode(again.e) == "[]" and panto.json.encode(again.o) == "{}")
            local said = {}
            local bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
            for c = string.byte("b"), string.byte("i") do
                local last = string.char(c - 1)
                bomb = bomb .. string.format("%c: &%c [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n", c, c, last, last, last, last, last, last, last, last, last)
            end
            for _, bad in ipairs{"a: [1,\nb: }", "a: b: c", "a: 'x", "x: *nobody", "a: 1\na: 2", bomb} do
                local ok, message = pcall(y.decode, bad)
                assert(not ok, bad:sub(1, 20))
                said[#said + 1] = message:gsub("\n", "\\n")
            end
            return table.concat(said, "\n")"#,
        )
        .await;
        assert_eq!(text.lines().count(), 6, "{text}");
        for line in text.lines() {
            assert!(line.contains("yaml: ") && line.contains("line "), "{line}");
        }
    });
}

#[test]
fn toml_reads_times_as_text_and_names_bad_lines() {
    on_tokio(async {
        let text = probe(
            r#"local t = panto.toml
            local d = t.decode("when = 1979-05-27T07:32:00Z\nday = 2026-11-29\nbig = 9223372036854775807\nf = 1.0\nlist = []\n[[step]]\nname = 'a'\n[[step]]\nname = 'b'\n")
            assert(d.when == "1979-05-27T07:32:00Z" and d.day == "2026-11-29" and d.big == math.maxinteger and math.type(d.f) == "float")
            assert(#d.step == 2 and d.step[2].name == "b" and panto.json.encode(d.list) == "[]")
            local again = t.decode(t.encode({a = {b = {1, 2}}, s = "x\ny", n = panto.json.array()}))
            assert(again.a.b[2] == 2 and again.s == "x\ny" and #again.n == 0)
            local ok, message = pcall(t.decode, "a = 1\nb = ")
            local _, null = pcall(t.encode, {a = {b = panto.null}})
            local _, top = pcall(t.encode, "x")
            return message:match("^[^\n]*") .. "|" .. null .. "|" .. top"#,
        )
        .await;
        let parts: Vec<&str> = text.split('|').collect();
        assert!(parts[0].contains("toml: TOML parse error at line 2"), "{text}");
        assert!(parts[1].contains("toml: null at a.b: TOML has no word for it"), "{text}");
        assert!(parts[2].contains("toml: a table expected, got string"), "{text}");
    });
}

#[test]
fn schema_violations_come_with_path_and_reason() {
    on_tokio(async {
        let text = probe(
            r#"local schema = {type = "object", required = {"a"}, properties = {list = {type = "array", items = {type = "integer"}}}, additionalProperties = false}
            assert(panto.schema.check(schema, {a = 1}) == false and panto.schema.check({type = "array"}, {}) == false)
            assert(panto.schema.check({type = "array"}, panto.json.array()) and panto.schema.check({}, panto.null))
            local ok, problems = panto.schema.check(schema, {list = {1, "x", 2.5}, extra = true})
            local bad, message = pcall(panto.schema.check, {type = "no such type"}, 1)
            return tostring(ok) .. "\n" .. table.concat(problems, "\n") .. "\n" .. message"#,
        )
        .await;
        let has = |part: &str| assert!(text.contains(part), "{part}: {text}");
        [
            "false\n",
            "/list/1: \"x\" is not of type \"integer\"",
            "/list/2: 2.5 is not",
            "\"a\" is a required property",
            "'extra' was unexpected",
            "schema: ",
        ]
        .iter()
        .for_each(|part| has(part));
    });
}
