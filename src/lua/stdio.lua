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
debug.debug = refuse("debug.debug")
os.exit = refuse("os.exit", ": it would end the whole program; return or raise an error instead")
