-- Children side by side: each in a task of its own, results in their order, whatever becomes of any one.
local child = require("panto.extensions.subagents.child")
local progress = require("panto.extensions.subagents.progress")

local together = {}

--- Runs prepared children to their ends; their results. `show` is told how they do.
function together.run(children, show)
  local lines, tasks, results = progress.new(show), {}, {}
  for i, one in ipairs(children) do
    local row = lines.add(one.label, one.profile.name)
    tasks[i] = panto.task.spawn(function()
      local result = child.safely(one, function(_, job) lines.follow(row, job) end)
      lines.ended(row, result)
      return result
    end)
  end
  for i, task in ipairs(tasks) do
    results[i] = task:await()
  end
  return results
end

return together
