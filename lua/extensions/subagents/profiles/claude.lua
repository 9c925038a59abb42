-- Profiles as Claude Code keeps them (`.claude/agents`), read as they are: its names of tools and models, its spellings of
-- fields. What has no counterpart here is left out.
local claude = {}

local TOOLS = {
  Read = "std.read", Bash = "std.shell", Grep = "std.grep", Glob = "std.find", LS = "std.ls", Edit = "std.edit", MultiEdit = "std.edit", Write = "std.write",
  Task = "subagents.run", Agent = "subagents.run",
}

-- What has no counterpart here and takes nothing from an agent that goes without. What looks after commands in the background
-- is nothing without `Bash`, and gives no command.
local IDLE = {
  BashOutput = true, KillBash = true, KillShell = true, TaskOutput = true, TaskStop = true, TodoWrite = true, TodoRead = true,
  ExitPlanMode = true, AskUserQuestion = true, SlashCommand = true,
}
local ABSENT = { WebFetch = true, WebSearch = true, NotebookEdit = true, NotebookRead = true, Skill = true }

local FIELDS = { disallowedTools = "disallowed_tools", maxTurns = "max_turns" }

-- A kind of model: the nearest one of the session's provider is taken.
local KINDS = { sonnet = true, opus = true, haiku = true, fable = true }

--- The tool of this name here, and a rule where the name limits it (`Bash(git log:*)`, `std.shell(git log *)`); nil where
--- there is none.
function claude.tool(name)
  local bare, inside = name:match("^([%w_.-]+)%((.*)%)$")
  local own = TOOLS[bare or name] or (bare and bare:find(".", 1, true) and bare or nil)
  if own and inside and inside:match("%S") and inside ~= "*" then
    return own, ("%s(%s)"):format(own, (inside:gsub(":%*$", " *")))
  end
  return own
end

--- Whether an agent here lacks nothing without the tool of this name.
function claude.is_idle(name)
  return IDLE[name] == true
end

--- Whether the name is one that is known there, or of a server of tools.
function claude.is_known(name)
  return TOOLS[name] ~= nil or IDLE[name] == true or ABSENT[name] == true or name:find("^mcp__") ~= nil
end

--- Names of tools that every session can have.
function claude.own_names()
  local own = {}
  for _, name in pairs(TOOLS) do
    own[name] = true
  end
  return own
end

--- Whether the name of a model only says of what kind it is.
function claude.is_kind(model)
  return KINDS[model] == true
end

--- The fields in the words used here; those that only mean something to that program are not among them.
function claude.translate(fields, known)
  local own = {}
  for key, value in pairs(fields) do
    key = FIELDS[key] or key
    if known[key] and not (key == "model" and value == "inherit") then
      own[key] = value
    end
  end
  return own
end

return claude
