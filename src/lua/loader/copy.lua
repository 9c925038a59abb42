-- A copy of a table of functions, and of the tables in it, that an extension may change without others seeing it.
-- `replace(path, f)` gives what stands for a function.
local type, next, tostring, setmetatable, getmetatable = type, next, tostring, debug.setmetatable, debug.getmetatable

local function copied(from, replace, path, seen)
    if seen[from] then return seen[from] end
    local to = {}
    seen[from] = to
    for key, value in next, from do
        local place = path and path .. "." .. tostring(key) or tostring(key)
        if type(value) == "table" then
            value = copied(value, replace, place, seen)
        elseif type(value) == "function" and replace then
            value = replace(place, value)
        end
        to[key] = value
    end
    return setmetatable(to, getmetatable(from))
end

return function(from, replace) return copied(from, replace, nil, {}) end
