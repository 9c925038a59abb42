-- Runs a workflow: each step as soon as what it needs is there.
local child = require("panto.extensions.subagents.child")
local progress = require("panto.extensions.subagents.progress")
local report = require("panto.extensions.subagents.report")

local run = {}

--- The prompt of a step with what stands for something put in; a single pass, so that an output is never read as a prompt.
local function filled(prompt, args, results)
  return (prompt:gsub("{{%s*([%w_.-]+)%s*}}", function(what)
    local step = what:match("^steps%.([%w_-]+)%.output$")
    if what == "args" then
      return type(args) == "table" and panto.json.encode(args) or args or ""
    elseif step and results[step] then
      local result = results[step]
      return result.status == "completed" and result.output or ("(the step %s failed: %s)"):format(step, result.error or result.status)
    end
    local field = what:match("^args%.(.+)$")
    if field and type(args) == "table" and args[field] ~= nil then
      return type(args[field]) == "table" and panto.json.encode(args[field]) or tostring(args[field])
    end
  end))
end

--- The first of the needs that failed and is needed whole.
local function missing(step, steps, results)
  for _, name in ipairs(step.needs) do
    local failed = results[name].status ~= "completed"
    if failed and (results[name].skipped or steps[name].on_failure ~= "continue") then
      return name
    end
  end
end

local function perform(step, args, results, caller, lines, row)
  local wish = {
    description = step.name, prompt = filled(step.prompt, args, results), agent = step.agent, model = step.model,
    thinking = step.thinking, output_schema = step.output_schema,
  }
  local one, problem = child.prepare(wish, caller)
  if not one then
    return child.failed(wish, problem)
  end
  row.agent = one.profile.name
  return child.safely(one, function(_, job)
    caller.started(job)
    lines.follow(row, job)
  end)
end

--- Runs all steps; their results by name. `caller` = { offered, started(job) }, `show` is told how they do.
function run.all(workflow, args, caller, show)
  local results, steps, tasks, lines = {}, {}, {}, progress.new(show)
  -- However this ends: nothing of it goes on.
  local _ <close> = setmetatable({}, { __close = function()
    for _, task in pairs(tasks) do
      task:cancel()
    end
  end })
  for _, step in ipairs(workflow.order) do
    steps[step.name] = step
    local row = lines.add(step.name, step.agent)
    tasks[step.name] = panto.task.spawn(function()
      for _, name in ipairs(step.needs) do
        tasks[name]:await()
      end
      local lacking = missing(step, steps, results)
      local result
      if lacking then
        result = { label = step.name, status = "skipped", skipped = true, output = "", error = ("the step %s, which it needs, has no result"):format(lacking) }
      else
        local ok, ended = pcall(perform, step, args, results, caller, lines, row)
        result = ok and ended or child.failed({ description = step.name }, tostring(ended))
      end
      results[step.name] = result
      lines.ended(row, result)
    end)
  end
  for _, step in ipairs(workflow.order) do
    tasks[step.name]:await()
  end
  return results
end

--- What came of it, in words: each step's state, and the outputs that no other step took, or that failed.
function run.words(workflow, results)
  local taken, lines, shown = {}, {}, {}
  for _, step in ipairs(workflow.steps) do
    for _, name in ipairs(step.needs) do
      taken[name] = results[step.name].status == "completed" or taken[name]
    end
  end
  for _, step in ipairs(workflow.steps) do
    local result = results[step.name]
    lines[#lines + 1] = ("- %s: %s"):format(step.name, result.status)
    if not result.skipped and (result.status ~= "completed" or not taken[step.name]) then
      shown[#shown + 1] = result
    end
  end
  local failed = 0
  for _, result in pairs(results) do
    failed = failed + (result.status == "completed" and 0 or 1)
  end
  local text = ("Workflow %s:\n%s"):format(workflow.name, table.concat(lines, "\n"))
  return #shown > 0 and text .. "\n\n" .. report.all(shown) or text, failed
end

return run
