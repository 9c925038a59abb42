---@meta

--- Things side by side. A task ends with the tool call that started it; one that a command, a hook or a main chunk
--- started ends with the extension.
---@class panto.task
panto.task = {}

---@class panto.Task
local Task = {}

--- Its results; raises its error. `nil, "timeout"` after `timeout` seconds.
---@param timeout? number
---@return any ...
function Task:await(timeout) end

function Task:cancel() end

---@return boolean
function Task:done() end

--- Lets it run on when the call that started it ends.
---@return panto.Task self
function Task:detach() end

---@param seconds number
function panto.task.sleep(seconds) end

---@param f fun(...): any
---@param ... any
---@return panto.Task
function panto.task.spawn(f, ...) end

--- Waits for tasks, jobs and functions (as new tasks): their first results, in order. The first error is raised at once;
--- what was given as a function is cancelled then.
---@param list (panto.Task|panto.Job|fun():any)[]
---@return any[]
function panto.task.all(list) end

--- The first that ends: its first result, or its error, and which it was. What was given as a function is cancelled then.
---@param list (panto.Task|panto.Job|fun():any)[]
---@return any value
---@return integer index
function panto.task.first(list) end

--- Runs `f(…)`: its results, or `nil, "timeout"` after `seconds` (it is cancelled then).
---@param seconds number
---@param f fun(...): any
---@param ... any
---@return any ...
function panto.task.timeout(seconds, f, ...) end

---@class panto.Channel
---@operator call: any
local Channel = {}

--- Waits while it is full; false when it is closed.
---@param value any not nil
---@return boolean
function Channel:send(value) end

--- Waits while it is empty; nil when it is closed, too. `for value in channel do` does the same.
---@return any
function Channel:receive() end

function Channel:close() end

--- A queue that holds `n` values (1).
---@param n? integer
---@return panto.Channel
function panto.task.channel(n) end

--- Whether the tool call that runs has been cancelled.
---@return boolean
function panto.task.cancelled() end

--- Has `f` run when what runs now ends, however it does.
---@param f fun()
function panto.task.defer(f) end
