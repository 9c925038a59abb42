-- Finalizers as fibers: within the collector Lua looks at no clock, so that one that never ends could not be ended.
-- What a `__gc` function gets is kept here instead until the pump comes by, and runs like everything else.
local setmetatable, rawget, rawset, type = setmetatable, rawget, rawset, type
local signals = ...
local pending, known = {}, setmetatable({}, { __mode = "k" })

local function later(finalizer)
    local function keep(object)
        pending[#pending + 1] = { finalizer, object }
        signals[1] = true -- by number: the pump looks each time
    end
    known[keep] = true
    return keep
end

_G.setmetatable = function(table, meta)
    local finalizer = type(meta) == "table" and rawget(meta, "__gc")
    if type(finalizer) == "function" and not known[finalizer] then rawset(meta, "__gc", later(finalizer)) end
    return setmetatable(table, meta)
end

--- Everything kept so far, or nil. The collector may add to the old list until the new one is there.
return function()
    signals[1] = nil
    if #pending == 0 then return nil end
    local fresh = {}
    local list = pending
    pending = fresh
    return list
end
