-- Whether anybody has hold of coroutines, but for the list that is given: of one that nobody has, nobody can resume it.
-- The collector knows. Each coroutine gets a guard that lives as long as others lead to the coroutine, and whose
-- finalizer saves it when none does.
local setmetatable, collectgarbage = setmetatable, collectgarbage
local saved

local meta = {
    __gc = function(guard)
        if saved and not guard.off then saved[guard.place] = guard.coroutine end
    end,
}

-- A function of its own, so that no register of the one that collects holds a coroutine.
local function guard(list)
    local guards = setmetatable({}, { __mode = "k" })
    for place = 1, #list do
        local co = list[place]
        guards[co] = setmetatable({ coroutine = co, place = place }, meta)
        list[place] = false
    end
    return guards
end

--- The coroutines, and by the same places, whether nobody else has hold of them.
return function(list)
    saved = {}
    local guards, lost = guard(list), {}
    collectgarbage()
    for place, co in next, saved do list[place], lost[place] = co, true end
    saved = nil
    for co, one in next, guards do
        one.off, list[one.place] = true, co
    end
    for place = 1, #list do lost[place] = lost[place] or false end
    return list, lost
end
