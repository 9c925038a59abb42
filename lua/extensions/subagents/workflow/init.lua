-- Workflows: graphs of children in TOML files, of the user's and of a trusted project.
local read = require("panto.extensions.subagents.workflow.read")
local tool = require("panto.tool")

local workflows = {}

local LARGEST = 256 * 1024

local told = {}

local function warn(path, what)
  local text = ("workflow %s: %s"):format(path, what)
  if not told[text] then
    told[text] = true
    panto.ext.ui.notify(text, "warning")
  end
end

local function below(folder, into)
  local ok, files = pcall(panto.fs.list, folder)
  for _, entry in ipairs(ok and files or {}) do
    local name = entry.name:match("^(.+)%.toml$")
    local path = panto.path.join(folder, entry.name)
    if name and not name:match("^[%w][%w_.-]*$") then
      warn(path, "its name has to be letters, digits, `-`, `_` and `.`, for it is what /workflow:NAME asks for")
    elseif name then
      local fine, text = pcall(panto.fs.read, path, { limit = LARGEST })
      local workflow, problem
      if fine then
        workflow, problem = read(text)
      end
      if workflow then
        workflow.name, workflow.file = name, path
        into[name] = workflow
      else
        warn(path, problem or tostring(text))
      end
    end
  end
end

--- All workflows that can be run, by name, and their names sorted. What is wrong with a file is told once.
function workflows.all()
  local by_name, info = {}, panto.ext.session_info()
  below(panto.path.join(panto.env.config(), "workflows"), by_name)
  if info.trusted then
    below(panto.path.join(info.cwd, ".panto/workflows"), by_name)
  end
  return by_name, tool.names(by_name)
end

--- The workflow of a name; nil and what there is.
function workflows.get(name)
  local by_name, names = workflows.all()
  if by_name[name] then
    return by_name[name]
  end
  local known = #names > 0 and "the workflows are: " .. table.concat(names, ", ") or "there are none (they lie in the folder `workflows` of the configuration, and in .panto/workflows)"
  return nil, ("there is no workflow named %q%s; %s"):format(name, tool.hint(name, names), known)
end

return workflows
