-- subagents.workflow, and a command /workflow:NAME for each workflow there is.
local child_tools = require("panto.extensions.subagents.child.tools")
local run = require("panto.extensions.subagents.workflow.run")
local tool = require("panto.tool")
local workflows = require("panto.extensions.subagents.workflow")

local function handler(input, call)
  local workflow, problem = workflows.get(input.name)
  if not workflow then
    return tool.failed(problem)
  end
  local caller = { offered = child_tools.of_caller(call), started = function() end }
  local results = run.all(workflow, input.args, caller, function(text) call:progress(text) end)
  local text, failed = run.words(workflow, results)
  return failed == #workflow.steps and tool.failed(text) or tool.done(text)
end

--- Runs a workflow for the user: a job that can be stopped, whose results go to the conversation.
local function start(name, args)
  local workflow, problem = workflows.get(name)
  if not workflow then
    return panto.ext.ui.notify(problem, "error")
  end
  local origin = panto.ext.session_info().session_id
  local caller = { offered = child_tools.of_caller(nil), started = function() end }
  panto.ext.spawn_job {
    title = "workflow " .. name,
    run = function(work)
      local results = run.all(workflow, args, caller, function(text) work:progress((text:gsub("\n", " | "))) end)
      local text, failed = run.words(workflow, results)
      local counted = failed > 0 and "%d of %d steps without a result" or "every step with a result"
      panto.ext.ui.notify(("workflow %s has ended, " .. counted):format(name, failed, #workflow.steps), failed > 0 and "warning" or "info")
      local asked = args:match("%S") and ("/workflow:%s %s"):format(name, args) or "/workflow:" .. name
      local told = ("%s was run. What came of it:\n\n%s"):format(asked, text)
      panto.task.spawn(function()
        -- Another session than the one that it was run for is not told.
        pcall(panto.ext.session.send, told, { as = "when_idle", session_id = origin })
      end):detach()
      return text
    end,
  }
end

local commands = {}

--- Makes commands of the workflows that have none yet.
local function register_commands()
  local by_name, names = workflows.all()
  for _, name in ipairs(names) do
    if not commands[name] then
      commands[name] = true
      local what = by_name[name].description
      panto.ext.register_command {
        name = "workflow:" .. name,
        description = what ~= "" and what or "runs the workflow " .. name,
        handler = function(args) start(name, args) end,
      }
    end
  end
end

return function()
  panto.ext.register_tool {
    name = "subagents.workflow",
    description = "Runs a workflow of the user's: a graph of agents kept in a file under a name. Its arguments are put into the prompts of its steps. Without a right name the workflows are listed.",
    schema = {
      type = "object",
      properties = { name = { type = "string" }, args = { type = { "string", "object" }, description = "What {{args}} stands for in its prompts." } },
      required = { "name" },
      additionalProperties = false,
    },
    words = { ask = "run the workflow {name}", doing = "Running the workflow {name}", done = "Ran the workflow {name}" },
    last_words = true, -- what has ended by then is told, and which agents can be resumed
    readonly = true, -- its agents are judged call by call
    handler = handler,
  }
  commands = {}
  register_commands()
  panto.ext.on("reload", register_commands)
end
