-- The environment of one extension: its own globals above the shared ones, its own `require` cache, and the modules
-- beside it first. `read` gives a file's text and chunk name; `shared` names the modules that are the host's alone.
local read, shared, copy, once = ...
local G, package, load, host_require = _G, package, load, require
local searchpath, error, pcall = package.searchpath, error, pcall

-- What of the extension's search path is its own.
local function own_path(own)
    local path, common = own.path, package.path
    if type(path) ~= "string" then error("package.path must be a string", 3) end
    if #common > 0 and path:sub(-#common) == common then path = path:sub(1, #path - #common) end
    return (path:gsub(";+$", ""))
end

local function load_file(file, env)
    local text, chunk_name = read(file)
    return load(text, chunk_name, "t", env)
end

local function make_require(env, cache, own)
    local load_once = once(cache)
    return function(name)
        local known = rawget(cache, name)
        if known ~= nil then return known end
        if shared[name] then return host_require(name) end
        local path = own_path(own)
        local file, tried = nil, ""
        if path ~= "" then file, tried = searchpath(name, path) end
        if not file then
            local ok, module, extra = pcall(host_require, name)
            if ok then return module, extra end
            error(tostring(module) .. (tried or ""), 2)
        end
        return load_once(name, function()
            local chunk, message = load_file(file, env)
            if not chunk then error("error loading module '" .. name .. "':\n\t" .. message, 3) end
            local value = chunk(name, file)
            if value == nil then value = rawget(cache, name) end
            if value == nil then value = true end
            cache[name] = value
            return value, file
        end)
    end
end

return function(root)
    local env = setmetatable({}, { __index = G })
    local cache = {} -- its own modules; what is loaded for all is seen through `package.loaded`, but not by `require`
    local beside = root and (root .. "/?.lua;" .. root .. "/?/init.lua;") or ""
    local own = { path = beside .. package.path, loaded = setmetatable(cache, { __index = package.loaded }) }
    env._G = env
    -- What one extension does to the table is not seen by others.
    env.panto = copy(G.panto)
    cache.panto = env.panto
    env.package = setmetatable(own, { __index = package })
    env.require = make_require(env, cache, own)
    env.load = function(chunk, name, mode, ...)
        if select("#", ...) > 0 then return load(chunk, name, mode, ...) end
        return load(chunk, name, mode, env)
    end
    env.loadfile = function(file, _, ...)
        local target = env
        if select("#", ...) > 0 then target = ... end
        return load_file(file, target)
    end
    env.dofile = function(file)
        local chunk, message = load_file(file, env)
        if not chunk then error(message, 2) end
        return chunk()
    end
    return env
end
