use super::*;

/// A state in which `old` has the stock functions, and the global libraries the bounded ones.
fn state() -> Lua {
    let lua = unsafe { Lua::unsafe_new() };
    lua.load(
        "old = {table = {}, string = {rep = string.rep}}
        for name, f in pairs(table) do old.table[name] = f end",
    )
    .exec()
    .unwrap();
    let look = lua.create_function(|_, ()| Ok(mlua::Nil)).unwrap();
    pattern::install(&lua, look).unwrap();
    install(&lua).unwrap();
    lua
}

fn check(code: &str) {
    state().load(code).set_name("=test").exec().unwrap_or_else(|error| panic!("{error}"));
}

/// Runs one function of both libraries on the same table, which has a length of `N`, and compares all that can be seen.
const SAME: &str = r#"
    local function fresh(N, meta)
        local t = {}
        for i = 1, N do t[i] = (i * 7919) % N + 1 end
        if meta then return setmetatable({}, {__len = function() return N end, __index = t, __newindex = t}), t end
        return t, t
    end
    local function told(library, name, t, ...)
        local f = library[name] -- the same name for both, in messages
        return table.pack(pcall(f, t, ...))
    end
    -- In messages the name depends on where the function is found.
    function words(message) return (tostring(message):gsub("to '[%w.?]+'", 'to it')) end
    function same(name, N, meta, ...)
        local a, in_a = fresh(N, meta)
        local b, in_b = fresh(N, meta)
        local x, y = told(table, name, a, ...), told(old.table, name, b, ...)
        local what = name .. ' ' .. N .. ' ' .. tostring(meta) .. ' ' .. tostring((...)) .. ': '
        assert(x.n == y.n and x[1] == y[1], what .. tostring(x[2]) .. ' | ' .. tostring(y[2]))
        if type(x[2]) == 'table' then
            for i = -1, N + 20 do assert(rawequal(x[2][i], y[2][i]), what .. i) end
        else
            assert(words(x[2]) == words(y[2]), what .. words(x[2]) .. ' | ' .. words(y[2]))
        end
        for i = -1, N + 20 do assert(in_a[i] == in_b[i], what .. 'at ' .. i) end
    end
"#;

#[test]
fn results_and_errors_are_those_of_the_stock_functions() {
    check(&format!(
        "{SAME}
        for _, N in ipairs{{0, 1, 5, 10002}} do for _, meta in ipairs{{false, true}} do
            for _, place in ipairs{{1, 2, 3, N, N + 1, N + 2, 0, -1, 1.0, 1.5, '2', 'x', math.maxinteger, math.mininteger}} do
                same('insert', N, meta, place, 'new')
                same('remove', N, meta, place)
                same('concat', N, meta, ',', place)
                same('concat', N, meta, nil, 1, place == math.maxinteger and N + 5 or place)
            end
            same('insert', N, meta, 'new') same('insert', N, meta) same('insert', N, meta, 1, 2, 3)
            same('remove', N, meta) same('remove', N, meta, nil) same('concat', N, meta) same('concat', N, meta, {{}})
            for _, m in ipairs{{{{1, N, 2}}, {{1, N, 1}}, {{2, N, 1}}, {{1, N, 5}}, {{1, N, N + 1}}, {{1, 0, 1}}, {{0, N, 1}},
                {{-5, N, 1}}, {{1, N, math.maxinteger}}, {{math.mininteger, math.maxinteger, 1}}, {{1, N}}, {{1, 'x', 2}}}} do
                same('move', N, meta, table.unpack(m))
                same('move', N, meta, m[1], m[2], m[3], {{}})
            end
            same('sort', N, meta) same('sort', N, meta, function(a, b) return a > b end)
            same('sort', N, meta, math.ult) same('sort', N, meta, 5) same('sort', N, meta, true)
        end end"
    ));
}

#[test]
fn long_lists_are_sorted_as_ever() {
    check(
        "local t, u = {}, {}
        for i = 1, 500001 do t[i] = (i * 7919) % 500009 u[i] = t[i] end
        table.sort(t) old.table.sort(u)
        for i = 1, #u do assert(t[i] == u[i]) end
        table.sort(t, math.ult)
        local mixed = {} for i = 1, 500001 do mixed[i] = i end mixed[300000] = 'x'
        local ok, problem = pcall(table.sort, mixed)
        assert(not ok and problem:find('attempt to compare'), problem)",
    );
}

#[test]
fn what_is_no_table_is_refused_in_the_stock_words() {
    check(
        r#"for name in pairs{insert = 1, remove = 1, concat = 1, move = 1, sort = 1} do
            for _, bad in ipairs{5, "x", true, print} do
                local f, g = table[name], old.table[name]
                local _, x = pcall(f, bad, 1, 20000, 3)
                local _, y = pcall(g, bad, 1, 20000, 3)
                local function words(message) return (message:gsub("to '[%w.?]+'", "to it")) end
                assert(words(x) == words(y), x .. " | " .. y)
            end
        end
        local _, x = pcall(function() table.insert({}, 5, 1) end)
        assert(x == "test:10: bad argument #2 to 'insert' (position out of bounds)", x)"#,
    );
}

#[test]
fn text_is_repeated_as_ever() {
    check(
        "for _, s in ipairs{'', 'a', 'ab'} do for n = -1, 3 do for _, by in ipairs{'', ',', ', '} do
            assert(string.rep(s, n, by) == old.string.rep(s, n, by)) assert(s:rep(n) == old.string.rep(s, n))
        end end end
        assert(('x'):rep(3) == 'xxx' and string.rep('', 1 << 60) == '' and string.rep('', 1 << 60, '') == '')
        assert(not pcall(string.rep, '', 'x') and not pcall(string.rep, '') and not pcall(string.rep, 'x', 1 << 60))",
    );
}
