-- The environment of an extension that has declared what it needs. All tables in it are its own, and no function in it
-- leads to the host's globals, to a metatable of others, or past its rights. `read` gives a file's text and chunk name,
-- `embedded` those of a module that ships.
local read, embedded, copy, once = ...
local G, error, type, select, rawget, next, tostring = _G, error, type, select, rawget, next, tostring
local setmetatable, getmetatable, host_require, host_load = setmetatable, getmetatable, require, load
local io, os, debug, package, find = io, os, debug, package, string.find
local searchpath = package.searchpath

-- What modules from outside can do. One that is not named here may do anything: it needs to be allowed to run programs.
local POWERS = {
    luv = { "fs_read", "fs_write", "run", "net", "env" },
    lfs = { "fs_read", "fs_write" },
    socket = { "net" }, ["socket.core"] = { "net" }, ["socket.http"] = { "net" }, ["socket.url"] = {}, ssl = { "net" },
    ["ssl.https"] = { "net" }, mime = {}, ltn12 = {},
    lpeg = {}, re = {}, cjson = {}, ["cjson.safe"] = {}, dkjson = {}, inspect = {},
}

local PLAIN = { "assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawlen", "rawset", "select",
    "tonumber", "tostring", "type", "xpcall", "_VERSION" }

-- The metatables of others (of strings, files, host objects) are out of reach: only those it has set itself are seen.
local function metatables(env, string_view)
    local mine = setmetatable({}, { __mode = "k" })
    env.setmetatable = function(table, metatable)
        if type(metatable) == "table" then mine[metatable] = true end
        return setmetatable(table, metatable)
    end
    env.getmetatable = function(value)
        if type(value) == "string" then return string_view end
        local metatable = getmetatable(value)
        if type(metatable) ~= "table" or mine[metatable] then return metatable end
        return false
    end
end

local function loading(env, demand)
    env.load = function(chunk, name, mode, ...)
        if mode ~= nil and not find(mode, "t", 1, true) then return nil, "attempt to load a binary chunk" end
        local target = env
        if select("#", ...) > 0 then target = ... end
        return host_load(chunk, name, "t", target)
    end
    env.loadfile = function(file, _, ...)
        demand("loadfile", "fs_read")
        local target = env
        if select("#", ...) > 0 then target = ... end
        local text, name = read(file)
        return host_load(text, name, "t", target)
    end
    env.dofile = function(file)
        demand("dofile", "fs_read")
        local text, name = read(file)
        local chunk, message = host_load(text, name, "t", env)
        if not chunk then error(message, 2) end
        return chunk()
    end
    env.collectgarbage = function(what, ...)
        if what == nil or what == "collect" or what == "count" or what == "step" then return collectgarbage(what, ...) end
        error("panto: collectgarbage('" .. tostring(what) .. "') would change it for all", 2)
    end
end

local function files(demand)
    local function closed(name)
        return function() error("panto: " .. name .. " is not available to an extension with an extension.toml", 2) end
    end
    local out = {}
    function out:write(...)
        io.stdout:write(...)
        return self
    end
    function out:flush() return self end
    function out:close() return true end
    function out:setvbuf() return true end
    local own = { stdout = out, stderr = out, type = io.type, read = io.read }
    function own.write(...)
        io.stdout:write(...)
        return out
    end
    function own.open(path, mode)
        local wanted = mode == nil and "r" or tostring(mode)
        if find(wanted, "[wa+]") then demand("io.open", "fs_write") end
        if find(wanted, "[r+]") then demand("io.open", "fs_read") end
        return io.open(path, mode)
    end
    function own.lines(path, ...)
        if path ~= nil then demand("io.lines", "fs_read") end
        return io.lines(path, ...)
    end
    function own.popen(...)
        demand("io.popen", "run")
        return io.popen(...)
    end
    function own.tmpfile()
        demand("io.tmpfile", "fs_write")
        return io.tmpfile()
    end
    function own.close(file)
        if file == nil then return true end
        return file:close()
    end
    own.input, own.output = closed("io.input"), closed("io.output")
    return own
end

local function system(demand)
    local own = { time = os.time, date = os.date, clock = os.clock, difftime = os.difftime, exit = os.exit }
    local needs = { getenv = "env", remove = "fs_write", rename = "fs_write", tmpname = "fs_write", execute = "run",
        setlocale = "run" }
    for name, need in next, needs do
        own[name] = function(...)
            demand("os." .. name, need)
            return os[name](...)
        end
    end
    return own
end

local function make_require(env, cache, own, beside, demand, refusal)
    local load_once = once(cache)
    local function run(name, text, chunk_name, place)
        return load_once(name, function()
            local chunk, message = host_load(text, chunk_name, "t", env)
            if not chunk then error("error loading module '" .. name .. "':\n\t" .. message, 3) end
            local value = chunk(name, place)
            if value == nil then value = rawget(cache, name) end
            if value == nil then value = true end
            cache[name] = value
            return value, place
        end)
    end
    return function(name)
        if type(name) ~= "string" then error("require: a name expected, got " .. type(name), 2) end
        local known = rawget(cache, name)
        if known ~= nil then return known end
        -- Elsewhere than beside its own code it may look for files only if it may read files.
        local path = refusal("require", "fs_read") and beside or own.path
        local file, tried = searchpath(name, path)
        if file then
            local text, chunk_name = read(file)
            return run(name, text, chunk_name, file)
        end
        local text, chunk_name = embedded(name)
        if text then return run(name, text, chunk_name, ":embedded:") end
        for _, need in next, POWERS[name] or { "run" } do demand("require '" .. name .. "'", need) end
        local module, extra = host_require(name)
        -- What it does to the module is not seen by others.
        cache[name] = type(module) == "table" and copy(module) or module
        return cache[name], extra or tried
    end
end

return function(root, refusal)
    -- Level 3: the line that calls the function which demands.
    local function demand(what, need)
        local problem = refusal(what, need)
        if problem then error(problem, 3) end
    end
    local env, cache = {}, {}
    for _, name in next, PLAIN do env[name] = G[name] end
    env.print, env.warn, env._G = function(...) return G.print(...) end, function() end, env
    for _, name in next, { "string", "table", "math", "utf8", "coroutine" } do env[name] = copy(G[name]) end
    env.io, env.os = files(demand), system(demand)
    env.debug = { traceback = debug.traceback }
    env.panto = copy(G.panto, function(path, f)
        local problem = refusal(path)
        if not problem then return f end
        return function() error(problem, 2) end
    end)
    metatables(env, { __index = env.string })
    loading(env, demand)
    local beside = root and (root .. "/?.lua;" .. root .. "/?/init.lua") or ""
    local own = { path = beside, cpath = "", config = package.config, loaded = cache, preload = {}, searchers = {} }
    function own.searchpath(...)
        demand("package.searchpath", "fs_read")
        return searchpath(...)
    end
    function own.loadlib(...)
        for _, need in next, POWERS.luv do demand("package.loadlib", need) end
        return package.loadlib(...)
    end
    env.package = own
    for _, name in next, { "string", "table", "math", "utf8", "coroutine", "io", "os", "debug", "package", "panto" } do
        cache[name] = env[name]
    end
    cache._G = env
    env.require = make_require(env, cache, own, beside, demand, refusal)
    return env
end
