-- Whose the handles and requests of luv are. Each is written down with its party: the outermost fiber that made it and
-- the code which that runs. Callbacks act for the party that has given them, so that what they make is told apart, too.
-- By this, handles end with their code, children with their call, and a call that waits for nothing is found though
-- somebody's timer still runs.
local luv, owner = ...
local next, type, pcall, error, select = next, type, pcall, error, select
local setmetatable, getmetatable = setmetatable, debug.getmetatable
local pack, unpack, find, gsub = table.pack, table.unpack, string.find, string.gsub
local walk, loop_alive, is_closing, close = luv.walk, luv.loop_alive, luv.is_closing, luv.close
local is_active, has_ref, ref, unref = luv.is_active, luv.has_ref, luv.ref, luv.unref
local kill, kill_handle = luv.kill, luv.process_kill

local parties = setmetatable({}, { __mode = "v" }) -- root -> party
local made = setmetatable({}, { __mode = "k" }) -- handle -> party
local children = setmetatable({}, { __mode = "k" }) -- handle of a process -> {pid, detached}
local busy, requests, works = {}, 0, 0 -- party -> its open requests; all of them; queued work, which is nobody's
local acting -- the party whose callback runs, or was the last to

local function party()
    local root, code = owner()
    if not root then return acting end
    local known = parties[root]
    if not known then
        known = { root = root, code = code }
        parties[root] = known
    end
    return known
end

local function count(by, change)
    requests = requests + change
    local open = (busy[by] or 0) + change
    busy[by] = open > 0 and open or nil
end

local function bound(f, by, once)
    return function(...)
        acting = by
        if once then
            once = false
            count(by, -1)
        end
        return f(...)
    end
end

local function callable(value)
    if type(value) == "function" then return true end
    local meta = type(value) == "table" and getmetatable(value)
    return type(meta) == "table" and meta.__call ~= nil
end

-- To be called last: an error names the line that called luv, and its function.
local function given(name, by, ok, ...)
    if not ok then
        if by then count(by, -1) end
        error(type(...) == "string" and gsub(..., "'%?'", "'" .. name .. "'", 1) or ..., 2)
    end
    if by and select("#", ...) > 0 and not ... then count(by, -1) end -- refused: nobody will call back
    return ...
end

-- `once`: the callback answers a request, which keeps the loop alive without a handle.
local function calling(name, f, once)
    return function(...)
        local args, by = pack(...), nil
        for i = 1, args.n do
            if callable(args[i]) then
                by = party()
                if by then args[i] = bound(args[i], by, once) end
            end
        end
        if not once then by = nil end
        if by then count(by, 1) end
        return given(name, by, pcall(f, unpack(args, 1, args.n)))
    end
end

local REQUESTS = { close = true, tcp_close_reset = true, getaddrinfo = true, getnameinfo = true, random = true,
    shutdown = true, write = true, write2 = true, tcp_connect = true, pipe_connect = true, udp_send = true }
local STEADY = { new_async = true, spawn = true, listen = true, read_start = true, udp_recv_start = true,
    check_start = true, prepare_start = true, idle_start = true, timer_start = true, poll_start = true,
    signal_start = true, signal_start_oneshot = true, fs_event_start = true, fs_poll_start = true }

local replaced = {}
local function replace(name, new)
    replaced[luv[name]], luv[name] = new, new
end

local names = {}
for name, f in next, luv do
    if type(f) == "function" then names[#names + 1] = name end
end
for i = 1, #names do
    local name = names[i]
    if STEADY[name] then
        replace(name, calling(name, luv[name], false))
    elseif REQUESTS[name] or find(name, "^fs_") and not find(name, "^fs_[ep]%l+_") then
        replace(name, calling(name, luv[name], true))
    end
end

-- Work runs in another thread, in which its function has no upvalues: it stays as it is.
if luv.new_work and luv.queue_work then
    local new_work, queue_work = luv.new_work, luv.queue_work
    luv.new_work = function(work, after, ...)
        local by, f = party(), after
        if callable(f) then
            after = function(...)
                acting, works = by, works - 1
                return f(...)
            end
        end
        return given("new_work", nil, pcall(new_work, work, after, ...))
    end
    replace("queue_work", function(...)
        local answer = pack(pcall(queue_work, ...))
        if answer[1] and answer[2] then works = works + 1 end
        return given("queue_work", nil, unpack(answer, 1, answer.n))
    end)
end

-- Methods are the same functions under other names.
for name, meta in next, debug.getregistry() do
    local methods = type(name) == "string" and find(name, "^l?uv_") and type(meta) == "table" and meta.__index
    if type(methods) == "table" then
        for key, f in next, methods do
            if replaced[f] then methods[key] = replaced[f] end
        end
    end
end

local function note(handle, ...)
    if type(handle) == "userdata" then made[handle] = party() end
    return handle, ...
end

for _, name in next, { "new_timer", "new_async", "new_tcp", "new_pipe", "new_tty", "new_udp", "new_poll", "new_socket_poll",
    "new_idle", "new_check", "new_prepare", "new_signal", "new_fs_event", "new_fs_poll", "spawn" } do
    local make = luv[name]
    if make then luv[name] = function(...) return note(make(...)) end end
end

local spawn = luv.spawn
luv.spawn = function(path, options, ...)
    local handle, pid, code = spawn(path, options, ...)
    if type(handle) == "userdata" then
        children[handle] = { pid = pid, detached = type(options) == "table" and options.detached }
    end
    return handle, pid, code
end

-- One that is detached leads a group of its own: all of it goes.
local function end_child(handle, child)
    if is_closing(handle) or not is_active(handle) then return end
    if child.detached then pcall(kill, -child.pid, "sigkill") end
    pcall(kill_handle, handle, "sigkill")
end

local function close_owned(code)
    for handle, by in next, made do
        if by.code == code then
            made[handle] = nil
            if children[handle] then end_child(handle, children[handle]) end -- closing alone lets it run on
            if not is_closing(handle) then pcall(close, handle) end
        end
    end
end

-- Ends the children that a fiber, its tasks and its callbacks have started; those that are detached only if `all`.
local function end_children(root, all)
    for handle, child in next, children do
        local by = made[handle]
        if by and by.root == root and (all or not child.detached) then end_child(handle, child) end
    end
end

-- Who may be called back: fibers, codes, and whether something may that is nobody's. Requests can't be listed; without
-- the handles only they keep the loop alive.
local function awaited()
    local roots, codes, anybody, held = {}, {}, works > 0, {}
    local function add(by)
        roots[#roots + 1], codes[#codes + 1] = by.root, by.code
    end
    for by in next, busy do add(by) end
    walk(function(handle)
        if is_closing(handle) or not is_active(handle) or not has_ref(handle) then return end
        held[#held + 1] = handle
        local by = made[handle]
        if by then add(by) else anybody = true end
    end)
    for i = 1, #held do unref(held[i]) end
    anybody = anybody or requests == 0 and loop_alive()
    for i = 1, #held do ref(held[i]) end
    return roots, codes, anybody
end

return { close_owned = close_owned, end_children = end_children, awaited = awaited }
