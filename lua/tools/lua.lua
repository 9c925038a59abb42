-- std.lua: the model writes Lua that calls the session's tools as functions. What lies between the calls (loops, filters,
-- sums) costs no request and no tokens: only what the code returns or prints reaches the model.
local sandbox = require("panto.sandbox")
local tool = require("panto.tool")

local USUAL, LONGEST = 300, 3600 -- seconds
local CALLS = 500 -- of other tools, in one run
local AT_ONCE = 16

local self = "std.lua"

--- Lines that the code prints, and the same for the screen while it runs.
local function printer(call)
  local lines, size = {}, 0
  local most = tool.limits() * 4 -- the rest is cut centrally; this bounds what is held
  return lines, function(line)
    if size > most then
      return
    end
    size = size + #line + 1
    lines[#lines + 1] = size > most and "[… what was printed after this is left out]" or line
    call:append(panto.text.clean(line) .. "\n")
  end
end

--- Lets `AT_ONCE` calls run side by side. A place is left without waiting, which what is ended may not do.
local function gate()
  local places = panto.task.channel(AT_ONCE)
  return function(run)
    places:send(true)
    local _ <close> = setmetatable({}, { __close = function()
      places:receive()
    end })
    return run()
  end
end

--- The function that stands for a tool: its text and details, or an error with its text.
local function caller(call, name, state)
  return function(input)
    if input ~= nil and type(input) ~= "table" then
      error(("%s: expects a table of its fields, got %s"):format(name, type(input)), 2)
    end
    state.calls = state.calls + 1
    if state.calls > CALLS then
      error(("%s: more than %d calls in one run"):format(name, CALLS), 0)
    end
    local result = state.pass(function()
      return call:tool(name, input or {})
    end)
    if result.is_error then
      error(("%s: %s"):format(name, result.text), 0)
    end
    return result.text, result.details
  end
end

--- Every tool but this one: `tools["std.grep"]`, `tools.std_grep` and `tools.std.grep` are the same.
local function offer(call)
  local tools, names, state = {}, {}, { calls = 0, pass = gate() }
  for _, decl in ipairs(call:tools()) do
    if decl.name ~= self then
      local run = caller(call, decl.name, state)
      names[#names + 1] = decl.name
      tools[decl.name], tools[decl.name:gsub("[^%w_]", "_")] = run, run
      local at, rest = tools, decl.name
      for part in decl.name:gmatch("([^.]+)%.") do
        at[part], rest = type(at[part]) == "table" and at[part] or {}, rest:sub(#part + 2)
        at = at[part]
      end
      at[rest] = at[rest] or run
    end
  end
  return setmetatable(tools, { __index = function(_, name)
    local near = panto.text.nearest(tostring(name), names, 3)
    error(("there is no tool %q%s"):format(tostring(name), #near > 0 and "; is it " .. table.concat(near, ", or ") .. "?" or ""), 2)
  end })
end

local function result(lines, values)
  for i = 1, values.n do
    if values[i] ~= nil or values.n > 1 then
      lines[#lines + 1] = tool.shown(values[i])
    end
  end
  if #lines == 0 then
    return tool.done("(the code returned and printed nothing)")
  end
  return tool.done(table.concat(lines, "\n"))
end

--- What is said of an error: where in the code, and how it came there.
local function explained(problem)
  if type(problem) ~= "string" then
    local text = tostring(problem)
    problem = type(problem) == "table" and not text:find("^table: ") and text or tool.shown(problem)
  end
  local path = {}
  for line in debug.traceback("", 2):gmatch("lua:(%d+): in") do
    path[#path + 1] = line
  end
  return problem .. (#path > 1 and "\n[called from lines " .. table.concat(path, " < ") .. "]" or "")
end

local function failed(lines, problem)
  lines[#lines + 1] = problem
  return tool.failed(table.concat(lines, "\n"))
end

local function handler(input, call)
  local lines, print = printer(call)
  local env, stop = sandbox.new(print)
  local _ <close> = setmetatable({}, { __close = stop })
  env.tools = offer(call)
  local code, problem = load(input.code, "=lua", "t", env)
  if not code then
    return failed(lines, problem)
  end
  local limit = math.min(input.timeout and input.timeout > 0 and input.timeout or USUAL, LONGEST)
  local ended = table.pack(panto.task.timeout(limit, function()
    return table.pack(xpcall(code, explained))
  end))
  if ended[1] == nil then
    return failed(lines, ("ended after %g s; a longer time can be asked for as `timeout`"):format(limit))
  end
  local values = ended[1]
  if not values[1] then
    return failed(lines, values[2])
  end
  return result(lines, table.pack(table.unpack(values, 2, values.n)))
end

return {
  name = self,
  description = "Runs Lua 5.4 code that can call the other tools as functions: tools[\"std.grep\"]{pattern = \"TODO\"} returns the text of the "
    .. "result (a second value holds its details) and raises an error when the call fails. Several at once: "
    .. "panto.task.all{function() return tools[\"std.read\"]{path = \"a\"} end, …} returns their results in order. Use it to "
    .. "chain, filter or count over many calls when you don't need to see each result: only what the code returns or prints comes back. "
    .. "There are string, table, math, utf8, panto.json and panto.text; no files, processes or network but through tools.",
  schema = {
    type = "object",
    properties = {
      code = { type = "string", minLength = 1, description = "The code. Its return values are the result; print() adds lines." },
      timeout = { type = "number", description = "Seconds until it is ended (300), at most 3600." },
      description = { type = "string", description = "What it does, in a few words, for the user." },
    },
    required = { "code" },
  },
  aliases = { script = "code", lua = "code", source = "code", program = "code" },
  words = { ask = "run Lua", doing = "Running Lua", done = "Ran Lua" },
  max_memory = 128 << 20,
  readonly = true, -- what it calls is judged by itself
  handler = handler,
}
