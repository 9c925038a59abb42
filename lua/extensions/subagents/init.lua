-- subagents: agents that the model starts, watches over and hears from (contract.md, R77 to R94). An extension like others,
-- on the functions that every extension may call.
--
-- `profiles` says which agents there are, `child` makes one and runs it, `together` runs several, `background` keeps those
-- that nobody waits for, `workflow` runs graphs of them; `tools` is what the model sees of all that.
local background = require("panto.extensions.subagents.background")
local narrow = require("panto.extensions.subagents.child.narrow")
local reports = require("panto.extensions.subagents.child.reports")

panto.ext.on("startup", background.started)
panto.ext.on("session_start", background.opened)
panto.ext.on("approval", narrow.judge)
panto.ext.on("job_end", function(event) narrow.release(event.job) end)
panto.ext.on("job_start", function(event)
  -- What it has said before is no longer its last word.
  if event.job.session_id then
    reports.forget(event.job.session_id)
  end
end)

for _, name in ipairs { "run", "models", "lua", "workflow" } do
  require("panto.extensions.subagents.tools." .. name)()
end
