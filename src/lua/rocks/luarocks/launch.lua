-- luarocks in a state of its own: streams, the working directory, exits and the modules that panto stands in for. Gives
-- the function that runs it with a list of words and returns its exit code.
local host = ...
local io, os, package, coroutine = io, os, package, coroutine
local open, lines, remove, rename, loadfile = io.open, io.lines, os.remove, os.rename, loadfile
local absolute, getenv = host.absolute, os.getenv
local unpack = table.unpack

-- Output, line by line.
local function stream(say)
    local pending = ""
    local out = {}
    function out:write(...)
        for _, part in ipairs({ ... }) do pending = pending .. tostring(part) end
        pending = pending:gsub("(.-)\n", function(line) say(line) return "" end)
        return self
    end
    function out:flush() return self end
    function out:setvbuf() return true end
    function out:close()
        if pending ~= "" then say(pending) end
        pending = ""
        return true
    end
    return out
end
local stdout, stderr = stream(host.say), stream(host.complain)
io.stdout, io.stderr = stdout, stderr
io.write = function(...) return stdout:write(...) end
print = function(...)
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = tostring(parts[i]) end
    stdout:write(table.concat(parts, "\t"), "\n")
end

-- Paths are relative to the folder that luarocks believes to be in.
io.open = function(path, ...) return open(absolute(path), ...) end
io.lines = function(path, ...) return lines(absolute(path), ...) end
os.remove = function(path) return remove(absolute(path)) end
os.rename = function(old, new) return rename(absolute(old), absolute(new)) end
_G.loadfile = function(path, ...) return loadfile(path and absolute(path), ...) end

-- Commands run in that folder, their output is luarocks'.
os.execute = function(command)
    if command == nil then return true end
    local code = host.execute(command)
    return code == 0 or nil, "exit", code
end
io.popen = function(command)
    local file = io.tmpfile()
    file:write(host.capture(command))
    file:seek("set")
    return file
end

-- Proxies are panto's affair; who the user is changes only where things are cached.
local hidden = { http_proxy = true, https_proxy = true, no_proxy = true, USER = true }
os.getenv = function(name)
    if hidden[name] then return nil end
    return getenv(name)
end

-- An exit leaves for good: nothing that luarocks has wrapped around it gets to see it.
local EXIT = {}
os.exit = function(code)
    if code == nil or code == true then code = 0 elseif code == false then code = 1 end
    if coroutine.isyieldable() then coroutine.yield(EXIT, code) end
    error("luarocks exited with code " .. tostring(code), 0)
end

local http = { _VERSION = "LuaSocket 3.1.0" }
function http.request(request)
    local status, headers, body, line = host.request(request.method or "GET", request.url, http.TIMEOUT)
    if not status then return nil, headers end
    if request.sink and body ~= "" then request.sink(body) end
    return 1, status, headers, line
end
local https = setmetatable({ _VERSION = "1.3.2" }, { __index = http })
local ltn12 = { sink = {}, pump = {} }
function ltn12.sink.table(list)
    return function(chunk)
        if chunk then list[#list + 1] = chunk end
        return 1
    end
end
function ltn12.pump.step() return nil end

local zlib = { _VERSION = "lua-zlib 1.2 (panto)" }
function zlib.inflate(bits) return function(data) return host.inflate(data, bits or 15) end end
function zlib.deflate(level, bits) return function(data) return host.deflate(data, level or 6, bits or 15) end end
function zlib.crc32() return host.crc32 end

local standins = {
    lfs = host.lfs,
    md5 = { sumhexa = host.md5 },
    zlib = zlib,
    ltn12 = ltn12,
    ["socket.http"] = http,
    ["ssl.https"] = https,
    ["luarocks.core.hardcoded"] = host.hardcoded,
}
for name, module in pairs(standins) do package.preload[name] = function() return module end end
-- Parts of luarocks would prefer these to the stand-ins, and they may be anything.
for _, name in ipairs({ "posix", "socket.ftp", "bz2" }) do
    package.preload[name] = function() error("panto runs luarocks without " .. name, 0) end
end

-- A build that can't end well doesn't begin: the compiler, make or cmake that is missing is named first.
local function compiles(rockspec)
    for _, source in pairs(rockspec.build.modules or {}) do
        if type(source) == "table" or source:match("%.c$") then return true end
    end
    return false
end
local function guarded(name, needed)
    local driver = "luarocks.build." .. name
    package.preload[driver] = function()
        local load = assert(loadfile(assert(package.searchpath(driver, package.path))))
        local module = load(driver)
        local run = module.run
        module.run = function(rockspec, ...)
            local problem = needed(rockspec) and host.lacking(rockspec.package, name)
            if problem then return nil, problem end
            return run(rockspec, ...)
        end
        return module
    end
end
guarded("builtin", compiles)
guarded("make", function() return true end)
guarded("cmake", function() return true end)

local commands = {}
for _, name in ipairs({ "install", "remove", "list", "search", "show", "build", "make", "purge", "config" }) do
    commands[name] = "luarocks.cmd." .. name
end

return function(words)
    arg = { [0] = "luarocks", unpack(words) }
    local main = coroutine.create(function()
        require("luarocks.core.cfg")
        require("luarocks.cmd").run_command("rocks", commands, "luarocks.cmd.external", unpack(words))
    end)
    local ok, what, code = coroutine.resume(main)
    stdout:close()
    stderr:close()
    if not ok then error(what, 0) end
    return what == EXIT and code or 0
end
