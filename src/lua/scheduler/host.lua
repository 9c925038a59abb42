-- The Lua half of host functions. `start` (Rust) gives `false, results…` when it is already done, `nil, message` when it
-- failed, or the token to wait for. Tail calls keep the caller at level 2, so that an error names its line.
local SENT, drives, drive = ...
local yield, error, isyieldable = coroutine.yield, error, coroutine.isyieldable
local OUTSIDE = "panto: cannot wait here: this code runs inside a C function (a table.sort comparator, a string.gsub "
    .. "callback, a luv callback, …) that cannot be suspended"

-- A coroutine is parked; a main chunk that can't be has the host drive everything else until the result is there.
local function wait(token)
    if isyieldable() then return yield(SENT, token) end
    return drive(token)
end

local function finish(token, got, ok, ...)
    if got ~= token then return finish(token, wait(token)) end -- somebody else's resume: keep waiting
    if ok then return ... end
    return error(..., 2)
end

local function go(token, ...)
    if token then return finish(token, wait(token)) end
    if token == false then return ... end
    return error(..., 2)
end

local function waiting(start)
    return function(...)
        if not isyieldable() and not drives() then error(OUTSIDE, 2) end
        return go(start(...))
    end
end

local function direct(call)
    return function(...) return go(call(...)) end
end

return waiting, direct
