-- One child: from the wish to an agent that waits (`prepare`), and its run to a result (`run`). What cannot be started is a
-- problem in words, what ends badly is a result; neither is ever an error of whoever asks, so that its other children go on.
local budget = require("panto.extensions.subagents.child.budget")
local emit = require("panto.extensions.subagents.child.emit")
local memory = require("panto.extensions.subagents.child.memory")
local model = require("panto.extensions.subagents.child.model")
local profiles = require("panto.extensions.subagents.profiles")
local reports = require("panto.extensions.subagents.child.reports")
local store = require("panto.extensions.subagents.child.store")
local tools = require("panto.extensions.subagents.child.tools")
local work = require("panto.extensions.subagents.child.work")

local TOLD = require("panto.extensions.subagents.child.told")

local child = {}

local running = {} -- by session id

--- The child of this session id that runs at this moment, whoever waits for it.
function child.running(id)
  return running[id]
end

--- The job of a child that runs though nobody here waits for it: the user talks with it.
function child.with_user(id)
  for _, job in ipairs(not running[id] and panto.ext.jobs() or {}) do
    if job.session_id == id and (job.state == "queued" or job.state == "running" or job.state == "waiting") then
      return job
    end
  end
end

local function busy(id)
  return ("the agent with the session id %q is running: its report comes with the call that runs it; resume it after that"):format(id)
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

--- What the child was before, if it goes on: { profile, … }; nil and the problem.
local function origin(spec, kept)
  if spec.resume and running[spec.resume] then
    return nil, busy(spec.resume)
  elseif spec.resume then
    return memory.revive(kept, spec.resume)
  end
  local profile, problem = profiles.get(spec.agent or profiles.usual)
  return profile and { profile = profile }, problem
end

--- The agent of a child, with its first words where it is new; false and the problem.
local function make_agent(self, from)
  local former = from.conversation and { session_id = from.id, conversation = from.conversation }
  local made, agent = work.make_agent(self, self.config, former or {})
  if not made then
    return false, tostring(agent)
  end
  self.agent, self.id = agent, agent:session_id()
  if not former then
    local text = self.profile.prompt ~= "" and TOLD .. "\n" .. self.profile.prompt or TOLD
    agent:conversation():add_system_message(text, { metadata = { subagents = memory.of(self) } })
  end
  return true
end

local function wants_background(spec, profile)
  if spec.background ~= nil then
    return spec.background
  end
  return profile.background == true
end

--- A child that waits for its run; nil and the problem. `caller` = { offered = names of tools as a set }.
function child.prepare(spec, caller)
  local self = { spec = spec, store = store.open(), schema = spec.output_schema }
  local from, problem = origin(spec, self.store)
  problem = not from and problem or fault(spec)
  if problem then
    return nil, problem
  end
  self.profile, self.label = from.profile, label(spec)
  self.schema = self.schema or self.profile.output_schema
  self.budget = budget.of(spec.budget or {}, self.profile)
  self.wants_background = wants_background(spec, self.profile)
  self.config, problem = model.choose(spec, self.profile, from)
  if self.config then
    self.given, problem = from.given or {}, nil
    if spec.tools then
      self.given, problem = tools.given(spec.tools)
    end
  end
  if self.given then
    self.tools, problem = tools.select(caller.offered, self.profile, self.given.tools)
  end
  if self.tools and self.schema and #self.tools == 0 then
    self.is_forced = true
    self.config, problem = work.forced_config(self)
  end
  if not self.tools or not self.config then
    return nil, problem
  end
  local made, why = make_agent(self, from)
  return made and self or nil, why
end

--- Runs the child: { label, agent, model, id, status, output, error?, value?, usage, resumable }. `heard(child, job)` is
--- told of each job as it starts.
function child.run(self, heard)
  if running[self.id] then
    return child.failed(self.spec, busy(self.id))
  end
  running[self.id] = self
  local _ <close> = setmetatable({}, { __close = function() running[self.id] = nil end })
  reports.forget(self.id)
  local result, taken = { status = "completed" }, nil
  if #self.tools > 0 or not self.schema then
    result, taken = work.with_tools(self, heard)
  end
  if self.schema and not taken and result.status == "completed" then
    result, taken = work.forced(self, result, heard)
  end
  return {
    label = self.label, agent = self.profile.name, model = self.config.model, id = self.id, status = result.status,
    output = taken and panto.json.encode(taken.value) or result.text or "", value = taken and taken.value,
    error = result.error, usage = result.usage, resumable = self.store:resolve(self.id) ~= nil,
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
