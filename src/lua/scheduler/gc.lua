-- Finalizers as fibers: within the collector Lua looks at no clock, so that one that never ends could not be ended.
-- So Lua never learns of `__gc`: the field is out of sight while a metatable is set, and each object gets a guard
-- instead, that lives as long as the object can be reached. The guard's own finalizer keeps the object, with what
-- `__gc` is by then, until the pump comes by, where it runs like everything else.
local signals = ...
local set, debug_set, get = setmetatable, debug.setmetatable, debug.getmetatable
local rawget, rawset, type, pcall, error, gsub = rawget, rawset, type, pcall, error, string.gsub
local pending, guards = {}, setmetatable({}, { __mode = "k" }) -- object -> its guard

local function finalizer(object)
    local meta = get(object)
    local f = type(meta) == "table" and rawget(meta, "__gc")
    if type(f) == "function" then return f end
    local callable = f and get(f)
    if callable and rawget(callable, "__call") then return function(it) return f(it) end end
end

local GUARD = {
    __gc = function(guard)
        local object = guard[1]
        guards[object] = nil
        local f = finalizer(object)
        if f then
            pending[#pending + 1] = { f, object }
            signals[1] = true -- by number: the pump looks each time
        end
    end,
}

local function answer(ok, ...)
    if ok then return ... end
    error(gsub(gsub(..., "^panto/scheduler/gc:%d+: ", ""), "'[%w?]+'", "'setmetatable'", 1), 2)
end

local function hiding(setter)
    return function(...)
        local object, meta = ...
        local kind = type(object)
        local owns = type(meta) == "table" and (kind == "table" or kind == "userdata")
        local f = owns and rawget(meta, "__gc")
        if not f then
            if owns and not get(object) then return setter(object, meta) end
            return answer(pcall(setter, ...)) -- it may be refused, at the line that asked for it
        end
        rawset(meta, "__gc", nil)
        local ok, result = pcall(setter, object, meta)
        rawset(meta, "__gc", f)
        if ok and not guards[object] then guards[object] = set({ object }, GUARD) end
        return answer(ok, result)
    end
end

_G.setmetatable = hiding(set)
debug.setmetatable = hiding(debug_set)

--- Everything kept so far, or nil. The collector may add to the old list until the new one is there.
return function()
    signals[1] = nil
    if #pending == 0 then return nil end
    local fresh = {}
    local list = pending
    pending = fresh
    return list
end
