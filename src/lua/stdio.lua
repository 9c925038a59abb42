-- The terminal belongs to the screen: what scripts print goes to the log, what would read the terminal or end the
-- process raises.
local log = ...
local io, os, debug = io, os, debug

local function joined(separator, ...)
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = tostring(parts[i]) end
    return table.concat(parts, separator)
end

local function refuse(name, instead)
    return function() error("panto: " .. name .. " is not available here" .. (instead or ""), 2) end
end

-- Stands for io.stdout and io.stderr.
local sink = setmetatable({}, { __name = "FILE*", __tostring = function() return "file (panto's log)" end })
sink.__index = sink
function sink:write(...)
    log(joined("", ...))
    return self
end
function sink:flush() return self end
function sink:setvbuf() return true end
function sink:close() return true end
sink.read = refuse("reading standard output")
sink.lines = sink.read
sink.seek = function() return nil, "Illegal seek", 29 end

local source = setmetatable({}, { __name = "FILE*", __tostring = function() return "file (no standard input)" end })
source.read = refuse("io.stdin", ": the terminal belongs to the screen; use panto.ext.ui")
source.lines, source.write, source.seek = source.read, source.read, sink.seek
function source:close() return true end

local open_lines, open_output, open_input = io.lines, io.output, io.input
print = function(...) log(joined("\t", ...)) end
io.stdout, io.stderr, io.stdin = sink, sink, source
local output = sink
io.write = function(...) return output:write(...) end
io.output = function(file)
    if file ~= nil then output = file == sink and sink or open_output(file) end
    return output
end
local input = source
io.input = function(file)
    if file ~= nil then input = file == source and source or open_input(file) end
    return input
end
io.read = function(...) return input:read(...) end
io.lines = function(name, ...)
    if name == nil then return input:lines(...) end
    return open_lines(name, ...)
end

-- Commands have neither the keys nor the screen: no input, no terminal, and what they would print goes to the log.
local execute, popen, open, temporary, remove = os.execute, io.popen, io.open, os.tmpname, os.remove
local LOGGED = 65536 -- bytes of a command's output that the log takes

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- `exec`, so that the command's end is that of the shell; a session of its own, where the system has the program for it.
local function apart(command, redirections)
    local shell = "/bin/sh -c " .. quoted(command)
    return "exec " .. redirections .. "; command -v setsid >/dev/null 2>&1 && exec setsid " .. shell .. "; exec " .. shell
end

os.execute = function(command)
    if type(command) ~= "string" then return execute(command) end
    local named, path = pcall(temporary)
    if not named then return execute(apart(command, "</dev/null >/dev/null 2>&1")) end
    local results = table.pack(execute(apart(command, "</dev/null >" .. quoted(path) .. " 2>&1")))
    local file = open(path, "rb")
    local output = file and file:read(LOGGED)
    if file then file:close() end
    remove(path)
    if output then log(output) end
    return table.unpack(results, 1, results.n)
end
io.popen = function(command, mode)
    if type(command) ~= "string" or mode ~= nil and mode ~= "r" and mode ~= "w" then return popen(command, mode) end
    return popen(apart(command, mode == "w" and ">/dev/null 2>&1" or "</dev/null 2>/dev/null"), mode)
end

debug.debug = refuse("debug.debug")
os.exit = refuse("os.exit", ": it would end the whole program; return or raise an error instead")
