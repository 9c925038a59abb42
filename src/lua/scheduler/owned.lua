-- Whose the handles of luv are: each is written down with the code that made it, so that they end with that code, and
-- so that a call which waits for nothing is told apart from one whose timer still runs.
local luv, owner = ...
local next, type, pcall, setmetatable = next, type, pcall, setmetatable
local walk, loop_alive, is_closing, close = luv.walk, luv.loop_alive, luv.is_closing, luv.close
local is_active, has_ref, ref, unref = luv.is_active, luv.has_ref, luv.ref, luv.unref

local made = setmetatable({}, { __mode = "k" }) -- handle -> owner

local function note(handle, ...)
    if type(handle) == "userdata" then made[handle] = owner() end
    return handle, ...
end

for _, name in next, { "new_timer", "new_async", "new_tcp", "new_pipe", "new_tty", "new_udp", "new_poll", "new_socket_poll",
    "new_idle", "new_check", "new_prepare", "new_signal", "new_fs_event", "new_fs_poll", "spawn" } do
    local make = luv[name]
    if make then luv[name] = function(...) return note(make(...)) end end
end

local processes, kill = setmetatable({}, { __mode = "k" }), luv.process_kill
local spawn = luv.spawn

luv.spawn = function(...)
    local handle, pid, code = spawn(...)
    if type(handle) == "userdata" then processes[handle] = true end
    return handle, pid, code
end

local function close_owned(of)
    for handle, by in next, made do
        if by == of then
            made[handle] = nil
            if processes[handle] then pcall(kill, handle, "sigkill") end -- closing alone lets it run on
            if not is_closing(handle) then pcall(close, handle) end
        end
    end
end

-- Owners of handles that may call back, and whether something may call back that is nobody's: a request (of a file, a
-- name), or a handle that was made in a callback. Requests can't be listed; without the handles only they keep the
-- loop alive.
local function awaited()
    local owners, anybody, held = {}, false, {}
    walk(function(handle)
        if is_closing(handle) or not is_active(handle) or not has_ref(handle) then return end
        held[#held + 1] = handle
        local by = made[handle]
        if by then owners[by] = true else anybody = true end
    end)
    for i = 1, #held do unref(held[i]) end
    anybody = loop_alive() or anybody
    for i = 1, #held do ref(held[i]) end
    return owners, anybody
end

return close_owned, awaited
