-- The root of every fiber: runs the function, and says how it ended from inside, since the last resume may come from a
-- luv callback as well as from the host.
local done, note, exhausted = ...
local xpcall, traceback, getinfo = xpcall, debug.traceback, debug.getinfo

local function failed(message)
    note(traceback("", 2))
    return message
end

-- When memory runs out Lua asks no message handler, and the line is gone: the function is what can still be named.
local function ended(id, f, ok, ...)
    if not ok and ... == "not enough memory" then
        local at = getinfo(f, "S")
        return done(id, false, exhausted(at.short_src, at.linedefined))
    end
    return done(id, ok, ...)
end

local function body(id, f, ...)
    return ended(id, f, xpcall(f, failed, ...))
end

local function idle() end

return body, idle
