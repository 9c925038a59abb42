-- The root of every fiber: runs the function, and says how it ended from inside, since the last resume may come from a
-- luv callback as well as from the host.
local done, note = ...
local xpcall, traceback = xpcall, debug.traceback

local function failed(message)
    note(traceback("", 2))
    return message
end

local function body(id, f, ...)
    return done(id, xpcall(f, failed, ...))
end

local function idle() end

return body, idle
