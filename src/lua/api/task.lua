-- panto.task: structured concurrency. A task ends with the tool call that started it; one that a command, a hook or the
-- main chunk of an extension started ends with the extension.
local host = ...
local task = {}

task.sleep = host.sleep
task.cancelled = host.cancelled
task.defer = host.defer

-- Whoever has an object must not come by what is everybody's: metatables stay out of sight, methods out of reach.
local Task = {}
local TASK = { __name = "panto.Task", __index = Task, __metatable = false }

local function settled(ok, ...)
    if ok then return ... end
    if ok == nil then return nil, "timeout" end
    error(..., 0)
end

--- Waits for the end; its results, or its error. After `timeout` seconds `nil, "timeout"`.
function Task:await(timeout) return settled(host.await(self.state, timeout)) end

function Task:cancel() host.cancel(self.state) end

--- Whether it has ended.
function Task:done() return host.done(self.state) end

--- Lets it run on when the call that started it ends.
function Task:detach()
    host.detach(self.state)
    return self
end

function task.spawn(f, ...)
    if type(f) ~= "function" then error("panto.task.spawn: a function expected, got " .. type(f), 2) end
    return setmetatable({ state = host.spawn(f, ...) }, TASK)
end

-- Things to wait for: tasks and jobs as they are, functions as new tasks.
local function started(list, name)
    if type(list) ~= "table" then error("panto.task." .. name .. ": a table expected, got " .. type(list), 3) end
    local all, own = {}, {}
    for i, item in ipairs(list) do
        if type(item) ~= "function" and (type(item) ~= "table" or type(item.await) ~= "function") then
            local told = "panto.task.%s: item %d must be a function, a task or a job, got %s"
            error(told:format(name, i, type(item)), 3)
        end
    end
    for i, item in ipairs(list) do
        if type(item) == "function" then
            item = task.spawn(item)
            own[#own + 1] = item
        end
        all[i] = item
    end
    return all, own
end

local function cancel(list)
    for _, item in ipairs(list) do item:cancel() end
end

-- Waits for each of `all` in a task of its own and tells `ended(i, ok, value)`, until that returns true.
local function watch(all, ended)
    local changed, enough = host.event(), #all == 0
    local waiters = {}
    for i, item in ipairs(all) do
        waiters[i] = task.spawn(function()
            local ok, value = pcall(item.await, item)
            if not enough then enough = ended(i, ok, value) end
            if enough then host.signal(changed) end
        end)
    end
    while not enough do host.wait(changed) end
    cancel(waiters)
end

--- Waits for all; their first results in order. The first error is raised at once; those that were given as functions
--- are cancelled then.
function task.all(list)
    local all, own = started(list, "all")
    local results, left, failed, message = {}, #all, false, nil
    watch(all, function(i, ok, value)
        if ok then
            results[i], left = value, left - 1
        else
            failed, message = true, value
        end
        return failed or left == 0
    end)
    if failed then
        cancel(own)
        error(message, 0)
    end
    return results
end

--- Waits for the first to end: its first result (or its error), and which it was. Those given as functions are
--- cancelled then, tasks run on.
function task.first(list)
    local all, own = started(list, "first")
    if #all == 0 then error("panto.task.first: an empty list never ends", 2) end
    local winner, fine, result
    watch(all, function(i, ok, value)
        winner, fine, result = i, ok, value
        return true
    end)
    cancel(own)
    if not fine then error(result, 0) end
    return result, winner
end

--- Runs `f(…)`; its results, or `nil, "timeout"` when it takes longer than `seconds` (it is cancelled then).
function task.timeout(seconds, f, ...)
    if type(seconds) ~= "number" then error("panto.task.timeout: seconds expected, got " .. type(seconds), 2) end
    local running = task.spawn(f, ...)
    local results = table.pack(pcall(running.await, running, seconds))
    if not running:done() then running:cancel() end
    if not results[1] then error(results[2], 0) end
    return table.unpack(results, 2, results.n)
end

local Channel = {}
local CHANNEL = { __name = "panto.Channel", __index = Channel, __metatable = false }

--- Waits while the channel is full. False when it has been closed.
function Channel:send(value)
    if value == nil then error("panto.task.channel: nil can't be sent", 2) end
    while not self.closed and self.last - self.first + 1 >= self.size do host.wait(self.changed) end
    if self.closed then return false end
    self.last = self.last + 1
    self.items[self.last] = value
    host.signal(self.changed)
    return true
end

--- The oldest value; waits while there is none. Nil when the channel is closed and empty.
function Channel:receive()
    while self.first > self.last do
        if self.closed then return nil end
        host.wait(self.changed)
    end
    local value = self.items[self.first]
    self.items[self.first] = nil
    self.first = self.first + 1
    host.signal(self.changed)
    return value
end

function Channel:close()
    self.closed = true
    host.signal(self.changed)
end

--- For `for value in channel do`.
function CHANNEL:__call() return Channel.receive(self) end

--- A queue between tasks that holds `n` values (1).
function task.channel(n)
    if n ~= nil and (math.type(n) ~= "integer" or n < 1) then
        error("panto.task.channel: a size of at least 1 expected", 2)
    end
    local channel = { items = {}, first = 1, last = 0, size = n or 1, closed = false, changed = host.event() }
    return setmetatable(channel, CHANNEL)
end

return task
