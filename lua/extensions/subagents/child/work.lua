-- The runs of one child: the one with its tools, and those that can do nothing but give the result in the form that is asked
-- for. What all of them may spend is one budget.
local budget = require("panto.extensions.subagents.child.budget")
local emit = require("panto.extensions.subagents.child.emit")
local memory = require("panto.extensions.subagents.child.memory")
local narrow = require("panto.extensions.subagents.child.narrow")

local work = {}

--- Makes an agent of the child's; false and why not.
function work.make_agent(child, config, more)
  local options = { config = config, store = child.store, system = true }
  for key, value in pairs(more) do
    options[key] = value
  end
  return pcall(panto.agent, options)
end

--- The job for whoever hears its events, with an eye on the results that are refused: a form that nothing fits, or a model
-- that cannot fill it in, must not go on for ever.
local function watched(child, job)
  local refused = 0
  local function seen(event)
    if event and event.type == "tool_end" and event.name == emit.name and event.is_error then
      refused = refused + 1
      if refused == emit.attempts then
        child.spoilt = ("the result does not fit output_schema (after %d attempts): %s"):format(refused, event.text)
        job:request_cancel()
      end
    end
    return event
  end
  local eye = {}
  function eye:await_event()
    return seen(job:await_event())
  end
  function eye:next_event()
    return seen(job:next_event())
  end
  return eye
end

--- Runs a job to its end, telling its events. A child in the background outlives the call that started it.
local function finish(child, agent, options, heard)
  options.name, options.metadata = child.label, { subagents = memory.of(child) }
  budget.limit(child.budget, options)
  local job <close>, problem = agent:run_async(options)
  if not job then
    return { status = "failed", error = problem }
  end
  if child.background then
    job:detach()
  end
  narrow.hold(job, child.profile, child.given)
  child.job = job
  local told = child.schema and watched(child, job) or job
  heard(child, told)
  if child.schema and child.background then
    panto.task.spawn(function()
      while told:await_event() do end
    end)
  end
  local result = job:await() or { status = "cancelled", error = "cancelled" }
  narrow.release(job)
  budget.spend(child.budget, result)
  return result
end

--- A run with the child's tools; where a form is asked for it may give its result in it.
function work.with_tools(child, heard)
  local declared, taken = table.move(child.tools, 1, #child.tools, 1, {}), nil
  local prompt = child.spec.prompt
  if child.schema then
    declared[#declared + 1] = emit.tool(child.schema, function(value) taken = { value = value } end)
    prompt = prompt .. "\n\n" .. emit.told
  end
  child.agent:set_tools(declared)
  child.spoilt = nil
  local result = finish(child, child.agent, { prompt = prompt }, heard)
  if child.spoilt and not taken then
    return { status = "failed", error = child.spoilt, text = result.text, usage = result.usage }
  end
  return result, taken
end

--- The model's settings under which it can do nothing but give the result; nil and why there are none.
function work.forced_config(child)
  return panto.ext.resolve_model { model = child.config.model, reasoning = child.config.reasoning, tool_choice = emit.choice }
end

--- The agent that is made to give the result; nil and why there is none. A child that has no tools is that from its start.
local function forced_agent(child)
  if child.is_forced then
    child.agent:set_tools { emit.tool(child.schema) }
    return child.agent
  end
  local config, problem = work.forced_config(child)
  if not config then
    return nil, problem
  end
  local known = child.store:resolve(child.id) and { session_id = child.id, conversation = child.store:load(child.id) }
  local made, agent = work.make_agent(child, config, known or { conversation = child.agent:conversation() })
  if not made then
    return nil, tostring(agent)
  end
  agent:set_tools { emit.tool(child.schema) }
  return agent
end

--- Runs that can do nothing but give the result, until one fits. `result` is that of the run before.
function work.forced(child, result, heard)
  local agent, problem = forced_agent(child)
  if not agent then
    return { status = "failed", error = problem }
  end
  local prompt = #child.tools > 0 and emit.ask or child.spec.prompt .. "\n\n" .. emit.ask
  local why
  for _ = 1, emit.attempts do
    local exhausted = budget.exhausted(child.budget)
    if exhausted then
      local error = ("%s, before %s"):format(exhausted, why and "its result was one that fits: " .. why or "it gave its result")
      return { status = "limit", error = error, text = result.text }
    end
    local given = finish(child, agent, { prompt = prompt, dispatch_tools = false }, heard)
    if given.status ~= "completed" then
      return given
    end
    local value, wrong = emit.read(child.schema, given.tool_calls)
    if wrong == nil then
      return given, { value = value }
    end
    why, prompt = wrong, ("That was not accepted: %s. Call emit_result again."):format(wrong)
  end
  return { status = "failed", error = ("%s (after %d attempts)"):format(why, emit.attempts) }
end

return work
