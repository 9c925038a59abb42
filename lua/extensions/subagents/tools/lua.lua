-- subagents.lua: the model writes Lua that starts agents and works with what they give back.
local child = require("panto.extensions.subagents.child")
local child_tools = require("panto.extensions.subagents.child.tools")
local progress = require("panto.extensions.subagents.progress")
local sandbox = require("panto.sandbox")
local tool = require("panto.tool")

local MOST = 500 -- children of one run
local LONGEST = 24 * 3600 -- seconds

--- What code sees of a result; a table of its own each time.
local function visible(result)
  return {
    status = result.status, ok = result.status == "completed", output = result.output, value = result.value,
    error = result.error, session_id = result.id, agent = result.agent, description = result.label,
  }
end

local function wish(spec, name)
  if type(spec) == "string" then
    spec = { prompt = spec }
  elseif type(spec) ~= "table" then
    error(("agents.%s: a prompt or a table {prompt = …} expected, got %s"):format(name, type(spec)), 3)
  end
  local own = {}
  for key, value in pairs(spec) do
    own[key] = value
  end
  own.background = nil
  return own
end

--- The table `agents`. Children run side by side as far as the gate of the session lets them.
local function library(call)
  local caller, lines = { offered = child_tools.of_caller(call) }, progress.new(function(text) call:progress(text) end)
  local agents, started = {}, 0

  local function spawn(spec)
    started = started + 1
    if started > MOST then
      error(("more than %d agents in one run"):format(MOST), 0)
    end
    local one, problem = child.prepare(spec, caller)
    if not one then
      local failed = child.failed(spec, problem)
      return { await = function() return failed end, cancel = function() end }
    end
    local row, over = lines.add(one.label, one.profile.name), nil
    local task = panto.task.spawn(function()
      local result = child.safely(one, function(_, job) lines.follow(row, job) end)
      lines.ended(row, result)
      over = result
      return result
    end)
    local running = {}
    -- One that was cancelled is a result as any other.
    function running.await()
      local ok, result = pcall(task.await, task)
      if not ok and not over then
        error(result, 0)
      end
      return ok and result or over
    end
    function running.cancel()
      if over then
        return
      end
      over = { label = one.label, agent = one.profile.name, id = one.id, status = "cancelled", output = "", error = "cancelled", resumable = one.store:resolve(one.id) ~= nil }
      lines.ended(row, over)
      task:cancel()
    end
    return running
  end

  --- Starts one: `handle:await()` gives its result, `handle:cancel()` ends it.
  function agents.start(spec)
    local task = spawn(wish(spec, "start"))
    local handle = {}
    function handle:await()
      return visible(task:await())
    end
    function handle:cancel()
      task:cancel()
    end
    return handle
  end

  function agents.run(spec)
    return visible(spawn(wish(spec, "run")):await())
  end

  --- Runs all and calls `f(result, i)` for each as it ends; the results in order.
  function agents.each(specs, f)
    if type(specs) ~= "table" then
      error("agents.each: a list expected, got " .. type(specs), 2)
    end
    local tasks, ended, results = {}, panto.task.channel(math.max(#specs, 1)), {}
    for i, spec in ipairs(specs) do
      local running = spawn(wish(spec, "each"))
      tasks[i] = panto.task.spawn(function()
        ended:send({ i, running:await() })
      end)
    end
    for _ = 1, #tasks do
      local i, result = table.unpack(ended:receive())
      results[i] = visible(result)
      if f then
        f(results[i], i)
      end
    end
    return results
  end

  function agents.all(specs)
    return agents.each(specs)
  end

  --- A child for each item: `f(item, i)` gives its prompt or its table.
  function agents.map(items, f)
    local specs = {}
    for i, item in ipairs(items) do
      specs[i] = f(item, i)
    end
    return agents.each(specs)
  end

  --- The first that ends, and which it was; the others are ended.
  function agents.first(specs)
    local tasks = {}
    for i, spec in ipairs(specs) do
      local running = spawn(wish(spec, "first"))
      tasks[i] = panto.task.spawn(function() return running:await() end)
      tasks[i].running = running
    end
    local result, which = panto.task.first(tasks)
    for i, task in ipairs(tasks) do
      if i ~= which then
        task.running:cancel()
      end
    end
    return visible(result), which
  end

  function agents.models(query)
    return panto.json.decode(panto.json.encode(panto.ext.models(query)))
  end

  return agents
end

local function explained(problem)
  return type(problem) == "string" and problem or tool.shown(problem)
end

local function handler(input, call)
  local lines = {}
  local env, stop = sandbox.new(function(line) lines[#lines + 1] = line end)
  local _ <close> = setmetatable({}, { __close = stop })
  env.agents, env.args = library(call), input.args
  local code, problem = load(input.code, "=lua", "t", env)
  local ended = code and table.pack(panto.task.timeout(LONGEST, function() return table.pack(xpcall(code, explained)) end)) or { { false, problem } }
  local values = ended[1] or { false, "ended after a day" }
  if not values[1] then
    lines[#lines + 1] = tostring(values[2])
    return tool.failed(table.concat(lines, "\n"))
  end
  for i = 2, values.n do
    if values[i] ~= nil then
      lines[#lines + 1] = tool.shown(values[i])
    end
  end
  return tool.done(#lines > 0 and table.concat(lines, "\n") or "(the code returned and printed nothing)")
end

return function()
  panto.ext.register_tool {
    name = "subagents.lua",
    description = "Runs Lua 5.4 code that starts subagents and works with what they give back: loops over items, a second look at each "
      .. "finding, rounds until nothing new comes. A task is a prompt or a table with the fields of subagents.run (agent, model, tools, "
      .. "output_schema, resume, …). agents.run(task) waits and returns {ok, status, output, value, error, session_id}; `value` is the "
      .. "result where output_schema was given. agents.all(tasks) runs a list side by side, results in order; agents.map(items, function(item) "
      .. "return task end); agents.each(tasks, function(result, i) … end) calls back as each ends; agents.first(tasks) takes the first; "
      .. "agents.start(task) gives a handle with :await() and :cancel(). A child that fails is a result with ok = false, not an error. "
      .. "`args` holds the arguments. There are string, table, math, utf8, panto.json and panto.text, but no files or processes. What the "
      .. "code returns and prints comes back.",
    schema = {
      type = "object",
      properties = {
        code = { type = "string", minLength = 1 },
        args = { description = "Any value; the code has it as `args`." },
        description = { type = "string", description = "What it does, in a few words, for the user." },
      },
      required = { "code" },
      additionalProperties = false,
    },
    aliases = { script = "code", source = "code" },
    words = { ask = "run Lua with agents", doing = "Running agents by Lua", done = "Ran agents by Lua" },
    max_memory = 128 << 20,
    readonly = true, -- what its agents do is judged call by call
    handler = handler,
  }
end
