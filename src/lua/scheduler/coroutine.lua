-- Makes nested coroutines transparent for the host: when one waits for a host function, or is pre-empted, everything
-- that (indirectly) resumed it is parked too, up to the fiber; when the host resumes the fiber, all go on.
local SENT, park, enter, leave, signals, closed, drives, drive = ...
local coroutine, error, xpcall = coroutine, error, xpcall
local resume, yield, status, create = coroutine.resume, coroutine.yield, coroutine.status, coroutine.create
local isyieldable, close = coroutine.isyieldable, coroutine.close

local propagate

local function pass(co, ok, ...)
    if not ok or status(co) ~= "suspended" then return ok, ... end
    local first, token = ...
    if first == SENT then
        if isyieldable() then
            park(token)
            return pass(co, resume(co, yield(SENT, token)))
        elseif drives() then
            return pass(co, resume(co, drive(token)))
        end
    elseif first == nil and signals.yielded then
        if isyieldable() then
            yield()
        else
            signals.yielded = nil
        end
        return pass(co, resume(co))
    end
    return ok, ...
end

local function left(previous, ...)
    leave(previous)
    return ...
end

-- On the main thread (a luv callback) nobody has said yet whose coroutine runs now.
function propagate(co, ...)
    if isyieldable() then return pass(co, resume(co, ...)) end
    return left(enter(co), pass(co, resume(co, ...)))
end

coroutine.resume = function(co, ...) return propagate(co, ...) end

local function unwrap(co, ok, ...)
    if ok then return ... end
    local message = ...
    if status(co) ~= "dead" then close(co) end
    error(message, 0)
end

coroutine.wrap = function(f)
    local co = create(f)
    return function(...) return unwrap(co, propagate(co, ...)) end
end

-- A fiber whose coroutine is closed by somebody else has ended without a word.
local function told(co, ...)
    closed(co)
    return ...
end

coroutine.close = function(co) return told(co, close(co)) end
