use super::*;
use mlua::{MultiValue, Value};
use proptest::prelude::*;

/// A state that has both: the stock functions in `stock`.
fn both() -> Lua {
    let lua = Lua::new();
    lua.load("stock = {} for k, v in pairs(string) do stock[k] = v end").exec().unwrap();
    let look = lua.create_function(|_, ()| Ok(())).unwrap();
    install(&lua, look).unwrap();
    let probe = r#"
        local function shown(...)
            local out = table.pack(...)
            for i = 1, out.n do out[i] = math.type(out[i]) == nil and stock.format("%q", tostring(out[i])) or tostring(out[i]) end
            return table.concat(out, ",", 1, out.n)
        end
        function all(string, s, p, init, repl)
            local out = {}
            out[1] = shown(pcall(function() return string.find(s, p, init) end))
            out[2] = shown(pcall(function() return string.match(s, p, init) end))
            out[3] = shown(pcall(function()
                local found = {}
                for a, b, c in string.gmatch(s, p, init) do found[#found + 1] = shown(a, b, c) end
                return table.concat(found, ";")
            end))
            for _, by in ipairs{repl, function(a, b) return b or a ~= "a" and a end, {a = "[A]", [1] = 7, ab = false}} do
                out[#out + 1] = shown(pcall(function() return string.gsub(s, p, by, init and init > 0 and init or nil) end))
            end
            out[#out + 1] = shown(pcall(function() return string.find(s, p, init, true) end))
            return table.concat(out, "\n")
        end"#;
    lua.load(probe).exec().unwrap();
    lua
}

fn compare(lua: &Lua, s: &[u8], p: &[u8], init: Option<i64>, repl: &[u8]) {
    let all: Function = lua.globals().get("all").unwrap();
    let text = |bytes: &[u8]| lua.create_string(bytes).unwrap();
    let of = |library: &str| -> String {
        let library: Table = lua.globals().get(library).unwrap();
        let answer: mlua::LuaString = all.call((library, text(s), text(p), init, text(repl))).unwrap();
        answer.to_string_lossy()
    };
    assert_eq!(of("string"), of("stock"), "s = {:?}, p = {:?}, init = {init:?}", text(s), text(p));
}

#[test]
fn they_do_what_the_stock_ones_do() {
    let lua = both();
    let patterns = [
        "",
        "a",
        "^a",
        "a$",
        "$",
        "^",
        "^$",
        "a-",
        "a*",
        "a+",
        "a?",
        ".-b",
        "(a)(b)",
        "()",
        "(a*(.)%w(%s*))",
        "(.)%1",
        "%1",
        "(()%1)",
        "(",
        ")",
        "(a",
        "a)",
        "[",
        "[]",
        "[]]",
        "[^]]",
        "[^",
        "[a",
        "[a-c]+",
        "[c-a]",
        "[%a_-]",
        "[a-]",
        "[-a]",
        "[%",
        "[%]",
        "%",
        "%%",
        "a%",
        "%b()",
        "%b",
        "%b(",
        "%bxx",
        "%f[%w]%w+",
        "%f",
        "%fa",
        "%f[%z]",
        "%d+",
        "%D",
        "%s",
        "%S+",
        "%x%X",
        "%p",
        "%c",
        "%g+",
        "%u%l",
        "%q",
        "a^b",
        "a$b",
        "^^a",
        "[^a]*",
        "(a?)(b?)",
        "((((((((((a))))))))))",
        "%w*%s-$",
        "\0",
        "a\0b",
        "[\0-\x1f]",
        "é",
        "(%w+)=(%w+)",
    ];
    let subjects = [
        "",
        "a",
        "aab ab",
        "(a(b)c)",
        "key=value, k2=v2",
        " trim me ",
        "a\0b",
        "héé",
        "xx[y]%",
        "THE (quick) fox",
        "\u{b}\t",
    ];
    for p in patterns {
        for s in subjects {
            for (init, repl) in [(None, "<%0>"), (Some(2), "%1%%"), (Some(-2), "%2"), (Some(100), "%"), (Some(0), "%x")]
            {
                compare(&lua, s.as_bytes(), p.as_bytes(), init, repl.as_bytes());
            }
        }
    }
    compare(&lua, b"a", "(a".repeat(33).as_bytes(), None, b"");
    compare(&lua, b"a", "()".repeat(33).as_bytes(), None, b"");
    compare(&lua, "a".repeat(300).as_bytes(), "a?".repeat(250).as_bytes(), None, b"");
    compare(&lua, "a".repeat(30).as_bytes(), format!("{}b", ".-".repeat(3)).as_bytes(), None, b"");
}

#[test]
fn wrong_arguments_are_named_as_ever() {
    let lua = both();
    for call in [
        "find()",
        "find('a')",
        "find({}, 'a')",
        "match('a', nil)",
        "gmatch('a')",
        "gsub('a', 'a')",
        "gsub('a', 'a', true)",
        "gsub('a', 'a', 'b', 'x')",
        "find('a', 'a', 'x')",
        "gsub('a', 'a', function() return {} end)",
        "gsub('a', '.', error)",
        "find(12, 1)",
        "gsub(1, 1, 2)",
        "gsub('abc', '%w', '%0%0', 2)",
        "gsub('abc', '', '-')",
        "gsub('a', 'a', 'b', -1)",
    ] {
        let of = |library: &str| -> String {
            let code = format!("return pcall(function() return {library}.{call} end)");
            let values: MultiValue = lua.load(code).set_name("=test").eval().unwrap();
            values.iter().map(|v: &Value| v.to_string().unwrap()).collect::<Vec<_>>().join(",")
        };
        // The stock ones are known under another name here.
        assert_eq!(of("string"), of("stock").replace("stock.", ""), "{call}");
    }
}

proptest! {
    #[test]
    fn any_pattern_does_what_the_stock_one_does(
        s in proptest::collection::vec(proptest::sample::select(b"aab (.%]-1\0".to_vec()), 0..14),
        p in proptest::collection::vec(proptest::sample::select(b"aab().%[]^$*+-?1bf\0wS".to_vec()), 0..12),
        init in proptest::option::of(-15i64..15),
        repl in proptest::collection::vec(proptest::sample::select(b"a%%012".to_vec()), 0..5),
    ) {
        thread_local! { static LUA: Lua = both(); }
        LUA.with(|lua| compare(lua, &s, &p, init, &repl));
    }
}
