-- subagents.run: one child or several.
local background = require("panto.extensions.subagents.background")
local child = require("panto.extensions.subagents.child")
local child_tools = require("panto.extensions.subagents.child.tools")
local profiles = require("panto.extensions.subagents.profiles")
local report = require("panto.extensions.subagents.report")
local together = require("panto.extensions.subagents.together")
local tool = require("panto.tool")

local MOST = 100 -- children of one call

local FIELDS = {
  description = { type = "string", description = "What it does, in three to six words; the user sees it." },
  prompt = {
    type = "string",
    description = "The whole task. The agent knows nothing of this conversation: name the files, the goal, what is known already, what to leave alone, and what its report has to hold.",
  },
  agent = { type = "string", description = "Which agent; `" .. profiles.usual .. "` without it." },
  model = { type = "string", description = "provider:model, where it has to be another than the agent's or yours (see subagents.models)." },
  thinking = { type = "string", enum = { "off", "minimal", "low", "medium", "high", "xhigh", "max" } },
  tools = { type = "array", items = { type = "string" }, description = "Only these of its tools, by name; `std.*` is a pattern, and `std.shell(git log *)` gives a part." },
  background = { type = "boolean", description = "Return at once; its report comes as a message when it is done. Some agents do so without it; false waits." },
  resume = {
    type = "string",
    description = "The session id of an agent that was run before. With a prompt it goes on from where it was (one that is still running is told it); without a prompt its report is waited for.",
  },
  output_schema = { type = "object", description = "A JSON schema; the output is then a value that fits it." },
  budget = {
    type = "object",
    description = "Where it is stopped.",
    properties = {
      turns = { type = "integer", minimum = 1 }, tokens = { type = "integer", minimum = 1 },
      cost = { type = "number", exclusiveMinimum = 0, description = "USD" }, seconds = { type = "number", exclusiveMinimum = 0 },
    },
    additionalProperties = false,
  },
}

local function schema()
  local one = { type = "object", properties = FIELDS, additionalProperties = false }
  local properties = { tasks = { type = "array", items = one, minItems = 1, maxItems = MOST, description = "Several at once instead of one: a list of the same fields. They run side by side; the results come in order." } }
  for name, field in pairs(FIELDS) do
    properties[name] = field
  end
  return { type = "object", properties = properties, additionalProperties = false }
end

local function description()
  return table.concat({
    "Hands a task to a subagent: an agent with a context of its own, which works it off with the tools and gives back its report. "
      .. "Use it for searches and reading that would fill this conversation, for work that can go on side by side (several calls in one "
      .. "message, or `tasks`), and where an agent below fits. Do what takes two or three calls yourself. "
      .. "Don't do again what you have handed on; tell the user what the report says, they don't see it.",
    "Agents (where the user writes @ and one of these names, also as @agent-name, they want that agent to do it):",
    table.concat(profiles.lines(), "\n"),
  }, "\n")
end

--- Whether somebody waits for the report. Nobody comes back to a child of a child, nor where the program ends with the turn.
local function may_leave(call)
  return background.is_attended() and call.session_id == panto.ext.session_info().session_id
end

--- What comes of a wish at once, or the child that is to be run and waited for.
local function begin(spec, caller, call)
  local known = background.known(spec, call)
  if known then
    return known
  end
  local one, problem = child.prepare(spec, caller)
  if not one then
    return child.failed(spec, problem)
  elseif one.wants_background and may_leave(call) then
    return background.start(one, call.session_id)
  end
  return nil, one
end

local function handler(input, call)
  local wishes = input.tasks or { input }
  if input.tasks and input.prompt then
    return tool.failed("Pass either `prompt` or `tasks`, not both.")
  end
  local caller = { offered = child_tools.of_caller(call) }
  local front, places, results = {}, {}, {}
  for i, spec in ipairs(wishes) do
    local one
    results[i], one = begin(spec, caller, call)
    if one then
      front[#front + 1], places[#places + 1] = one, i
    end
  end
  local ended = together.run(front, function(text) call:progress(text) end)
  for i, result in ipairs(ended) do
    results[places[i]] = result
  end
  return report.result(results)
end

local NAME = "subagents.run"

local described

--- Tells the model of agents whose files have come, gone or changed.
local function refresh()
  local text = description()
  if text ~= described then
    described = text
    panto.ext.describe_tool(NAME, text)
  end
end

--- What the user may write behind an `@`.
local function mentions()
  refresh()
  local by_name, names = profiles.all()
  local list = {}
  for i, name in ipairs(names) do
    list[i] = { value = name, description = "agent: " .. profiles.summary(by_name[name]) }
  end
  return list
end

local function register()
  described = description()
  panto.ext.register_tool {
    name = NAME,
    description = described,
    schema = schema(),
    aliases = { subagent_type = "agent", agent_type = "agent", task = "prompt", run_in_background = "background", session_id = "resume" },
    words = {
      ask = "run {tasks} agents\nrun the agent {description}\nrun an agent",
      doing = "Running {tasks} agents\nRunning the agent {description}\nRunning an agent",
      done = "Ran {tasks} agents\nRan the agent {description}\nRan an agent",
    },
    last_words = true, -- what has ended by then is told, and which agents can be resumed
    readonly = true, -- what a child does is judged call by call
    handler = handler,
  }
  panto.ext.register_mentions(mentions)
  -- Those that a turn has written count in the next one; those that somebody has written meanwhile, as soon as may be.
  for _, event in ipairs { "reload", "turn_start", "turn_end" } do
    panto.ext.on(event, refresh)
  end
end

return register
