-- What holds a child: the `allow` and `deny` of its profile, the tools that its call gives only in part (`Bash(git log:*)`),
-- and what holds the agent that started it. All of that only ever takes: whatever it leaves is judged by the permissions
-- as any other call.
local edit = require("panto.extensions.permissions.edit")
local lists = require("panto.extensions.permissions.lists")
local places = require("panto.extensions.permissions.places")
local rules = require("panto.extensions.permissions.rules")
local memory = require("panto.extensions.subagents.child.memory")
local shell = require("panto.extensions.permissions.shell")
local store = require("panto.extensions.subagents.child.store")
local tools = require("panto.extensions.subagents.child.tools")

local narrow = {}

local SHELL = "std.shell"
local FILES = { ["std.read"] = true, ["std.write"] = true, ["std.edit"] = true, ["std.grep"] = true, ["std.find"] = true, ["std.ls"] = true }
local NOT_ALLOWED = "no rule of `allow` lets it"

local held = {} -- by job: { agent, lists, tools, above }, or { agent, problem }; false where nothing holds it

local function read(texts)
  local list = {}
  for i, text in ipairs(texts or {}) do
    list[i] = assert(rules.read(text))
  end
  return list
end

--- A link of the chain, over `above`; that itself where nothing is taken.
local function link(agent, taken, above)
  if not (taken.allow or taken.deny) then
    return above
  end
  local own = { allow = taken.allow and read(taken.allow), ask = {}, deny = read(taken.deny) }
  return { agent = agent, lists = own, tools = taken.tools or {}, above = above }
end

local function linked(profile, given, above)
  return link(profile.name, given, link(profile.name, profile, above))
end

--- What a child's file says that it was held to. It is what holds one with whom the user goes on.
local function of_file(session_id)
  local kept = store.open()
  local found = store.find(kept, session_id)
  local said = found and store.memory(found.conversation)
  if not said then
    return false
  end
  local from, problem = memory.revive(kept, session_id)
  return from and linked(from.profile, from.given, false) or not from and { agent = said.agent, problem = problem }
end

local function hold_of(job_id, session_id)
  if held[job_id] == nil then
    held[job_id] = of_file(session_id)
  end
  return held[job_id]
end

--- What holds the job that started another; false for the session itself.
local function above(info)
  for _, job in ipairs(info.parent and panto.ext.jobs() or {}) do
    if job.id == info.parent and job.session_id then
      return hold_of(job.id, job.session_id)
    end
  end
  return false
end

--- Holds the calls of a job to a profile, to what its call has given, and to what holds the job that started it.
function narrow.hold(job, profile, given)
  held[job.id] = linked(profile, given, above(job:info()))
end

function narrow.release(job)
  held[job.id] = nil
end

--- A tool that no `allow` is about is free where `tools` names it: those say which tools, the rules say what with them.
local function is_free(hold, name)
  local allow = hold.lists.allow
  return not allow or not lists.concern(allow, name) and tools.is_in(hold.tools, name)
end

local function forbidden(rule)
  return ("the rule `%s` forbids it"):format(rule.text)
end

--- Why a path may not be used, and whether that holds for commands, too, which are free to write what they like.
local function of_path(hold, name, path, cwd)
  local names = edit.is(name) and edit.names or { name }
  local verdict, rule, _, known = lists.of_path(hold.lists, names, places.absolute(path, cwd), cwd)
  if verdict == "deny" then
    return forbidden(rule), true
  elseif not known and (edit.is(name) and edit.is_ruled(hold.lists) or lists.concern(hold.lists.deny, name)) then
    return "it can't be told where the path leads", true
  elseif (verdict ~= "allow" or not known) and not is_free(hold, name) then
    return NOT_ALLOWED, false
  end
end

--- Why the line may not write what it does.
local function of_writes(hold, parts, cwd, free)
  for _, path in ipairs(edit.written(parts, cwd)) do
    if not path then
      if not free or edit.is_ruled(hold.lists) then
        return "it can't be told which file it writes"
      end
    else
      local why, always = of_path(hold, "std.write", path, cwd)
      if why and (always or not free) then
        return ("it writes %s, and %s"):format(path, why)
      end
    end
  end
end

--- `line` = { text, parts, problem }.
local function of_line(hold, line, cwd)
  local free, parts = is_free(hold, SHELL), line.parts
  if not parts then
    local concerns = not free or lists.concern(hold.lists.deny, SHELL) or edit.is_ruled(hold.lists)
    return concerns and ("the command line can't be taken apart (%s)"):format(line.problem) or nil
  end
  local verdict, rule, part = rules.command(hold.lists, parts)
  if verdict == "deny" then
    return forbidden(rule)
  end
  local unsure = rules.unsure(hold.lists, parts)
  if unsure then
    return ("before it runs it can't be told whether the rule `%s` is about it"):format(unsure.text)
  elseif not free and verdict ~= "allow" then
    return ("no rule of `allow` lets `%s` run"):format(part and part.text or line.text)
  end
  return of_writes(hold, parts, cwd, free)
end

local function of_tool(hold, name)
  local verdict, rule = lists.verdict(hold.lists, { name })
  if verdict == "deny" then
    return forbidden(rule)
  elseif verdict ~= "allow" and not is_free(hold, name) then
    return NOT_ALLOWED
  end
end

--- What tells why a link of the chain refuses the call.
local function judge_of(event)
  local name, input = event.name, event.input
  if name == SHELL and type(input.command) == "string" then
    local cwd = type(input.cwd) == "string" and places.absolute(input.cwd, event.cwd) or event.cwd
    local line = { text = input.command }
    line.parts, line.problem = shell.split(line.text, panto.process.shell())
    return function(hold) return of_line(hold, line, cwd) end
  elseif FILES[name] then
    local path = places.looked_into(name, input)
    return function(hold) return (of_path(hold, name, path, event.cwd)) end
  end
  return function(hold) return of_tool(hold, name) end
end

--- The handler of `approval`.
function narrow.judge(event)
  local hold = event.agent ~= "main" and hold_of(event.agent, event.session_id)
  if not hold or event.name == "emit_result" then
    return nil
  end
  local refusal = judge_of(event)
  while hold do
    local why = hold.problem or refusal(hold)
    if why then
      return { deny = ("%s was not run: the agent %q may not do this, %s"):format(event.name, hold.agent, why) }
    end
    hold = hold.above
  end
end

return narrow
