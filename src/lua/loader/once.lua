-- A module loads once: who requires it while it loads, and waits for something, waits for the same load and gets the
-- same value, or the same error. `load` gives what `require` gives, and has put the value into `cache`.
local G = _G
local running, error, rawget, setmetatable = coroutine.running, error, rawget, setmetatable

return function(cache)
    local loads = {}

    local function wait(name, other)
        if other.by == running() then error("module '" .. name .. "' requires itself while it loads", 3) end
        other.ended = other.ended or G.panto.task.channel()
        other.ended:receive()
        if other.problem ~= nil then error(other.problem, 0) end
    end

    -- To be called as the last thing that `require` does: errors name the line that called that.
    return function(name, load)
        while loads[name] do
            wait(name, loads[name])
            local known = rawget(cache, name)
            if known ~= nil then return known end
        end
        local mine = { by = running() }
        loads[name] = mine
        local _ <close> = setmetatable({}, { __close = function(_, problem)
            loads[name], mine.problem = nil, problem
            if mine.ended then mine.ended:close() end
        end })
        return load()
    end
end
