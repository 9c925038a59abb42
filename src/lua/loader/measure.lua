-- Estimates the bytes that tables and functions lead to, without what belongs to the host. Sizes are those of Lua 5.4 on
-- 64 bits; what userdata holds isn't seen.
local roots, most = ...
local type, next, getmetatable, getupvalue = type, next, debug.getmetatable, debug.getupvalue
local seen, waiting, last, total, count = {}, {}, 0, 0, 0

-- What is everybody's: the host's globals and modules, one level into each.
local function pass(value)
    if type(value) ~= "table" or seen[value] then return end
    seen[value] = true
    for _, inner in next, value do
        if type(inner) == "table" or type(inner) == "function" then seen[inner] = true end
    end
end
pass(_G)
for _, module in next, package.loaded do pass(module) end

local function meet(value)
    local kind = type(value)
    if kind == "string" then
        if #value > 40 and not seen[value] then
            seen[value] = true
            total = total + 24 + #value
        end
    elseif (kind == "table" or kind == "function") and not seen[value] and count < most then
        seen[value] = true
        count, last = count + 1, last + 1
        waiting[last] = value
    elseif kind == "userdata" and not seen[value] then
        seen[value] = true
        total = total + 48
    end
end

for i = 1, #roots do
    seen[roots[i]] = nil
    meet(roots[i])
end
while last > 0 do
    local value = waiting[last]
    waiting[last], last = nil, last - 1
    if type(value) == "table" then
        local list = #value
        total = total + 56 + 16 * list
        for key, inner in next, value do
            if math.type(key) ~= "integer" or key > list then total = total + 40 end
            meet(key)
            meet(inner)
        end
        meet(getmetatable(value))
    else
        total = total + 40
        for i = 1, 255 do
            local name, inner = getupvalue(value, i)
            if not name then break end
            total = total + 8
            meet(inner)
        end
    end
end
return total
