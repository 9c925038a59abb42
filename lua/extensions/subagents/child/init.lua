-- One child: from the wish to an agent that waits (`prepare`), and its run to a result (`run`). What cannot be started is a
-- problem in words, what ends badly is a result; neither is ever an error of whoever asks, so that its other children go on.
local emit = require("panto.extensions.subagents.child.emit")
local model = require("panto.extensions.subagents.child.model")
local narrow = require("panto.extensions.subagents.child.narrow")
local profiles = require("panto.extensions.subagents.profiles")
local store = require("panto.extensions.subagents.child.store")
local tools = require("panto.extensions.subagents.child.tools")

local TOLD = require("panto.extensions.subagents.child.told")

local child = {}

--- What is remembered with the child's first message, and read when it is resumed.
local function memory(self)
  local names = panto.json.array {}
  for i, declaration in ipairs(self.tools) do
    names[i] = declaration.name
  end
  return { agent = self.profile.name, model = self.config.model, thinking = self.config.reasoning, tools = names, description = self.label }
end

--- A conversation of the store that goes on, what it says of itself, and its profile.
local function revived(kept, id)
  local found = kept:resolve(id)
  local conversation = found and kept:load(found.id)
  if not conversation then
    return nil, ("there is no agent with the session id %q that could be resumed: only those of this session with an answer of their own can be"):format(id)
  end
  local said = store.memory(conversation) or {}
  local profile = profiles.get(said.agent or profiles.usual)
  -- Without its file it stays what it was told to be, with the tools that it had.
  profile = profile or { name = said.agent, description = "", prompt = "", tools = said.tools }
  return { id = found.id, conversation = conversation, said = said, profile = profile }
end

local function limits(spec, profile)
  local budget = spec.budget or {}
  return {
    max_turns = budget.turns or profile.max_turns, max_tokens = budget.tokens or profile.max_tokens,
    max_cost = budget.cost or profile.max_cost, timeout = budget.seconds or profile.timeout,
  }
end

local function fault(spec)
  if type(spec.prompt) ~= "string" or not spec.prompt:match("%S") then
    return "`prompt` is missing: say what the agent is to do"
  elseif spec.output_schema ~= nil and type(spec.output_schema) ~= "table" then
    return "output_schema has to be a JSON schema"
  end
  return spec.output_schema and emit.fault(spec.output_schema)
end

local function label(spec)
  local text = spec.description or spec.prompt
  return panto.text.truncate((panto.text.clean(text):gsub("%s+", " ")), 60)
end

local function make_agent(self, config, more)
  local options = { config = config, store = self.store, system = true }
  for key, value in pairs(more) do
    options[key] = value
  end
  return pcall(panto.agent, options)
end

--- A child that waits for its run; nil and the problem. `caller` = { offered = names of tools as a set }.
function child.prepare(spec, caller)
  local problem = fault(spec)
  if problem then
    return nil, problem
  end
  local self = { spec = spec, store = store.open(), label = label(spec), schema = spec.output_schema }
  local former
  if spec.resume then
    former, problem = revived(self.store, spec.resume)
    self.profile = former and former.profile
  else
    self.profile, problem = profiles.get(spec.agent or profiles.usual)
  end
  if not self.profile then
    return nil, problem
  end
  self.schema = self.schema or self.profile.output_schema
  self.limits = limits(spec, self.profile)
  self.config, problem = model.choose(spec, self.profile, former and former.said)
  if self.config then
    self.tools, problem = tools.select(caller.offered, self.profile, spec.tools or (former and former.said.tools))
  end
  if not self.tools then
    return nil, problem
  end
  local made, agent = make_agent(self, self.config, former and { session_id = former.id, conversation = former.conversation } or {})
  if not made then
    return nil, tostring(agent)
  end
  self.agent, self.id = agent, agent:session_id()
  if not former then
    local text = self.profile.prompt ~= "" and TOLD .. "\n" .. self.profile.prompt or TOLD
    agent:conversation():add_system_message(text, { metadata = { subagents = memory(self) } })
  end
  return self
