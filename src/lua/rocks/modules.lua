-- C modules that are built for another Lua fail in words that say nothing of it; here they name the file and the version
-- that is needed.
local version = ...
local searchers, pcall, error, type = package.searchers, pcall, error, type
local signs = { "undefined symbol: lua", "symbol not found.*lua", "version mismatch", "incompatible numeric types" }

local function hint(message)
    if type(message) ~= "string" then return nil end
    for _, sign in ipairs(signs) do
        if message:find(sign) then
            return "\n\tit is built for another Lua; this is Lua " .. version
                .. ", for which `panto rocks install` builds it"
        end
    end
end

local function opened(file, ok, ...)
    if ok then return ... end
    local message = ...
    local more = hint(message)
    if more then error(file .. ": " .. message .. more, 0) end
    error(message, 0)
end

local function found(ok, loader, file)
    if not ok then error(type(loader) == "string" and loader .. (hint(loader) or "") or loader, 0) end
    if type(loader) ~= "function" then return loader, file end
    return function(...) return opened(file, pcall(loader, ...)) end, file
end

-- The searchers that load C: from a module's own file, and from that of the package around it.
for _, index in ipairs({ #searchers - 1, #searchers }) do
    local search = searchers[index]
    searchers[index] = function(name) return found(pcall(search, name)) end
end
