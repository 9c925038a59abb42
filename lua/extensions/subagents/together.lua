-- Children side by side: each in a task of its own, results in the order of the wishes, whatever becomes of any one.
local child = require("panto.extensions.subagents.child")
local progress = require("panto.extensions.subagents.progress")

local together = {}

--- Starts a child for each wish. Gives a list of { result } or { task } in their order.
local function start(wishes, caller, lines)
  local runs = {}
  for i, spec in ipairs(wishes) do
    local one, problem = child.prepare(spec, caller)
    if not one then
      runs[i] = { result = child.failed(spec, problem) }
    else
      local row = lines.add(one.label, one.profile.name)
      runs[i] = {
        task = panto.task.spawn(function()
          local result = child.safely(one, function(_, job) lines.follow(row, job) end)
          lines.ended(row, result)
          return result
        end),
      }
    end
  end
  return runs
end

--- Runs them all; their results. `show` is told how they do.
function together.run(wishes, caller, show)
  local results = {}
  for i, run in ipairs(start(wishes, caller, progress.new(show))) do
    results[i] = run.result or run.task:await()
  end
  return results
end

return together