end

--- Runs a job to its end, telling its events. A child in the background outlives the call that started it.
local function finish(self, agent, options, heard)
  options.name = self.label
  options.max_turns, options.max_cost = options.max_turns or self.limits.max_turns, self.limits.max_cost
  options.max_tokens, options.max_seconds = self.limits.max_tokens, self.limits.timeout
  local job <close>, problem = agent:run_async(options)
  if not job then
    return { status = "failed", error = problem }
  end
  if self.background then
    job:detach()
  end
  narrow.hold(job, self.profile)
  self.job = job
  heard(self, job)
  local result = job:await() or { status = "cancelled", error = "cancelled" }
  narrow.release(job)
  return result
end

--- A first run with the child's tools; where a form is asked for it may give its result in it.
local function work(self, heard)
  local declared, taken = table.move(self.tools, 1, #self.tools, 1, {}), nil
  local prompt = self.spec.prompt
  if self.schema then
    declared[#declared + 1] = emit.tool(self.schema, function(value) taken = { value = value } end)
    prompt = prompt .. "\n\n" .. emit.told
  end
  self.agent:set_tools(declared)
  local result = finish(self, self.agent, { prompt = prompt, metadata = { subagents = memory(self) } }, heard)
  return result, taken
end

--- Runs that can do nothing but give the result, until one fits.
local function forced(self, result, heard)
  local config, problem = panto.ext.resolve_model { model = self.config.model, reasoning = self.config.reasoning, tool_choice = emit.choice }
  if not config then
    return { status = "failed", error = problem, usage = result.usage }
  end
  local known = self.store:resolve(self.id) and { session_id = self.id, conversation = self.store:load(self.id) }
  local made, agent = make_agent(self, config, known or { conversation = self.agent:conversation() })
  if not made then
    return { status = "failed", error = tostring(agent) }
  end
  agent:set_tools { emit.tool(self.schema) }
  local prompt = #self.tools > 0 and emit.ask or self.spec.prompt .. "\n\n" .. emit.ask
  local why
  for _ = 1, emit.attempts do
    local options = { prompt = prompt, dispatch_tools = false, metadata = { subagents = memory(self) } }
    local given = finish(self, agent, options, heard)
    if given.status ~= "completed" then
      return given
    end
    local value, wrong = emit.read(self.schema, given.tool_calls)
    if wrong == nil then
      return given, { value = value }
    end
    why, prompt = wrong, ("That was not accepted: %s. Call emit_result again."):format(wrong)
  end
  return { status = "failed", error = ("%s (after %d attempts)"):format(why, emit.attempts) }
end

--- Runs the child: { label, agent, model, id, status, output, error?, value?, usage, resumable }. `heard(child, job)` is
--- told of each job as it starts.
function child.run(self, heard)
  local result, taken = { status = "completed" }, nil
  if #self.tools > 0 or not self.schema then
    result, taken = work(self, heard)
  end
  if self.schema and not taken and result.status == "completed" then
    result, taken = forced(self, result, heard)
  end
  return {
    label = self.label, agent = self.profile.name, model = self.config.model, id = self.id, status = result.status,
    output = taken and panto.json.encode(taken.value) or result.text or "", value = taken and taken.value,
    error = result.error, resumable = self.store:resolve(self.id) ~= nil,
  }
end

--- The result of a child that could not be started, or whose run went wrong in a way that nobody thought of.
function child.failed(spec, problem)
  local wish = type(spec) == "table" and spec or {}
  local named = type(wish.description) == "string" and wish.description or type(wish.prompt) == "string" and wish.prompt or "agent"
  return { label = panto.text.truncate(named, 60), agent = wish.agent, status = "failed", output = "", error = problem, resumable = false }
end

--- The same as `run`, but an error inside of it is a result.
function child.safely(self, heard)
  local ok, result = pcall(child.run, self, heard)
  return ok and result or child.failed(self.spec, tostring(result))
end

return child
